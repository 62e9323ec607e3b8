package main

import (
	"context"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// profiledEvents are enough progress notifications for a profile.
const profiledEvents = "3000000"

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

// profileName is the name of the files of a cell and client, without what stands
// behind its dot.
func profileName(cell, client string) string {
	return strings.NewReplacer(" ", "_", "@", "-").Replace(cell + "_" + client)
}

func (s *suite) profileOne(ctx context.Context, c *cell, client, folder string) error {
	name := filepath.Join(folder, profileName(c.name, client))
	// Apart, for each would disturb the other.
	for _, p := range []struct{ option, file, duration string }{
		{"-cpuprofile", name + ".cpu", "3s"},
		{"-allocprofile", name + ".alloc", "1s"},
	} {
		command := s.worker(ctx, c, client, p.option, p.file, "-duration", p.duration, "-events", profiledEvents)
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
		{"held", name + ".alloc", []string{"-sample_index=inuse_space", "-nodecount=40"}},
		{"cpu", name + ".cpu", []string{"-nodecount=45"}},
		{"cpu-cumulative", name + ".cpu", []string{"-cum", "-nodecount=70"}},
		{"bytes", name + ".alloc", []string{"-sample_index=alloc_space", "-nodecount=40"}},
		{"allocations", name + ".alloc", []string{"-sample_index=alloc_objects", "-nodecount=40"}},
		{"allocations-by-line", name + ".alloc", []string{"-sample_index=alloc_objects", "-lines", "-nodecount=60"}},
	} {
		if _, err := os.Stat(view.file); err != nil {
			continue // an idle client has no CPU profile
		}
		if (view.suffix == "held") != (c.kind == kindIdle) {
			continue // only an idle client is about what it holds
		}
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
