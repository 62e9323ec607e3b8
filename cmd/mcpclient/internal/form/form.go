package form

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Form has the user fill in a form, field by field, look at the answers, and send
// them or not. Each value is checked when it is typed (R197).
func (a *Asker) Form(ctx context.Context, server string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return a.converse(ctx, func() (*mcp.ElicitResult, error) {
		a.introduce(server, "", request.Message)
		a.say(terminal.Dim, "  It is sent to that server: passwords and the like do not belong here.")
		fields := fieldsOf(request.RequestedSchema)
		if len(fields) == 0 {
			_, err := a.consent(ctx, "Do you agree? yes, no (decline), cancel: ", "")
			return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: json.RawMessage("{}")}, err
		}
		if _, err := a.consent(ctx, "Do you want to answer? [yes], no (decline), cancel: ", "yes"); err != nil {
			return nil, err
		}
		answers := make([]json.RawMessage, len(fields)) // nil: left out
		for i, f := range fields {
			answers[i] = f.fallback
		}
		for {
			for i, f := range fields {
				value, err := a.field(ctx, f, answers[i])
				if err != nil {
					return nil, err
				}
				answers[i] = value
			}
			a.review(fields, answers)
			next, err := a.consent(ctx, "Send this? [yes], edit, no (decline), cancel: ", "yes", "edit")
			if err != nil {
				return nil, err
			}
			if next == "yes" {
				return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: contentOf(fields, answers)}, nil
			}
		}
	})
}

// field asks for one value until it is right. An empty line takes what is there;
// a hyphen leaves out what may be left out.
func (a *Asker) field(ctx context.Context, f field, current json.RawMessage) (json.RawMessage, error) {
	a.say(terminal.Plain, "")
	a.say(terminal.Bold, f.label()+a.out.Paint(terminal.Dim, f.note()))
	if f.description != "" {
		a.say(terminal.Plain, indent(terminal.Escape(bounded(f.description))))
	}
	for i, c := range f.choices {
		title := ""
		if c.title != "" && c.title != c.value {
			title = " (" + word(c.title) + ")"
		}
		a.say(terminal.Plain, fmt.Sprintf("  %s) %s%s", ordinal(i), word(c.value), title))
	}
	prompt := "> "
	if current != nil {
		prompt = "[" + shown(current) + "] > "
	}
	for {
		line, err := a.prompt(ctx, prompt)
		if err != nil {
			return nil, err
		}
		value := current
		switch {
		case line == "-" && f.canBeLeftOut():
			return nil, nil
		case line == "" && current == nil && !f.required:
			return nil, nil
		case line == "" && current == nil:
			a.say(terminal.Yellow, "  it is required")
			continue
		case line != "":
			value = f.encode(line)
		}
		if err := f.check(value); err != nil {
			reason := strings.TrimPrefix(err.Error(), "elicitation content: ")
			a.say(terminal.Yellow, "  "+terminal.Escape(strings.ReplaceAll(reason, "\n", "; ")))
			continue
		}
		return value, nil
	}
}

// note says what is wanted of a value.
func (f field) note() string {
	notes := []string{}
	switch {
	case f.kind == "array":
		notes = append(notes, "several, with commas between")
	case f.kind == "boolean":
		notes = append(notes, "yes or no")
	case len(f.choices) > 0:
		notes = append(notes, "one of these")
	case f.kind != "":
		notes = append(notes, word(f.kind))
	}
	if f.canBeLeftOut() {
		notes = append(notes, "optional, - leaves it out")
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// canBeLeftOut: the server does without it, and no default would take its place
// (R196).
func (f field) canBeLeftOut() bool { return !f.required && f.fallback == nil }

// review shows all answers (R195).
func (a *Asker) review(fields []field, answers []json.RawMessage) {
	a.say(terminal.Plain, "")
	for i, f := range fields {
		value := a.out.Paint(terminal.Dim, "(left out)")
		if answers[i] != nil {
			value = shown(answers[i])
		}
		a.say(terminal.Plain, "  "+f.label()+": "+value)
	}
}

func contentOf(fields []field, answers []json.RawMessage) json.RawMessage {
	content := map[string]json.RawMessage{}
	for i, f := range fields {
		if answers[i] != nil {
			content[f.name] = answers[i]
		}
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return json.RawMessage("{}") // unreachable: every answer was checked
	}
	return encoded
}

// shown is a value as it would be typed.
func shown(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return word(text)
	}
	var texts []string
	if json.Unmarshal(value, &texts) == nil {
		return word(strings.Join(texts, ", "))
	}
	return word(string(value))
}

func ordinal(i int) string { return strconv.Itoa(i + 1) }
