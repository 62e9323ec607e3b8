//go:build unix

package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// childRole names the variable that turns this test binary into a child.
const childRole = "MCPCLIENT_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		playChild(role)
		syscall.Exit(0) // not a return: the race detector would wait for a second
	}
	goleak.VerifyTestMain(m)
}

// playChild is what the children of these tests do. Every role ends by itself
// in the end, so that a failing test leaves nothing for good.
func playChild(role string) {
	time.AfterFunc(time.Minute, func() { os.Exit(99) })
	switch role {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "fail":
		fmt.Fprintln(os.Stderr, "cannot open database")
		fmt.Fprint(os.Stderr, "giving up") // no newline
		syscall.Exit(3)
	case "last words":
		fmt.Print(strings.Repeat("x", 60_000))
	case "deaf": // to SIGTERM and to the end of stdin
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "polite": // ends on SIGTERM, but not at the end of stdin
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		fmt.Println("ready")
		<-signals
		os.Exit(7)
	case "parent", "parent of fugitive":
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), childRole+"=holder")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if role == "parent of fugitive" {
			fleeGroup(grandchild)
		}
		if err := grandchild.Start(); err != nil {
			panic(err)
		}
		fmt.Println(grandchild.Process.Pid)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(4)
	case "holder": // holds its parent's stdout and stderr
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
	case "flood":
		line := strings.Repeat("e", 1000)
		for i := range 2000 {
			fmt.Fprintln(os.Stderr, i, line)
		}
		fmt.Fprintln(os.Stderr, "end of flood")
	case "long stderr line":
		fmt.Fprintln(os.Stderr, strings.Repeat("long", 100_000))
		fmt.Fprintln(os.Stderr, "short")
	case "tell":
		fmt.Fprintf(os.Stderr, "using %s\n", os.Getenv("API_TOKEN"))
	case "environment":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "where":
		dir, _ := os.Getwd()
		fmt.Println(dir)
	case "mute": // never reads stdin
		fmt.Println("ready")
		time.Sleep(time.Minute)
	default:
		panic("no such role: " + role)
	}
}

// fleeGroup makes a command leave its parent's process group.
func fleeGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}
