package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// playAll plays the cases one after the other, so that none disturbs another's
// timing, and returns how many failed.
func playAll(ctx context.Context, s settings, stdout io.Writer) (failed int, err error) {
	paths, whole, err := casePaths(s.cases)
	if err != nil {
		return 0, err
	}
	known, err := loadKnown(s, paths)
	if err != nil {
		return 0, err
	}
	work, remove, err := workDirectory(s.keep)
	if err != nil {
		return 0, err
	}
	defer remove()
	programs, err := build(ctx, s, work, stdout)
	if err != nil {
		return 0, err
	}
	stage := stage{programs: programs, work: work, limit: s.limit}
	report := &report{stdout: stdout, verbose: s.verbose, known: known}
	for _, path := range paths {
		report.add(stage.play(ctx, path))
		if ctx.Err() != nil {
			return 0, errors.New("interrupted")
		}
	}
	if whole {
		report.checkKnown()
	}
	if s.markdown != "" {
		if err := os.WriteFile(s.markdown, []byte(report.markdown()), 0o644); err != nil {
			return 0, err
		}
	}
	fmt.Fprintln(stdout, report.summary())
	return report.failed, nil
}

// casePaths returns the absolute paths of all cases of a directory, in order of
// their names, or of the one case that is named; whole tells which.
func casePaths(cases string) (paths []string, whole bool, err error) {
	root, err := filepath.Abs(cases)
	if err != nil {
		return nil, false, err
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return []string{root}, false, nil
	}
	entries, err := os.ReadDir(root) // sorted by name
	if err != nil {
		return nil, false, err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".json" {
			paths = append(paths, filepath.Join(root, entry.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, false, fmt.Errorf("%s has no cases (*.json)", root)
	}
	return paths, true, nil
}

// workDirectory makes the directory for everything a run writes. remove takes it
// away again, unless it is to be kept.
func workDirectory(keep string) (directory string, remove func(), err error) {
	if keep != "" {
		directory, err = filepath.Abs(keep)
		if err != nil {
			return "", nil, err
		}
		return directory, func() {}, os.MkdirAll(directory, 0o755)
	}
	directory, err = os.MkdirTemp("", "field")
	return directory, func() { _ = os.RemoveAll(directory) }, err
}
