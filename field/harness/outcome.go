package main

import (
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/field"
)

// answer is what one turn of an action brought.
type answer struct {
	result json.RawMessage
	// toolError: the tool said that it failed. That is a result.
	toolError bool
	// note says what was not done as the case asks.
	note string
}

// report writes an outcome as one line, in one write.
func report(file *os.File, outcome field.Outcome) error {
	line, err := json.Marshal(outcome)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return err
}

// carryOut does an action, as often as the case says, and sums up: it is ok if
// every turn was, tells the first failure and the last result.
func (h *harness) carryOut(action field.Action) field.Outcome {
	do, known := actions()[action.Do]
	if !known {
		do = notSupported("the harness knows no action " + action.Do)
	}
	turns := max(action.Times, 1)
	answers, failures := make([]answer, turns), make([]error, turns)
	begun := time.Now()
	turn := func(i int) { answers[i], failures[i] = do(h, expand(action, i+1)) }
	var running sync.WaitGroup
	for i := range turns {
		if action.Parallel {
			running.Go(func() { turn(i) })
		} else {
			turn(i)
		}
	}
	running.Wait()
	outcome := field.Outcome{Step: action.Step, OK: true, ElapsedMS: time.Since(begun).Milliseconds()}
	for i, failure := range failures {
		summarize(&outcome, answers[i], failure)
	}
	return outcome
}

func summarize(outcome *field.Outcome, a answer, failure error) {
	if a.note != "" {
		outcome.Note = a.note
	}
	switch {
	case failure != nil && outcome.OK:
		outcome.OK, outcome.Kind, outcome.Message, outcome.Result = false, kindOf(failure), failure.Error(), nil
	case !outcome.OK, failure != nil:
		// the first failure is the one that is told
	default:
		outcome.Result = a.result
		if a.toolError {
			outcome.Kind = kindToolError
		}
	}
}
