package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A run leaves its measurements and what it was in the folder of results, so that
// the page can be written again, with other reasons, without measuring again.
const (
	recordsName  = "records.jsonl"
	partialName  = "partial.jsonl" // of some cells or clients only
	runName      = "run.json"
	policiesName = "policies.txt" // left by bench.sh
	profilesName = "profiles"
)

// ran is what a run was.
type ran struct {
	Command string    `json:"command"`
	Machine string    `json:"machine"`
	Peers   string    `json:"peers"`
	Date    time.Time `json:"date"`
	Seconds float64   `json:"seconds"`
	Full    bool      `json:"full"`
}

// describe says what this run was.
func (s *suite) describe(ctx context.Context) (ran, error) {
	peers, err := describePeers(ctx)
	return ran{s.command, describeMachine(), peers, s.started, time.Since(s.started).Seconds(), s.full}, err
}

func (s *suite) writeRun(r ran) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.results, runName), text, 0o644)
}

// newReport is the report of a run.
func (s *suite) newReport(r ran, records []record) (*report, error) {
	reasons, err := readReasons(reasonsFile)
	if err != nil {
		return nil, err
	}
	targets, err := readTargets(targetsFile)
	if err != nil {
		return nil, err
	}
	return &report{
		command: r.Command, machine: r.Machine, peers: r.Peers, date: r.Date, duration: time.Duration(r.Seconds * float64(time.Second)),
		cells: s.allCells(), results: records, reasons: reasons, targets: targets,
	}, nil
}

// load is the report of the last run.
func (s *suite) load() (*report, error) {
	text, err := os.ReadFile(filepath.Join(s.results, runName))
	if err != nil {
		return nil, fmt.Errorf("nothing was measured that a page could be written of: %w", err)
	}
	var r ran
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", runName, err)
	}
	s.full, s.plan = r.Full, planOf(r.Full)
	records, err := readRecords(filepath.Join(s.results, recordsName))
	if err != nil {
		return nil, err
	}
	loaded, err := s.newReport(r, records)
	if err != nil {
		return nil, err
	}
	policies, err := os.ReadFile(filepath.Join(s.results, policiesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	loaded.policies = string(policies)
	return loaded, nil
}

func readRecords(name string) ([]record, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var records []record
	decoder := json.NewDecoder(bufio.NewReader(file))
	for decoder.More() {
		var next record
		if err := decoder.Decode(&next); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		records = append(records, next)
	}
	return records, nil
}

// render writes the page of the last run, its pictures and its profiles.
func (s *suite) render() error {
	r, err := s.load()
	if err != nil {
		return err
	}
	folder := strings.TrimSuffix(s.page, filepath.Ext(s.page))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var page, profiles strings.Builder
	if err := r.page(&page); err != nil {
		return err
	}
	if err := os.WriteFile(s.page, []byte(page.String()), 0o644); err != nil {
		return err
	}
	if !s.full {
		return nil
	}
	if err := r.profilesPage(&profiles, filepath.Join(s.results, profilesName)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "profiles.md"), []byte(profiles.String()), 0o644); err != nil {
		return err
	}
	return r.pictures(folder)
}

// profileUnreached takes profiles of the product in the cells of the last run
// whose targets are not reached.
func (s *suite) profileUnreached(ctx context.Context) error {
	r, err := s.load()
	if err != nil {
		return err
	}
	folder := filepath.Join(s.results, profilesName)
	if err := os.RemoveAll(folder); err != nil { // of another run
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range r.unreachedCells() {
		for _, c := range r.cells {
			if c.name != name {
				continue
			}
			if err := s.profileOne(ctx, &c, product, folder); err != nil {
				return err
			}
		}
	}
	return nil
}
