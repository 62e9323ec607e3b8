// Package processes lists the processes of this machine, to find those that
// should be gone. It reads /proc, and so works on Linux only.
package processes

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// root is where the kernel tells of processes.
const root = "/proc"

// Process is one process at the time of listing.
type Process struct {
	ID, Parent, Session int
	// Name is the program's name, cut by the kernel to 15 bytes.
	Name string
	// Ended: it has exited, and its parent has not waited for it.
	Ended bool
}

// String names the process for a report.
func (p Process) String() string {
	state := "is running"
	if p.Ended {
		state = "is a zombie"
	}
	return fmt.Sprintf("process %d (%s) %s", p.ID, p.Name, state)
}

// Available reports whether processes can be listed on this machine.
func Available() bool {
	_, err := os.Stat(filepath.Join(root, "self", "stat"))
	return err == nil
}

// Children returns the processes whose parent is the given one.
func Children(parent int) ([]Process, error) {
	return find(func(p Process) bool { return p.Parent == parent })
}

// InSession returns the processes of a session that have not ended. A process
// whose parent died stays in its session, so that an orphan is found as well.
func InSession(session int) ([]Process, error) {
	return find(func(p Process) bool { return p.Session == session && !p.Ended })
}

func find(wanted func(Process) bool) ([]Process, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, entry.Name(), "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		if p, ok := parse(id, string(text)); ok && wanted(p) {
			found = append(found, p)
		}
	}
	return found, nil
}

// parse reads the line of a stat file: number, (name), state, parent, group,
// session. The name may hold blanks and parentheses.
func parse(id int, line string) (Process, bool) {
	begin, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if begin < 0 || end < begin {
		return Process{}, false
	}
	fields := strings.Fields(line[end+1:])
	if len(fields) < 4 {
		return Process{}, false
	}
	parent, errParent := strconv.Atoi(fields[1])
	session, errSession := strconv.Atoi(fields[3])
	return Process{
		ID: id, Parent: parent, Session: session,
		Name:  line[begin+1 : end],
		Ended: fields[0] == "Z" || fields[0] == "X",
	}, errParent == nil && errSession == nil
}
