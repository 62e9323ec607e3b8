package config

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Input is what a person is asked for: the value of ${input:id}. The top-level key
// inputs declares them by their ids.
type Input struct {
	// ID is what stands in the reference.
	ID string
	// Server is the server whose section has the reference; empty for a value
	// outside any server.
	Server string
	// Description is the question; may be empty.
	Description string `config:"description" doc:"what to ask the user"`
	// Password reports that the answer is a secret, not to be shown while it is
	// typed.
	Password bool `config:"password" doc:"the answer is a secret"`
	// Default is the answer of a user who gives none; may be empty.
	Default string `config:"default" doc:"what an empty answer means"`
	// Options are the answers to choose from; any answer is right if there are
	// none.
	Options []string `config:"options" doc:"the answers to choose from"`
}

// inputs are the declared inputs, who answers, and what was answered.
type inputs struct {
	declared map[string]Input
	ids      []string // in the order of the file
	answer   func(Input) (string, error)

	mu    sync.Mutex
	given map[inputKey]*answer
}

// inputKey tells whose input it is: different servers may be given different
// answers.
type inputKey struct{ server, id string }

// answer is one question that was put, or is being put.
type answer struct {
	done chan struct{} // closed when text and err are set
	text string
	err  error
}

// ask gets the value of an input, from the one who was asked before, or by asking.
// A question that failed is put again the next time.
func (c scope) ask(id string) (string, *problem) {
	if wrong := c.assumeInput(id); wrong != nil {
		return "", wrong
	}
	all, key := c.source.inputs, inputKey{c.server, id}
	all.mu.Lock()
	question, begun := all.given[key]
	if !begun {
		question = &answer{done: make(chan struct{})}
		all.given[key] = question
	}
	all.mu.Unlock()
	if begun {
		<-question.done
	} else {
		all.put(question, key)
	}
	if question.err != nil {
		return "", &problem{"${input:" + id + "}", "no answer: " + printable(question.err.Error()), ""}
	}
	return question.text, nil
}

// put asks, with no lock held.
func (all *inputs) put(question *answer, key inputKey) {
	question.err = errors.New("the question was given up")
	defer func() { // also if the callback panics: others wait
		if question.err != nil {
			all.mu.Lock()
			delete(all.given, key)
			all.mu.Unlock()
		}
		close(question.done)
	}()
	input := all.declared[key.id]
	input.ID, input.Server = key.id, key.server
	question.text, question.err = all.answer(input)
}

// recall is ask for those who must not disturb anybody: it gives what was answered
// before.
func (c scope) recall(id string) (string, *problem) {
	if wrong := c.assumeInput(id); wrong != nil {
		return "", wrong
	}
	all := c.source.inputs
	all.mu.Lock()
	question := all.given[inputKey{c.server, id}]
	all.mu.Unlock()
	if question == nil {
		return "", &problem{reference: "${input:" + id + "}", message: "not answered yet"}
	}
	select {
	case <-question.done:
	default:
		return "", &problem{reference: "${input:" + id + "}", message: "not answered yet"}
	}
	return question.text, nil
}

// trial is ask for those who only want to know whether it could be: its value is
// meaningless.
func (c scope) trial(id string) (string, *problem) { return "", c.assumeInput(id) }

// assumeInput returns why nobody can be asked for the input, nil if somebody can.
func (c scope) assumeInput(id string) *problem {
	reference := "${input:" + id + "}"
	var all *inputs
	if c.source != nil {
		all = c.source.inputs
	}
	switch {
	case all == nil || all.answer == nil:
		return &problem{reference, "there is nobody here who could be asked for input", "${VAR} or ${file:path} in its place"}
	case !slices.Contains(all.ids, id):
		return &problem{reference, "no input of this id is declared under inputs", strings.Join(all.ids, ", ")}
	}
	return nil
}

// isInputID reports whether text may be the id of an input: letters, digits and
// . _ -, at most 200 bytes.
func isInputID(text string) bool {
	return text != "" && len(text) <= 200 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// readInputs reads the top-level key inputs. It returns nil where there are none
// and nobody could be asked.
func readInputs(n *node, options Options) (*inputs, []errors.Fault) {
	if n == nil && options.Input == nil {
		return nil, nil
	}
	all := &inputs{declared: map[string]Input{}, answer: options.Input, given: map[inputKey]*answer{}}
	if n == nil || n.kind == kindNull {
		return all, nil
	}
	section := &Section{prefix: keyInputs, root: n, full: n, source: newSource(options, nil)}
	if n.kind != kindMap {
		fault := section.faultAt(n, "", "not a map")
		fault.Found, fault.Allowed = n.describe(), "a map of ids"
		return all, []errors.Fault{fault}
	}
	var faults []errors.Fault
	for _, id := range n.keys {
		at := n.fields[id]
		if !isInputID(id) {
			fault := section.faultAt(at, id, "this cannot be the id of an input")
			fault.Allowed = "letters, digits and . _ -"
			faults = append(faults, fault)
			continue
		}
		var input Input
		if at.kind != kindNull {
			group := &Section{prefix: joinKey(keyInputs, id), root: at, full: at, source: section.source}
			faults = append(faults, group.Decode(&input)...)
		}
		all.ids, all.declared[id] = append(all.ids, id), input
	}
	return all, faults
}
