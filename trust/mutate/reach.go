package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// fastTest is what a test takes that runs before the others.
const fastTest = 100 * time.Millisecond

// test is one test of a package, with the changes that it comes by.
type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool
}

// tests runs each test of the package by itself, on the code as it is, and looks
// which changes it comes by.
func (p *loadedPackage) tests(binary string, together map[string]map[int]*mutant, work string) ([]*test, error) {
	// All changes of one operator have one place.
	places := map[mutant][]int{}
	first := map[int]mutant{}
	for _, numbered := range together {
		for number, m := range numbered {
			place := mutant{file: m.file, Line: m.Line, Column: m.Column}
			places[place] = append(places[place], number)
			first[number] = place
		}
	}
	names, err := p.output(context.Background(), binary, "MUTANT=0", "-test.list", "^(Test|Fuzz|Example)")
	if err != nil {
		return nil, fmt.Errorf("the tests of %s cannot be listed: %w\n%s", p.folder, err, names)
	}
	var found []*test
	for _, name := range strings.Fields(string(names)) {
		reached := filepath.Join(work, name+".reached")
		start := time.Now()
		if said, err := p.output(context.Background(), binary, "MUTANTS_REACHED="+reached, "-test.run", "^"+name+"$"); err != nil {
			return nil, fmt.Errorf("%s of %s fails by itself: %w\n%s", name, p.folder, err, said)
		}
		t := &test{name: name, took: time.Since(start), reaches: map[int]bool{}}
		text, err := os.ReadFile(reached)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		for _, line := range strings.Fields(string(text)) {
			number, err := strconv.Atoi(line)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", reached, err)
			}
			for _, other := range places[first[number]] {
				t.reaches[other] = true
			}
		}
		found = append(found, t)
	}
	return found, nil
}
