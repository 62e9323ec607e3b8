// Command mutate finishes what gremlins began. Gremlins changes the code, one
// operator at a time, and looks whether a test fails. It takes the conditions of
// switch cases, and constants, for code that no test reaches, and a slow machine
// for a loop without end. This command makes those changes again, runs the tests,
// and judges: a change that no test notices must be listed with the reason.
//
//	mutate -accepted FILE [-floor PERCENT] [-markdown FILE] FOLDER=RESULT.json ...
//
// The results are what `gremlins unleash FOLDER --output RESULT.json` wrote, in the
// root of the module, where this runs too. It ends with "N passed, N failed": changes
// noticed or listed, and changes that are neither.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path"
	"slices"
	"strings"
)

// result is what gremlins writes.
type result struct {
	Files []struct {
		Name      string   `json:"file_name"`
		Mutations []mutant `json:"mutations"`
	} `json:"files"`
}

// mutant is one change.
type mutant struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	Line   int    `json:"line"`
	Column int    `json:"column"`

	file string
}

// score is that of one package.
type score struct{ killed, survived, listed int }

func main() {
	log.SetFlags(0)
	acceptedFile := flag.String("accepted", "", "the list of changes that no test can notice, with reasons")
	floor := flag.Int("floor", 100, "percent of the changes that must be noticed, of those not listed")
	markdown := flag.String("markdown", "", "write a table there")
	flag.Parse()
	listed, err := readAccepted(*acceptedFile)
	if err != nil {
		log.Fatal(err)
	}
	scores := map[string]*score{}
	for _, name := range flag.Args() {
		if err := judge(name, listed, scores); err != nil {
			log.Fatal(err)
		}
	}
	passed, failed, below := 0, 0, false
	var table strings.Builder
	table.WriteString("| package | changes | noticed by a test | listed with a reason | not noticed |\n|---|---|---|---|---|\n")
	for _, folder := range slices.Sorted(keys(scores)) {
		s := scores[folder]
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", folder, s.killed+s.survived+s.listed, s.killed, s.listed, s.survived)
		passed, failed = passed+s.killed+s.listed, failed+s.survived
		below = below || s.killed*100 < *floor*(s.killed+s.survived)
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

func keys(scores map[string]*score) func(func(string) bool) {
	return func(yield func(string) bool) {
		for folder := range scores {
			if !yield(folder) {
				return
			}
		}
	}
}

// judge looks at the mutants of one result, and makes those again that gremlins
// did not see noticed.
func judge(argument string, listed map[accepted]bool, scores map[string]*score) error {
	root, name, found := strings.Cut(argument, "=")
	if !found {
		return fmt.Errorf("%s: want FOLDER=RESULT.json", argument)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var gremlins result
	if err := json.Unmarshal(text, &gremlins); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, file := range gremlins.Files {
		file.Name = path.Join(root, file.Name)
		folder := path.Dir(file.Name)
		if scores[folder] == nil {
			scores[folder] = &score{}
		}
		for _, m := range file.Mutations {
			m.file = file.Name
			entry, err := m.entry()
			if err != nil {
				return err
			}
			_, isListed := listed[entry]
			noticed := m.Status == "KILLED"
			if !noticed {
				if noticed, err = m.isNoticed(); err != nil {
					return err
				}
			}
			switch {
			case noticed:
				scores[folder].killed++
			case isListed:
				listed[entry] = true
				scores[folder].listed++
			default:
				scores[folder].survived++
				log.Printf("not noticed: %s:%d:%d\t%s\t%s", m.file, m.Line, m.Column, m.Type, entry.line)
			}
		}
	}
	return nil
}
