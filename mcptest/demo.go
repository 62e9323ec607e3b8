package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// NewDemoServer returns a server with a bit of everything:
//
//   - the tools echo{text}, add{a,b}, slow{ms,steps}, fail{message} and
//     log{level,message}
//   - the resources demo://greeting and demo://data.json, and the template
//     demo://items/{id}
//   - the prompt greet{name}, whose name can be completed
func NewDemoServer(options ...Option) *Server {
	about := mcp.ClientInfo()
	about.Name, about.Title = "demo", "Demo server"
	first := []Option{WithImplementation(about), WithInstructions("A server to try things out.")}
	s := NewServer(append(first, options...)...)
	s.addDemoTools()
	s.addDemoResources()
	s.addDemoPrompts()
	return s
}

func (s *Server) addDemoTools() {
	readOnly := true
	hints := &mcp.ToolAnnotations{ReadOnlyHint: &readOnly}
	s.AddTool(mcp.Tool{
		Name: "echo", Title: "Echo", Description: "Returns the text it was given.", Annotations: hints,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"What to return"}},"required":["text"]}`),
	}, echo)
	s.AddTool(mcp.Tool{
		Name: "add", Title: "Add", Description: "Adds two numbers.", Annotations: hints,
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`),
	}, add)
	s.AddTool(mcp.Tool{
		Name: "slow", Title: "Slow", Description: "Takes its time and reports progress.", Annotations: hints,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"ms":{"type":"integer","minimum":0,"default":1000,"description":"How long, in milliseconds"},"steps":{"type":"integer","minimum":1,"default":4,"description":"How many progress reports"}}}`),
	}, slow)
	s.AddTool(mcp.Tool{
		Name: "fail", Title: "Fail", Description: "Fails with the message it was given.", Annotations: hints,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"message":{"type":"string","default":"failed as asked"}}}`),
	}, fail)
	s.AddTool(mcp.Tool{
		Name: "log", Title: "Log", Description: "Sends a log message to the client.", Annotations: hints,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"level":{"type":"string","enum":["debug","info","notice","warning","error","critical","alert","emergency"],"default":"info"},"message":{"type":"string"}},"required":["message"]}`),
	}, logMessage)
}

func echo(_ context.Context, call *Call) (any, error) {
	var arguments struct {
		Text *string `json:"text"`
	}
	if err := call.Decode(&arguments); err != nil {
		return nil, err
	}
	if arguments.Text == nil {
		return nil, errors.New("text is required")
	}
	return *arguments.Text, nil
}

func add(_ context.Context, call *Call) (any, error) {
	var arguments struct{ A, B *float64 }
	if err := call.Decode(&arguments); err != nil {
		return nil, err
	}
	if arguments.A == nil || arguments.B == nil {
		return nil, errors.New("a and b are required")
	}
	return map[string]float64{"sum": *arguments.A + *arguments.B}, nil
}

// slowLimit bounds what the slow tool may be asked for.
const slowLimit = 10 * time.Minute

func slow(ctx context.Context, call *Call) (any, error) {
	arguments := struct{ Ms, Steps int64 }{1000, 4}
	if err := call.Decode(&arguments); err != nil {
		return nil, err
	}
	if arguments.Ms < 0 || arguments.Ms > slowLimit.Milliseconds() || arguments.Steps < 1 || arguments.Steps > 10_000 {
		return nil, fmt.Errorf("ms must be 0 to %d and steps 1 to 10000", slowLimit.Milliseconds())
	}
	step := time.Duration(arguments.Ms) * time.Millisecond / time.Duration(arguments.Steps)
	timer := time.NewTimer(step)
	defer timer.Stop()
	for done := int64(1); done <= arguments.Steps; done++ {
		select {
		case <-timer.C:
			timer.Reset(step)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		call.Progress(float64(done), float64(arguments.Steps), fmt.Sprintf("step %d of %d", done, arguments.Steps))
	}
	return fmt.Sprintf("took %d ms in %d steps", arguments.Ms, arguments.Steps), nil
}

func fail(_ context.Context, call *Call) (any, error) {
	arguments := struct{ Message string }{"failed as asked"}
	if err := call.Decode(&arguments); err != nil {
		return nil, err
	}
	return nil, errors.New(arguments.Message)
}

func logMessage(_ context.Context, call *Call) (any, error) {
	arguments := struct{ Level, Message string }{Level: "info"}
	if err := call.Decode(&arguments); err != nil {
		return nil, err
	}
	if severity(arguments.Level) < 0 {
		return nil, fmt.Errorf("unknown level %q", arguments.Level)
	}
	call.Log(arguments.Level, arguments.Message)
	return "logged", nil
}

func (s *Server) addDemoResources() {
	s.AddResource(mcp.Resource{
		URI: "demo://greeting", Name: "greeting", Title: "Greeting", MIMEType: "text/plain",
	}, func(context.Context, string) (any, error) { return "Hello from the demo server.\n", nil })
	s.AddResource(mcp.Resource{
		URI: "demo://data.json", Name: "data", Title: "Data", MIMEType: "application/json",
	}, func(context.Context, string) (any, error) {
		return `{"planets":["Mercury","Venus","Earth","Mars"]}`, nil
	})
	s.AddResourceTemplate(mcp.ResourceTemplate{
		URITemplate: "demo://items/{id}", Name: "item", Title: "Item", MIMEType: "text/plain",
	}, func(_ context.Context, uri string) (any, error) {
		return "Item " + strings.TrimPrefix(uri, "demo://items/"), nil
	})
}

func (s *Server) addDemoPrompts() {
	s.AddPrompt(mcp.Prompt{
		Name: "greet", Title: "Greet", Description: "Asks for a greeting.",
		Arguments: []mcp.PromptArgument{{Name: "name", Description: "Whom to greet", Required: true}},
	}, func(_ context.Context, arguments map[string]string) (any, error) {
		name, ok := arguments["name"]
		if !ok {
			return nil, &mcp.Error{Code: mcp.CodeInvalidParams, Message: "name is required"}
		}
		return "Please greet " + name + " in one sentence.", nil
	})
	s.AddCompletion("greet", "name", func(_ context.Context, typed string) ([]string, error) {
		var names []string
		for _, name := range [...]string{"Ada", "Alan", "Barbara", "Edsger", "Grace"} {
			if strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed)) {
				names = append(names, name)
			}
		}
		return names, nil
	})
}
