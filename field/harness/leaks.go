package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/field/processes"
)

// settleTime is how long goroutines and connections may take to end after the
// client was closed. A child process must be gone at once.
const settleTime = 2 * time.Second

// descriptors is where the kernel lists this program's open files.
const descriptors = "/proc/self/fd"

// inventory is what there was before the first action.
type inventory struct {
	goroutines goleak.Option
	files      map[string]string
}

// takeInventory notes what there is now. The runtime's own descriptors for
// waiting on files are opened first.
func takeInventory() (inventory, error) {
	warm, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return inventory{}, err
	}
	if err := warm.Close(); err != nil {
		return inventory{}, err
	}
	return inventory{goroutines: goleak.IgnoreCurrent(), files: openFiles()}, nil
}

// leaks tells what is there now and was not before. It waits for settleTime at
// most. What this machine cannot list is not looked for.
func (i inventory) leaks() []string {
	var leaks []string
	if processes.Available() {
		children, err := processes.Children(os.Getpid())
		if err != nil {
			leaks = append(leaks, "child processes cannot be listed: "+err.Error())
		}
		for _, child := range children {
			leaks = append(leaks, "child "+child.String())
		}
	}
	var rest []string
	for deadline := time.Now().Add(settleTime); ; time.Sleep(20 * time.Millisecond) {
		if rest = i.unsettled(); len(rest) == 0 || time.Now().After(deadline) {
			return append(leaks, rest...)
		}
	}
}

// unsettled tells of goroutines and descriptors that may still be ending.
func (i inventory) unsettled() []string {
	var rest []string
	for number, target := range openFiles() {
		if i.files[number] != target {
			rest = append(rest, fmt.Sprintf("file descriptor %s, %s", number, target))
		}
	}
	if err := goleak.Find(i.goroutines); err != nil {
		for line := range strings.Lines(err.Error()) {
			if strings.Contains(line, "in state") { // the head of each stack
				rest = append(rest, strings.Trim(line, "[: \n"))
			}
		}
	}
	return rest
}

// openFiles returns what each descriptor of this program leads to; nothing where
// that cannot be listed. The runtime's own are left out.
func openFiles() map[string]string {
	entries, err := os.ReadDir(descriptors)
	if err != nil {
		return nil
	}
	files := make(map[string]string)
	for _, entry := range entries {
		target, err := os.Readlink(filepath.Join(descriptors, entry.Name()))
		if err != nil || strings.HasPrefix(target, "anon_inode:[event") {
			continue // the descriptor of the listing itself, or the runtime's
		}
		files[entry.Name()] = target
	}
	return files
}
