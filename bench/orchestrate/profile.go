package main

import (
	"context"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// profile takes CPU and allocation profiles of the selected cells and clients
// and writes what pprof makes of them into the folder profiles of the results.
func (s *suite) profile(ctx context.Context, cells []cell) error {
	folder := filepath.Join(s.results, "profiles")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, c := range cells {
		for _, client := range s.selected(c.clients) {
			if err := s.profileOne(ctx, &c, client, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *suite) profileOne(ctx context.Context, c *cell, client, folder string) error {
	name := filepath.Join(folder, strings.NewReplacer(" ", "_", "@", "-").Replace(c.name+"_"+client))
	// Apart, for each would disturb the other.
	for _, p := range []struct{ option, file, duration string }{
		{"-cpuprofile", name + ".cpu", "3s"},
		{"-allocprofile", name + ".alloc", "1s"},
	} {
		command := s.worker(ctx, c, client, p.option, p.file, "-duration", p.duration)
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			log.Printf("%s, %s: %v", c.name, client, err)
			return nil
		}
	}
	for _, view := range []struct {
		suffix, file string
		options      []string
	}{
		{"cpu", name + ".cpu", []string{"-nodecount=45"}},
		{"cpu-cumulative", name + ".cpu", []string{"-cum", "-nodecount=70"}},
		{"bytes", name + ".alloc", []string{"-sample_index=alloc_space", "-nodecount=40"}},
		{"allocations", name + ".alloc", []string{"-sample_index=alloc_objects", "-nodecount=40"}},
		{"allocations-by-line", name + ".alloc", []string{"-sample_index=alloc_objects", "-lines", "-nodecount=60"}},
	} {
		arguments := append([]string{"tool", "pprof", "-top"}, view.options...)
		text, err := exec.CommandContext(ctx, "go", append(arguments, view.file)...).Output()
		if err != nil {
			return err
		}
		if err := os.WriteFile(name+"."+view.suffix+".txt", text, 0o644); err != nil {
			return err
		}
	}
	log.Print(c.name, ", ", client)
	return nil
}
