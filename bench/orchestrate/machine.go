package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// describeMachine says what was measured on, without naming it.
func describeMachine() string {
	text := fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if model := procValue("/proc/cpuinfo", "model name"); model != "" {
		text += " (" + model + ")"
	}
	var kilobytes float64
	if _, err := fmt.Sscanf(procValue("/proc/meminfo", "MemTotal"), "%f", &kilobytes); err == nil {
		text += fmt.Sprintf(", %.0f GiB", kilobytes/(1<<20))
	}
	return text + ", " + runtime.Version()
}

// procValue returns the first value of a key in a file of /proc.
func procValue(file, key string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// describePeers gives the versions of the libraries that were compared with.
func describePeers(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Version}}",
		"github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go", "github.com/go-resty/resty/v2").Output()
	if err != nil {
		return "", fmt.Errorf("versions of the peers: %w", err)
	}
	return strings.Join(strings.Split(strings.TrimSpace(string(output)), "\n"), ", "), nil
}
