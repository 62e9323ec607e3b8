package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/field"
)

// stage is where cases are played.
type stage struct {
	programs programs
	work     string
	limit    time.Duration
}

// scene is one case being played: where its files are, and what runs.
type scene struct {
	scenario *field.Case
	casePath string
	// directory holds all that follows.
	directory string
	// log is written by the player, outcome by the harness.
	log, outcome string
	// files is where the case's own files are.
	files string
	// url is where the player listens, if it does.
	url string
}

// play plays one case and judges it.
func (s stage) play(ctx context.Context, path string) verdict {
	scenario, err := field.Load(path)
	if err != nil {
		return verdict{id: strings.TrimSuffix(filepath.Base(path), ".json"), status: failed, faults: []string{err.Error()}}
	}
	v := verdict{id: scenario.ID, title: scenario.Title, transport: scenario.Transport}
	if need := missing(scenario); need != "" {
		v.status = notApplying
		v.notes = append(v.notes, "needs "+need+", which the product does not have")
		return v
	}
	if err := s.enact(ctx, scenario, path, &v); err != nil {
		v.faults = append(v.faults, err.Error())
	}
	v.status = passed
	if len(v.faults)+len(v.shortcomings) > 0 {
		v.status = failed
	}
	return v
}

// enact runs player and harness, and then the player's check. An error means
// that the case could not be played.
func (s stage) enact(ctx context.Context, scenario *field.Case, path string, v *verdict) error {
	sc, err := s.prepare(scenario, path)
	if err != nil {
		return err
	}
	if sc.needsListener() {
		player, err := startPlayer(ctx, s.programs.player, sc)
		if err != nil {
			return err
		}
		defer func() {
			if err := player.stop(); err != nil {
				v.faults = append(v.faults, err.Error())
			}
		}()
		sc.url = player.url
	}
	if scenario.Transport == field.TransportConfig {
		if err := writeFiles(ctx, s.programs.player, sc); err != nil {
			return err
		}
	}
	faults, err := s.runHarness(ctx, sc)
	if err != nil {
		return err
	}
	v.faults = append(v.faults, faults...)
	v.notes = append(v.notes, outcomeNotes(sc.outcome)...)
	return check(ctx, s.programs.player, sc, v)
}

// prepare makes the case's directory, with an empty log and no outcomes.
func (s stage) prepare(scenario *field.Case, path string) (*scene, error) {
	directory := filepath.Join(s.work, strings.TrimSuffix(filepath.Base(path), ".json"))
	sc := &scene{
		scenario: scenario, casePath: path, directory: directory,
		log:     filepath.Join(directory, "log"),
		outcome: filepath.Join(directory, "outcome"),
		files:   filepath.Join(directory, "files"),
	}
	if err := os.RemoveAll(directory); err != nil { // of a run before this one
		return nil, err
	}
	if err := os.MkdirAll(sc.files, 0o755); err != nil {
		return nil, err
	}
	for _, empty := range []string{sc.log, sc.outcome} {
		if err := os.WriteFile(empty, nil, 0o644); err != nil {
			return nil, err
		}
	}
	return sc, nil
}

// needsListener says whether the player has to listen for HTTP.
func (sc *scene) needsListener() bool {
	if sc.scenario.Transport == field.TransportHTTP {
		return true
	}
	for _, text := range sc.scenario.Files {
		if strings.Contains(text, "{{URL}}") {
			return true
		}
	}
	return false
}

// outcomeNotes returns what the harness noted beside its outcomes.
func outcomeNotes(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil // the player's check will say so
	}
	var notes []string
	for line := range bytes.Lines(text) {
		var outcome field.Outcome
		if json.Unmarshal(line, &outcome) == nil && outcome.Note != "" {
			notes = append(notes, fmt.Sprintf("step %d: %s", outcome.Step, outcome.Note))
		}
	}
	return notes
}
