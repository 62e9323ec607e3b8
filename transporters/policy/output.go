package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonschema"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How output is validated. The policy learns the outputSchema of each tool from
// the tools/list results that pass through it, and checks the structuredContent
// of tools/call results against it (R149). It asks for nothing itself: a tool
// that was never listed is not checked, and costs one look-up. A schema is
// compiled when a result is first checked against it.

// The values of the output_validation key.
const (
	OutputStrict = "strict"
	OutputWarn   = "warn"
	OutputOff    = "off"
)

// OutputConfig says what becomes of structured output that does not fit the
// outputSchema of its tool.
type OutputConfig struct {
	// Validation is strict, warn or off; empty is warn.
	//
	// warn logs a warning, once for each tool and reason, and passes the result
	// on. strict fails the call with ErrProtocol, kind KindProtocol, delivery
	// DeliveryAnswered: the tool has run. A call of a tool whose schema cannot
	// be used is then not made at all (R036), delivery DeliveryNotSent.
	Validation string `config:"output_validation" default:"warn" values:"strict,warn,off" doc:"structured output against the tool's outputSchema: strict (the call fails), warn or off"`
}

// Check returns a fault for a value that is not allowed. section gives it its
// place.
func (c OutputConfig) Check(section *config.Section) []errors.Fault {
	allowed := []string{OutputStrict, OutputWarn, OutputOff}
	if c.Validation == "" || slices.Contains(allowed, c.Validation) {
		return nil
	}
	fault := section.Fault("output_validation", "not one of the allowed values")
	fault.Found = errors.PeerText(c.Validation, maxShown)
	fault.Allowed = strings.Join(allowed, ", ")
	fault.Nearest = config.Nearest(c.Validation, allowed)
	return []errors.Fault{fault}
}

// validator is a compiled schema. The error says where and how the content does
// not fit.
type validator interface {
	Validate(content []byte) error
}

// compileSchema makes a validator of an outputSchema.
func compileSchema(schema []byte) (validator, error) { return jsonschema.Compile(schema) }

// Output returns the policy that validates structured output. Not checked are
// tools that this principal never listed, results with isError or that are not
// complete, and results of tasks that were picked up by their id. A change of a
// schema becomes known when the tools are listed again.
//
// The schemas are those of the catalogue; nil is one of the policy's own, for the
// principal of the call's options.
func Output(server string, cfg OutputConfig, logger hclog.Logger, catalogue *ToolCatalogue) transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		if cfg.Validation == OutputOff {
			return next
		}
		if logger == nil {
			logger = hclog.NewNullLogger()
		}
		if catalogue == nil {
			catalogue = NewToolCatalogue(server, logger, nil)
		}
		return &output{server: server, isStrict: cfg.Validation == OutputStrict, log: logger, next: next, catalogue: catalogue}
	}
}

type output struct {
	server    string
	isStrict  bool
	log       hclog.Logger
	next      transporters.Transporter
	catalogue *ToolCatalogue
	warned    warned
}

// Request learns from lists and checks the results of tools.
func (o *output) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	switch action {
	case mcp.MethodListTools:
		return o.catalogue.list(ctx, o.next, params, onEvent)
	case mcp.MethodCallTool:
		if o.catalogue.tools.isEmpty() {
			return o.next.Request(ctx, action, params, onEvent)
		}
		return o.call(ctx, params, onEvent)
	default:
		return o.next.Request(ctx, action, params, onEvent)
	}
}

func (o *output) call(ctx context.Context, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, unencodable(o.server, mcp.MethodCallTool, err)
	}
	tool := encoded.Name()
	schema := o.catalogue.find(ctx, tool).schema
	if schema == nil {
		return o.next.Request(ctx, mcp.MethodCallTool, encoded, onEvent)
	}
	if o.isStrict {
		if _, err := schema.validator(); err != nil {
			return mcp.Result{}, o.failure(errors.DeliveryNotSent, describeUnusable(tool, err))
		}
	}
	result, err := o.next.Request(ctx, mcp.MethodCallTool, encoded, onEvent)
	if err != nil {
		return result, err
	}
	problem, rule := o.judge(tool, schema, result)
	switch {
	case problem == "":
		return result, nil
	case o.isStrict:
		return mcp.Result{}, o.failure(errors.DeliveryAnswered, problem)
	}
	if o.warned.first(tool, rule) {
		o.log.Warn("the result of a tool is not what its outputSchema says", "server", o.server, "problem", problem)
	}
	return result, nil
}

// judge says what is wrong with a result, and which rule that breaks; both are
// empty if nothing is.
func (o *output) judge(tool string, schema *outputSchema, result mcp.Result) (problem, rule string) {
	if result.Type() != mcp.ResultComplete {
		return "", ""
	}
	parsed, err := mcp.ParseCallToolResult(result)
	if err != nil || parsed.IsError {
		return "", "" // the caller finds what it cannot parse itself
	}
	usable, err := schema.validator()
	if err != nil {
		return describeUnusable(tool, err), "unusable"
	}
	content, found := parsed.Structured()
	if !found {
		return fmt.Sprintf(`tool "%s" has an outputSchema, but its result has no structuredContent`, errors.PeerText(tool, maxShown)), "absent"
	}
	if err := usable.Validate(content); err != nil {
		problem = fmt.Sprintf(`the structuredContent of tool "%s" does not fit its outputSchema: %s`, errors.PeerText(tool, maxShown), err)
		return problem, ruleOf(err)
	}
	return "", ""
}

// ruleOf is what stays the same when the same rule is broken elsewhere in the
// content.
func ruleOf(err error) string {
	if violation, ok := errors.AsType[*jsonschema.Violation](err); ok {
		return violation.SchemaPlace + "/" + violation.Keyword
	}
	return err.Error()
}

func describeUnusable(tool string, err error) string {
	return fmt.Sprintf(`the outputSchema of tool "%s" cannot be used: %s`, errors.PeerText(tool, maxShown), err)
}

func (o *output) failure(delivery errors.Delivery, problem string) error {
	return &errors.TransporterRequestError{
		Server: o.server, Action: mcp.MethodCallTool, Kind: errors.KindProtocol, Delivery: delivery,
		Message: problem, Err: errors.ErrProtocol,
	}
}
