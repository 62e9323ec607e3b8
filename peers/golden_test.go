package peers

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/peers/wire"
)

// schemas is where the specification's own data is, beside a checkout.
const schemas = "../../shared/schemas"

// examples returns the folder of the specification's example messages. Where it
// is not there the test is skipped, by name; with REQUIRE_ALL it fails.
func examples(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(schemas, "2026-07-28", "examples")
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	missing := "the specification's examples are not there: " + folder
	if os.Getenv("REQUIRE_ALL") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// codecs returns, for each type of the specification that package mcp has, a
// value to decode into. A request is decoded by its params and a response by its
// result, so that those two endings are not listed.
func codecs() map[string]func() any {
	content := func() any { return new(mcp.Content) }
	contents := func() any { return new(mcp.ResourceContents) }
	failure := func() any { return new(mcp.Error) }
	filter := func() any { return new(mcp.SubscriptionFilter) }
	return map[string]func() any{
		"AudioContent": content, "EmbeddedResource": content, "ImageContent": content, "ResourceLink": content,
		"TextContent": content, "ToolResultContent": content, "ToolUseContent": content,
		"BlobResourceContents": contents, "TextResourceContents": contents,
		"CallToolResult":              func() any { return new(mcp.CallToolResult) },
		"ClientCapabilities":          func() any { return new(mcp.ClientCapabilities) },
		"CompleteRequestParams":       func() any { return new(mcp.CompleteParams) },
		"CompleteResult":              func() any { return new(mcp.CompleteResult) },
		"CreateMessageRequestParams":  func() any { return new(mcp.CreateMessageRequest) },
		"CreateMessageResult":         func() any { return new(mcp.CreateMessageResult) },
		"DiscoverResult":              func() any { return new(mcp.DiscoverResult) },
		"ElicitRequestFormParams":     func() any { return new(mcp.ElicitRequest) },
		"ElicitRequestURLParams":      func() any { return new(mcp.ElicitRequest) },
		"ElicitResult":                func() any { return new(mcp.ElicitResult) },
		"GetPromptResult":             func() any { return new(mcp.GetPromptResult) },
		"InputRequests":               func() any { return new(mcp.InputRequests) },
		"InputRequiredResult":         func() any { return new(mcp.InputRequiredResult) },
		"InputResponses":              func() any { return new(mcp.InputResponses) },
		"ListPromptsResult":           func() any { return new(mcp.ListPromptsResult) },
		"ListResourcesResult":         func() any { return new(mcp.ListResourcesResult) },
		"ListResourceTemplatesResult": func() any { return new(mcp.ListResourceTemplatesResult) },
		"ListRootsResult":             func() any { return new(mcp.ListRootsResult) },
		"ListToolsResult":             func() any { return new(mcp.ListToolsResult) },
		"ModelPreferences":            func() any { return new(mcp.ModelPreferences) },
		"ReadResourceResult":          func() any { return new(mcp.ReadResourceResult) },
		"Resource":                    func() any { return new(mcp.Resource) },
		"Root":                        func() any { return new(mcp.Root) },
		"SamplingMessage":             func() any { return new(mcp.SamplingMessage) },
		"ServerCapabilities":          func() any { return new(mcp.ServerCapabilities) },
		"Tool":                        func() any { return new(mcp.Tool) },
		"InternalError":               failure, "InvalidParamsError": failure, "MethodNotFoundError": failure, "ParseError": failure,
		"SubscriptionsAcknowledgedNotification.notifications": filter,
		"SubscriptionsListenRequest.notifications":            filter,
	}
}

// raw returns the types that package mcp keeps raw on purpose: the schemas of
// forms, params that the client builds from a tool's name or a uri, and
// notifications of which only a part is typed. Their examples have to survive
// as messages and as params.
func raw() map[string]bool {
	names := map[string]bool{}
	for _, name := range []string{
		"BooleanSchema", "NumberSchema", "StringSchema", "TitledMultiSelectEnumSchema", "TitledSingleSelectEnumSchema",
		"UntitledMultiSelectEnumSchema", "UntitledSingleSelectEnumSchema",
		"CallToolRequestParams", "GetPromptRequestParams", "PaginatedRequestParams", "ReadResourceRequestParams",
		"CancelledNotificationParams", "LoggingMessageNotificationParams", "ProgressNotificationParams",
		"ResourceUpdatedNotificationParams", "SubscriptionsListenResult",
	} {
		names[name] = true
	}
	return names
}

// TestSpecificationExamples: every example message of the specification is valid
// by its own schema, which shows that the judge of the wire can say yes, and
// survives being decoded and encoded again.
func TestSpecificationExamples(t *testing.T) {
	folder := examples(t)
	judge, err := wire.OpenSchemas(schemas)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	for _, file := range files {
		kind := filepath.Base(filepath.Dir(file))
		t.Run(kind+"/"+filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, judge.Check(mcp.Version20260728, kind, text))
			survives(t, kind, text)
		})
	}
}

// survives decodes and encodes what stands in an example: the message, then
// what it carries.
func survives(t *testing.T, kind string, text json.RawMessage) {
	var message struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	require.NoError(t, json.Unmarshal(text, &message))
	decoders := codecs()
	switch {
	case strings.HasSuffix(kind, "ResultResponse"):
		survives(t, strings.TrimSuffix(kind, "Response"), message.Result)
	case message.Error != nil:
		encodesBack(t, new(mcp.Error), message.Error)
	case message.Method != "" && message.Params != nil:
		if decoder := decoders[kind+".notifications"]; decoder != nil {
			var params struct {
				Notifications json.RawMessage `json:"notifications"`
			}
			require.NoError(t, json.Unmarshal(message.Params, &params))
			encodesBack(t, decoder(), params.Notifications)
		}
		if decoder := decoders[kind+"Params"]; decoder != nil {
			encodesBack(t, decoder(), message.Params)
		} else {
			keepsParams(t, message.Params)
		}
	case message.Method != "":
		// nothing but a method: there is nothing to lose
	case raw()[kind]:
		keepsParams(t, text)
	default:
		decoder := decoders[kind]
		require.NotNil(t, decoder, "package mcp has no type for %s, and it is not listed as raw", kind)
		encodesBack(t, decoder(), text)
	}
}

// encodesBack decodes into a value and encodes that again. What the client sends
// gets its _meta as it does in a call.
func encodesBack(t *testing.T, value any, text json.RawMessage) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, value))
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	if _, sent := value.(*mcp.CompleteParams); sent {
		params, err := mcp.ParamsOf(value)
		require.NoError(t, err)
		var carried struct {
			Meta json.RawMessage `json:"_meta"`
		}
		require.NoError(t, json.Unmarshal(text, &carried))
		encoded = params.AppendObject(nil, carried.Meta[1:len(carried.Meta)-1]) // its members
	}
	require.JSONEq(t, string(text), string(encoded))
}

// keepsParams sends an object through the encoder of params.
func keepsParams(t *testing.T, text json.RawMessage) {
	t.Helper()
	params, err := mcp.ParamsOf(text)
	require.NoError(t, err)
	require.JSONEq(t, string(text), string(params.Raw()))
}

// TestSchemasAreThere: where everything is required the schemas are, so that the
// matrix judges the wire.
func TestSchemasAreThere(t *testing.T) {
	_, err := wire.OpenSchemas(schemas)
	if os.Getenv("REQUIRE_ALL") == "" && errors.Is(err, wire.ErrNoSchemas) {
		t.Skip(err)
	}
	require.NoError(t, err)
}
