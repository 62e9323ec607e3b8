// Command spotcheck breaks what holds a requirement, and looks whether the test that
// says so fails. The list, chosen by chance, is list.txt beside this file, which also
// tells its form. The files stay as they are: the broken ones are laid over them for
// one run of the test.
//
//	spotcheck -list FILE [-coverage FILE] [-markdown FILE]
//
// It runs in the root of the module, and ends with "N passed, N failed": breaks that
// the test noticed, and others. A test that fails without the break proves nothing and
// counts as failed; so does one that the coverage page does not name.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	list := flag.String("list", "", "what to break")
	coverage := flag.String("coverage", "docs/coverage.md", "the page that names the tests of each requirement")
	markdown := flag.String("markdown", "", "write a table there")
	flag.Parse()
	breaks, err := readList(*list)
	if err != nil {
		log.Fatal(err)
	}
	page, err := os.ReadFile(*coverage)
	if err != nil {
		log.Fatal(err)
	}
	passed, failed := 0, 0
	sound := map[test]error{}
	var table strings.Builder
	table.WriteString("| requirement | what was broken | where | the test | noticed |\n|---|---|---|---|---|\n")
	for _, b := range breaks {
		if _, known := sound[b.test]; !known {
			sound[b.test] = b.test.passes("")
		}
		err := sound[b.test]
		if err == nil {
			err = b.isNamed(string(page))
		}
		if err == nil {
			err = b.isNoticed()
		}
		verdict := "yes"
		if err == nil {
			passed++
		} else {
			failed++
			verdict = "NO"
			log.Printf("%s: %v", b.requirement, err)
		}
		fmt.Fprintf(&table, "| %s | %s | %s | `%s` | %s |\n", b.requirement, b.what, b.file, b.test, verdict)
	}
	fmt.Print(table.String())
	if *markdown != "" {
		if err := os.WriteFile(*markdown, []byte(table.String()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
