// Command mutate makes the changes that gremlins found, one operator at a time, and
// looks whether a test fails.
//
//	mutate -accepted FILE [-floor PERCENT] [-markdown FILE] FOLDER=RESULT.json ...
//
// The results are what `gremlins unleash FOLDER --dry-run --output RESULT.json` wrote,
// in the root of the module, where this runs too. Gremlins alone builds the tests anew
// for each change, which takes hours, takes the conditions of switch cases, and
// constants, for code that no test reaches, and a slow machine for a loop without end.
// Here all changes of a package are built into one test binary, each behind a number
// (binary.go); what a closure cannot hold is built alone. A change that does not
// compile counts nowhere; one that no test notices must be listed with the reason.
// It ends with "N passed, N failed": changes noticed or listed, and changes that are
// neither.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// result is what gremlins writes.
type result struct {
	Files []struct {
		Name      string   `json:"file_name"`
		Mutations []mutant `json:"mutations"`
	} `json:"files"`
}

// score is that of one package.
type score struct {
	noticed, endless, survived, listed int
	took                               time.Duration
}

func main() {
	log.SetFlags(0)
	acceptedFile := flag.String("accepted", "", "the list of changes that no test can notice, with reasons")
	floor := flag.Int("floor", 100, "percent of the changes that must be noticed, of those not listed")
	markdown := flag.String("markdown", "", "write a table there")
	workers := flag.Int("workers", 3, "how many tests run at a time: they wait more than they compute")
	flag.Parse()
	listed, err := readAccepted(*acceptedFile)
	if err != nil {
		log.Fatal(err)
	}
	scores := map[string]*score{}
	for _, argument := range flag.Args() {
		folder, name, found := strings.Cut(argument, "=")
		if !found {
			log.Fatalf("%s: want FOLDER=RESULT.json", argument)
		}
		if scores[folder], err = judge(folder, name, listed, *workers); err != nil {
			log.Fatal(err)
		}
	}
	passed, failed, below := 0, 0, false
	var table strings.Builder
	table.WriteString("| package | changes | noticed by a test | without end | listed with a reason | not noticed | took |\n|---|---|---|---|---|---|---|\n")
	for _, folder := range slices.Sorted(maps.Keys(scores)) {
		s := scores[folder]
		good := s.noticed + s.endless
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %s |\n", folder, good+s.survived+s.listed, s.noticed, s.endless, s.listed, s.survived, s.took.Round(time.Second))
		passed, failed = passed+good+s.listed, failed+s.survived
		below = below || good*100 < *floor*(good+s.survived)
	}
	for entry, used := range listed {
		if !used && scores[path.Dir(entry.file)] != nil {
			log.Printf("%s lists a change that a test notices, or that is no longer made: %s %s %s", *acceptedFile, entry.file, entry.kind, entry.line)
			below = true
		}
	}
	if *markdown != "" {
		if err := os.WriteFile(*markdown, []byte(table.String()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Print(table.String())
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if below {
		os.Exit(1)
	}
}

// judge makes all changes of a folder that gremlins found.
func judge(folder, name string, listed map[accepted]bool, workers int) (*score, error) {
	start := time.Now()
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var gremlins result
	if err := json.Unmarshal(text, &gremlins); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	loaded, err := load(folder)
	if err != nil {
		return nil, err
	}
	var mutants []*mutant
	for _, file := range gremlins.Files {
		for _, m := range file.Mutations {
			// Files of other systems, and of folders within, are not built here.
			if source := loaded.sources[path.Join(folder, file.Name)]; source != nil {
				m.file = source.name
				mutants = append(mutants, &m)
			}
		}
	}
	mutants, err = loaded.compiling(mutants)
	if err != nil {
		return nil, err
	}
	outcomes, err := loaded.run(mutants, workers)
	if err != nil {
		return nil, err
	}
	s := &score{}
	for i, m := range mutants {
		entry := loaded.entry(m)
		_, isListed := listed[entry]
		switch {
		case outcomes[i] == noticed:
			s.noticed++
		case outcomes[i] == endless:
			s.endless++
		case isListed:
			listed[entry] = true
			s.listed++
		default:
			s.survived++
			log.Printf("not noticed: %s:%d:%d\t%s\t%s", m.file, m.Line, m.Column, m.Type, entry.line)
		}
	}
	s.took = time.Since(start)
	return s, nil
}
