package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// outcome is what became of a change.
type outcome int

const (
	unnoticed outcome = iota
	noticed
	endless // the tests did not end in many times the time that they take
)

// memory is what a test may take, in KiB: a loop without end may collect.
const memory = "6291456"

// run makes each change and tells what the tests of the package said.
func (p *loadedPackage) run(mutants []*mutant, workers int) ([]outcome, error) {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()

	together, alone := p.divide(mutants)
	texts := map[string][]byte{filepath.Join(p.folder, "mutants_switch.go"): fmt.Appendf(nil, switchFile, p.name, len(mutants)+1)}
	for name, numbered := range together {
		if texts[name], err = p.withChanges(p.sources[name], numbered); err != nil {
			return nil, err
		}
	}
	binary := filepath.Join(work, "all.test")
	if err := p.build(binary, texts); err != nil {
		return nil, err
	}
	limit, err := p.unchanged(binary, workers)
	if err != nil {
		return nil, err
	}
	log.Printf("%s: %d changes in one binary, %d built alone; tests without end after %s", p.folder, len(mutants)-len(alone), len(alone), limit.Round(time.Second))

	tests, err := p.tests(binary, together, work)
	if err != nil {
		return nil, err
	}
	outcomes, faults := make([]outcome, len(mutants)), make([]error, len(mutants))
	queue := make(chan int)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for i := range queue {
				if slices.Contains(alone, i) {
					outcomes[i], faults[i] = p.runAlone(mutants[i], filepath.Join(work, strconv.Itoa(i)+".test"), limit)
				} else {
					outcomes[i], faults[i] = p.runTogether(binary, i+1, tests, limit)
				}
			}
		})
	}
	for i := range mutants {
		queue <- i
	}
	close(queue)
	working.Wait()
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	// Tests that fail on a busy machine would be taken for ones that notice.
	_, err = p.unchanged(binary, workers)
	return outcomes, err
}

// divide numbers the changes by file, and tells which cannot be built with others.
func (p *loadedPackage) divide(mutants []*mutant) (together map[string]map[int]*mutant, alone []int) {
	together = map[string]map[int]*mutant{}
	for name, source := range p.sources {
		numbered := map[int]*mutant{}
		for i, m := range mutants {
			if m.file == name {
				numbered[i+1] = m
			}
		}
		if len(numbered) == 0 {
			continue
		}
		if p.compileTogether(source, numbered) {
			together[name] = numbered
			continue
		}
		good := map[int]*mutant{}
		for _, number := range slices.Sorted(maps.Keys(numbered)) {
			good[number] = numbered[number]
			if !p.compileTogether(source, good) {
				delete(good, number)
				alone = append(alone, number-1)
			}
		}
		together[name] = good
	}
	return together, alone
}

func (p *loadedPackage) compileTogether(source *source, numbered map[int]*mutant) bool {
	text, err := p.withChanges(source, numbered)
	return err == nil && p.check(nil, map[string][]byte{
		source.name:         text,
		"mutants_switch.go": fmt.Appendf(nil, switchFile, p.name, 1),
	}) == nil
}

// build builds the tests of the package with other texts for some files.
func (p *loadedPackage) build(binary string, texts map[string][]byte) error {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range texts {
		absolute, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		other := binary + "." + filepath.Base(name)
		if err := os.WriteFile(other, text, 0o600); err != nil {
			return err
		}
		overlay.Replace[absolute] = other
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	if err := os.WriteFile(binary+".overlay", text, 0o600); err != nil {
		return err
	}
	said, err := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", binary+".overlay", "-o", binary, "./"+p.folder).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go test -c ./%s: %w\n%s", p.folder, err, said)
	}
	return nil
}

// runAlone builds one change alone.
func (p *loadedPackage) runAlone(m *mutant, binary string, limit time.Duration) (outcome, error) {
	text, err := m.changed(p.sources[m.file].text)
	if err != nil {
		return 0, err
	}
	if err := p.build(binary, map[string][]byte{m.file: text}); err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(binary) }()
	return p.test(binary, 0, ".", limit)
}

// runTogether runs the tests that come by a change: the fast ones first, since most
// changes are noticed by one of them.
func (p *loadedPackage) runTogether(binary string, number int, tests []*test, limit time.Duration) (outcome, error) {
	var fast, slow []string
	for _, test := range tests {
		switch {
		case !test.reaches[number]:
		case test.took < fastTest:
			fast = append(fast, test.name)
		default:
			slow = append(slow, test.name)
		}
	}
	for _, names := range [][]string{fast, slow} {
		if len(names) == 0 {
			continue
		}
		got, err := p.test(binary, number, "^("+strings.Join(names, "|")+")$", limit)
		if got != unnoticed || err != nil {
			return got, err
		}
	}
	return unnoticed, nil
}

// test runs tests of the package with the change of that number.
func (p *loadedPackage) test(binary string, number int, which string, limit time.Duration) (outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, err := p.output(ctx, binary, "MUTANT="+strconv.Itoa(number), "-test.run", which)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return endless, nil
	case err == nil:
		return unnoticed, nil
	case errors.As(err, &exit):
		return noticed, nil
	}
	return 0, err
}

func (p *loadedPackage) output(ctx context.Context, binary, variable string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v ` + memory + ` && exec "$0" -test.failfast -test.timeout=10m "$@"`, binary}, arguments...)...)
	command.Dir = p.folder
	command.Env = append(os.Environ(), variable)
	command.WaitDelay = time.Second
	return command.CombinedOutput()
}

// unchanged runs the tests on the code as it is, as many at a time as will run later,
// and returns how long a run may take.
func (p *loadedPackage) unchanged(binary string, workers int) (time.Duration, error) {
	start := time.Now()
	faults := make([]error, workers)
	var working sync.WaitGroup
	for i := range workers {
		working.Go(func() {
			if said, err := p.output(context.Background(), binary, "MUTANT=0"); err != nil {
				faults[i] = fmt.Errorf("the tests of %s fail without a change: %w\n%s", p.folder, err, said)
			}
		})
	}
	working.Wait()
	return p.patience + 5*time.Since(start), errors.Join(faults...)
}
