package referee

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Play carries out one run and judges it.
func (s Suite) Play(ctx context.Context, run Run) Outcome {
	outcome := Outcome{Run: run}
	results := filepath.Join(s.Results, run.Revision, filepath.FromSlash(run.Scenario))
	if err := prepare(results); err != nil {
		outcome.Problem = err.Error()
		return outcome
	}
	arguments := []string{
		"client", "--verbose",
		"--command", s.Client,
		"--scenario", run.Scenario,
		"--timeout", strconv.FormatInt(s.Timeout.Milliseconds(), 10),
		"--output-dir", results,
	}
	if run.Revision != Extension {
		arguments = append(arguments, "--spec-version", run.Revision)
	}
	// The suite ends the client; this bound is for a suite that hangs itself.
	ctx, cancel := context.WithTimeout(ctx, s.Timeout+30*time.Second)
	defer cancel()
	var checks, log bytes.Buffer
	command := s.command(ctx, arguments...)
	command.Stdout, command.Stderr = &checks, &log
	err := command.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	outcome.judge(checks.Bytes(), log.String(), err)
	if err := os.WriteFile(filepath.Join(results, "suite.log"), log.Bytes(), 0o644); err != nil && outcome.Problem == "" {
		outcome.Problem = err.Error()
	}
	return outcome
}

// prepare makes an empty folder.
func prepare(directory string) error {
	if err := os.RemoveAll(directory); err != nil {
		return err
	}
	return os.MkdirAll(directory, 0o755)
}

// Outcome is what became of one run.
type Outcome struct {
	Run
	// Success, Failure, Warning and Skipped count the suite's checks.
	Success, Failure, Warning, Skipped int
	// ClientExit is the client's exit status.
	ClientExit int
	// Problem says why the run did not pass; empty: it passed.
	Problem string
}

// Passed reports whether the run passed.
func (o Outcome) Passed() bool { return o.Problem == "" }

// check is one verdict of the suite.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	Description  string `json:"description"`
	ErrorMessage string `json:"errorMessage"`
}

// judge fills the outcome from the checks and the log that the suite wrote,
// and from the error of its process. Everything is looked at, whatever the
// suite's exit status says; that is the last word nevertheless, since it alone
// tells whether a client that failed was allowed to in this scenario.
func (o *Outcome) judge(written []byte, log string, processError error) {
	var checks []check
	unreadable := json.Unmarshal(written, &checks)
	o.count(checks)
	o.ClientExit = clientExit(log)
	var problems []string
	if first := firstProblem(checks); first != nil {
		problems = append(problems, fmt.Sprintf("%s and %s, first %s: %s",
			count(o.Failure, "failure"), count(o.Warning, "warning"),
			errors.PeerText(first.ID, 80), errors.PeerText(first.message(), 160)))
	}
	switch {
	case strings.Contains(log, "Client timed out after"):
		problems = append(problems, "the client timed out")
	case unreadable != nil:
		problems = append(problems, "the suite wrote no checks: "+errors.PeerText(lastLine(log), 200))
	case o.Success == 0:
		problems = append(problems, "no check succeeded")
	}
	if processError != nil && o.ClientExit != 0 {
		problems = append(problems, fmt.Sprintf("the client exited with %d", o.ClientExit))
	} else if processError != nil && len(problems) == 0 {
		problems = append(problems, "the suite: "+processError.Error())
	}
	o.Problem = strings.Join(problems, "; ")
}

func (o *Outcome) count(checks []check) {
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			o.Success++
		case "FAILURE":
			o.Failure++
		case "WARNING":
			o.Warning++
		case "SKIPPED":
			o.Skipped++
		}
	}
}

// firstProblem returns the first check that did not pass, failures before
// warnings, or nil.
func firstProblem(checks []check) *check {
	for _, status := range []string{"FAILURE", "WARNING"} {
		for i := range checks {
			if checks[i].Status == status {
				return &checks[i]
			}
		}
	}
	return nil
}

func (c *check) message() string {
	if c.ErrorMessage != "" {
		return c.ErrorMessage
	}
	return c.Description
}

// count is "1 check", "2 checks".
func count(number int, of string) string {
	if number != 1 {
		of += "s"
	}
	return fmt.Sprintf("%d %s", number, of)
}

// clientExit finds the client's exit status in the suite's log, which tells it
// only if it is not 0.
func clientExit(log string) int {
	_, after, found := strings.Cut(log, "Client exited with code ")
	if !found {
		return 0
	}
	number, _, _ := strings.Cut(after, "\n")
	status, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return -1
	}
	return status
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
