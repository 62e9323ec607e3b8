package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/workload"
)

const (
	// maxTries is how often a noisy measurement is taken at most.
	maxTries = 3
	// workerTimeout bounds one measurement.
	workerTimeout = 90 * time.Second
	// waitDelay bounds the wait for what a killed worker left behind.
	waitDelay = 5 * time.Second
)

// suite runs cells against one server.
type suite struct {
	settings
	plan     plan
	started  time.Time
	server   *exec.Cmd
	address  string
	recorder *recorder
}

// startServer starts the HTTP server, which ends with ctx.
func (s *suite) startServer(ctx context.Context) error {
	s.server = inOwnGroup(exec.CommandContext(ctx, s.program("peerserver"), "-http", "127.0.0.1:0"))
	s.server.Stderr = os.Stderr
	out, err := s.server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.server.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	s.address = strings.TrimSpace(line)
	return err
}

func (s *suite) program(name string) string { return filepath.Join(s.binaries, name) }

// inBudget reports whether there is time for patience and repetitions.
func (s *suite) inBudget() bool { return time.Since(s.started) < s.budget }

// run measures a cell: the clients take turns, each round beginning with the
// next one, so that the drift of the machine cancels within a round.
func (s *suite) run(ctx context.Context, c *cell) error {
	started := time.Now()
	clients := s.selected(c.clients)
	for round := range c.rounds {
		for i := range clients {
			if err := s.measureQuietly(ctx, c, clients[(i+round)%len(clients)], round+1); err != nil {
				return err
			}
		}
	}
	log.Printf("%-32s %5.1fs  (%s so far)", c.name, time.Since(started).Seconds(), time.Since(s.started).Round(time.Second))
	return nil
}

// measureQuietly measures again where others disturbed too much.
func (s *suite) measureQuietly(ctx context.Context, c *cell, client string, round int) error {
	for try := 1; ; try++ {
		if s.inBudget() {
			waitQuiet(ctx, s.patience)
		}
		rec := s.measure(ctx, c, client)
		rec.Round, rec.Try = round, try
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if rec.Error != "" {
			log.Printf("%s, %s: %s", c.name, client, rec.Error)
		}
		if err := s.recorder.add(rec); err != nil {
			return err
		}
		if rec.Error != "" || !rec.Noisy || try == maxTries || !s.inBudget() {
			return nil
		}
	}
}

// worker is the command that measures a cell with a client.
func (s *suite) worker(ctx context.Context, c *cell, client string, extra ...string) *exec.Cmd {
	name, isDefault := strings.CutSuffix(client, atDefault)
	arguments := append([]string{"-duration", s.duration.String()}, expand(c.arguments, s.address, s.program("peerserver"))...)
	if isDefault {
		arguments = append(arguments, "-tuned=false")
	}
	command := exec.CommandContext(ctx, s.program("worker-"+name), append(arguments, extra...)...)
	command.WaitDelay = waitDelay // a server that holds the worker's stderr ends soon after it
	return inOwnGroup(command)
}

// measure takes one measurement.
func (s *suite) measure(ctx context.Context, c *cell, client string) record {
	ctx, cancel := context.WithTimeout(ctx, workerTimeout)
	defer cancel()
	rec := record{Cell: c.name, Client: client}
	command := s.worker(ctx, c, client)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	foreign, err := foreignShare(command, s.server.Process.Pid)
	rec.Foreign, rec.Noisy = foreign, foreign > s.foreign
	var output workload.Output
	if json.Unmarshal(out.Bytes(), &output) == nil {
		rec.Metrics, rec.Error = output.Metrics, output.Error
	}
	if err != nil && rec.Error == "" {
		rec.Error = fmt.Sprintf("%v: %s", err, lastLine(complaints.String()))
	}
	return rec
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
