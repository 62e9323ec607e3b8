package main

import (
	"bufio"
	"context"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/workload"
)

// W8 is the time from just before exec to the first tool result, and the size of
// a program.

const (
	coldHTTP  = "W8 start http"
	coldStdio = "W8 start stdio"
	binaries  = "W8 binary"
)

func (s *suite) coldCells() []cell {
	const rounds = 20
	return []cell{
		{name: coldHTTP, kind: kindCold, clients: s.plan.httpClients(), rounds: rounds, arguments: []string{"http", "http://" + addressMark + "/mcp"}},
		{name: coldStdio, kind: kindCold, clients: s.plan.stdioClients(), rounds: rounds, arguments: []string{"stdio", peerserverMark, "-stdio"}},
	}
}

func (s *suite) binaryCell() cell {
	return cell{name: binaries, kind: kindBinary, clients: s.plan.httpClients(), rounds: 1}
}

func (s *suite) runCold(ctx context.Context, c *cell) error {
	clients := s.selected(c.clients)
	for round := range c.rounds {
		if s.inBudget() {
			waitQuiet(ctx, s.patience)
		}
		for i := range clients {
			client := clients[(i+round)%len(clients)]
			rec := record{Cell: c.name, Client: client, Round: round + 1, Try: 1}
			metrics, err := s.startOnce(ctx, c, client)
			if err != nil {
				rec.Error = err.Error()
				log.Printf("%s, %s: %v", c.name, client, err)
			}
			rec.Metrics = metrics
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := s.recorder.add(rec); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *suite) startOnce(ctx context.Context, c *cell, client string) (workload.Metrics, error) {
	ctx, cancel := context.WithTimeout(ctx, workerTimeout)
	defer cancel()
	command := inOwnGroup(exec.CommandContext(ctx, s.program("cold-"+client), expand(c.arguments, s.address, s.program("peerserver"))...))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if err := command.Start(); err != nil {
		return nil, err
	}
	_, readErr := bufio.NewReader(out).ReadString('\n')
	elapsed := time.Since(started)
	_ = in.Close() // lets the program go
	if err := command.Wait(); err != nil {
		return nil, err
	}
	if readErr != nil {
		return nil, readErr
	}
	return workload.Metrics{
		"first_result_ms": elapsed.Seconds() * 1e3,
		"cpu_ms":          endedSeconds(command.ProcessState) * 1e3,
	}, nil
}

// weigh records the sizes of the binaries.
func (s *suite) weigh(c *cell) error {
	for _, client := range s.selected(c.clients) {
		metrics := workload.Metrics{}
		for metric, folder := range map[string]string{"binary_mb": s.binaries, "stripped_mb": s.binaries + "/stripped"} {
			info, err := os.Stat(filepath.Join(folder, "cold-"+client))
			if err != nil {
				return err
			}
			metrics[metric] = float64(info.Size()) / 1e6
		}
		if err := s.recorder.add(record{Cell: c.name, Client: client, Round: 1, Try: 1, Metrics: metrics}); err != nil {
			return err
		}
	}
	return nil
}
