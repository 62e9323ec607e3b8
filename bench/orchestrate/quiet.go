package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The CPU time that others take during a measurement is what the whole machine
// was busy for, less what the worker and the server took. It comes from /proc;
// where there is none, nothing is known and nothing counts as noisy.

// ticksPerSecond is the unit of /proc: 100 on every Linux that Go supports.
const ticksPerSecond = 100

// busySeconds is the CPU time that the machine has spent.
func busySeconds() float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line) // cpu user nice system idle iowait irq softirq ...
	var busy float64
	for _, i := range []int{1, 2, 3, 6, 7} {
		busy += field(fields, i)
	}
	return busy / ticksPerSecond
}

// processSeconds is the CPU time that a running process has spent.
func processSeconds(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name before may have blanks
	fields := strings.Fields(rest)
	return (field(fields, 11) + field(fields, 12)) / ticksPerSecond
}

func field(fields []string, i int) float64 {
	if i >= len(fields) {
		return 0
	}
	value, _ := strconv.ParseFloat(fields[i], 64)
	return value
}

// endedSeconds is the CPU time that an ended process and its children took.
func endedSeconds(state *os.ProcessState) float64 {
	return (state.UserTime() + state.SystemTime()).Seconds()
}

// foreignShare runs a command and returns which share of the machine was taken
// by others meanwhile.
func foreignShare(command *exec.Cmd, server int) (float64, error) {
	busy, serving, started := busySeconds(), processSeconds(server), time.Now()
	err := command.Run()
	elapsed := time.Since(started).Seconds()
	others := busySeconds() - busy - (processSeconds(server) - serving)
	if command.ProcessState != nil {
		others -= endedSeconds(command.ProcessState)
	}
	return max(0, others/(elapsed*float64(runtime.NumCPU()))), err
}

// waitQuiet waits, no longer than patience, until others leave the machine
// alone.
func waitQuiet(ctx context.Context, patience time.Duration) {
	const look, quiet = 100 * time.Millisecond, 0.11
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && ctx.Err() == nil; {
		busy, started := busySeconds(), time.Now()
		time.Sleep(look)
		if (busySeconds()-busy)/(time.Since(started).Seconds()*float64(runtime.NumCPU())) < quiet {
			return
		}
	}
}

// inOwnGroup lets a signal for this program not reach the command before this
// program has dealt with it.
func inOwnGroup(command *exec.Cmd) *exec.Cmd {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}
