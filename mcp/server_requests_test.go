package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestParseInputRequiredResult(t *testing.T) { // R207, R208, R213
	raw := `{"resultType":"input_required","content":null,"inputRequests":{
		"why":{"method":"elicitation/create","params":{"message":"Reason?","requestedSchema":{"type":"object","properties":{}}}},
		"dirs":{"method":"roots/list"},"empty":{"method":"roots/list","params":{}},"null":{"method":"roots/list","params":null},
		"x":{"method":"vendor/ask","params":{"n":9007199254740993},"extra":1}},"requestState":"v1.kx\u002f0Z9\/+Aq==.\ud83d","_meta":{"a":1}}`
	r, err := ParseInputRequiredResult(result(raw))
	require.NoError(t, err)
	assert.Equal(t, `"v1.kx\u002f0Z9\/+Aq==.\ud83d"`, string(r.RequestState), "byte for byte")
	require.Len(t, r.InputRequests, 5)
	assert.Equal(t, MethodElicit, r.InputRequests["why"].Method)
	assert.Equal(t, MethodListRoots, r.InputRequests["dirs"].Method)
	assert.Nil(t, r.InputRequests["dirs"].Params)
	assert.Nil(t, r.InputRequests["null"].Params)
	assert.Equal(t, `{}`, string(r.InputRequests["empty"].Params))
	assert.Equal(t, `{"n":9007199254740993}`, string(r.InputRequests["x"].Params))
	assert.Equal(t, `{"a":1}`, string(r.Meta))
	encoded, err := r.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, raw, string(encoded))

	// The state gets into the next round as it came.
	p, err := ParamsOf(json.RawMessage(`{"name":"t"}`))
	require.NoError(t, err)
	p, err = p.With("requestState", r.RequestState)
	require.NoError(t, err)
	assert.Equal(t, `{"name":"t","requestState":"v1.kx\u002f0Z9\/+Aq==.\ud83d"}`, string(p.Raw()))

	for _, shown := range []string{r.String(), fmt.Sprintf("%v %+v %#v", *r, *r, *r), fmt.Sprintf("%v %#v", r, r)} {
		assert.NotContains(t, shown, "kx", "P54")
	}
}

func TestInputRequiredResultValidity(t *testing.T) { // R217
	for _, raw := range []string{
		`{"requestState":"s"}`, `{"requestState":""}`, `{"requestState":"s","inputRequests":null}`, `{"inputRequests":{}}`,
		`{"inputRequests":{"a":{"method":"roots/list"}},"requestState":null}`, `{"requestState":7}`,
	} {
		_, err := ParseInputRequiredResult(result(raw))
		assert.NoError(t, err, raw)
	}
	many := strings.Repeat(`"k%d":{"method":"m"},`, maxInputRequests)
	numbers := make([]any, maxInputRequests)
	for i := range numbers {
		numbers[i] = i
	}
	most := strings.TrimSuffix(fmt.Sprintf(many, numbers...), ",")
	r, err := ParseInputRequiredResult(result(`{"inputRequests":{` + most + `}}`))
	require.NoError(t, err)
	assert.Len(t, r.InputRequests, maxInputRequests)

	for raw, reason := range map[string]string{
		`{}`: "neither",
		`{"resultType":"input_required","content":[]}`:                           "neither",
		`{"inputRequests":null,"requestState":null}`:                             "neither",
		`{"inputRequests":[]}`:                                                   "must be an object, found an array",
		`{"inputRequests":"x","requestState":"s"}`:                               "must be an object, found a string",
		`{"inputRequests":{"a":null}}`:                                           `inputRequests["a"] must be an object, found null`,
		`{"inputRequests":{"a":{"params":{}}}}`:                                  `inputRequests["a"] has no method`,
		`{"inputRequests":{"a":{"method":7}}}`:                                   "has no method",
		`{"inputRequests":{"a":{"method":"m"},"\u0061":{"method":"m"}}}`:         "twice",
		`{"inputRequests":{` + most + `,"one more":{"method":"m"}}}`:             "more than 256",
		`{"inputRequests":{"\u001b` + strings.Repeat("x", 999) + `":{"a":"b"}}}`: "has no method",
		`[]`: "must be an object",
	} {
		_, err := ParseInputRequiredResult(result(raw))
		require.ErrorIs(t, err, errors.ErrProtocol, raw)
		assert.ErrorContains(t, err, reason)
		assert.Less(t, len(err.Error()), 400)
		assert.NotContains(t, err.Error(), "\x1b")
	}
	_, err = ParseInputRequiredResult(EnvelopeResult(json.RawMessage(`{"result":null,"requestState":"s"}`)))
	require.ErrorIs(t, err, errors.ErrProtocol)
}

func TestParseElicitRequest(t *testing.T) { // R192-R194
	r, err := ParseElicitRequest(json.RawMessage(`{"message":"m","requestedSchema":{"type":"object", "x":1}}`))
	require.NoError(t, err)
	assert.Equal(t, ElicitModeForm, r.Mode, "R193")
	assert.Equal(t, `{"type":"object", "x":1}`, string(r.RequestedSchema))

	r, err = ParseElicitRequest(json.RawMessage(`{"mode":"url","message":"m","url":"https://a.example/x","elicitationId":"e","_meta":{},"task":{}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{ElicitModeURL, "https://a.example/x", "e", "{}"}, []string{r.Mode, r.URL, r.ElicitationID, string(r.Meta)})

	for _, odd := range []string{`{}`, `{"mode":null,"message":7,"requestedSchema":null}`, `{"mode":"form"}`} {
		r, err = ParseElicitRequest(json.RawMessage(odd))
		require.NoError(t, err, odd)
		assert.Equal(t, ElicitModeForm, r.Mode)
		assert.Nil(t, r.RequestedSchema)
	}
	r, err = ParseElicitRequest(json.RawMessage(`{"mode":"telepathy"}`))
	require.NoError(t, err)
	assert.Equal(t, "telepathy", r.Mode, "R194: for the session to refuse")

	for _, bad := range []string{``, `null`, `[]`, `"x"`, `{"mode":"url"}`, `{"mode":"url","url":7}`} {
		_, err = ParseElicitRequest(json.RawMessage(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}
	built, err := json.Marshal(ElicitRequest{Message: "m", RequestedSchema: json.RawMessage(`{}`)})
	require.NoError(t, err)
	assert.JSONEq(t, `{"mode":"form","message":"m","requestedSchema":{}}`, string(built))
}

func TestElicitResult(t *testing.T) { // R198
	type form struct {
		Name string   `json:"name"`
		N    int64    `json:"n"`
		Tags []string `json:"tags,omitempty"`
	}
	for _, c := range []struct {
		result ElicitResult
		want   string
	}{
		{ElicitResult{Action: ElicitAccept, Content: map[string]any{"n": int64(9007199254740993), "a": "<&>"}}, `{"action":"accept","content":{"a":"<&>","n":9007199254740993}}`},
		{ElicitResult{Action: ElicitAccept, Content: form{"x", 9007199254740993, nil}}, `{"action":"accept","content":{"name":"x","n":9007199254740993}}`},
		{ElicitResult{Action: ElicitAccept, Content: json.RawMessage("{\n\"a\": 1}")}, `{"action":"accept","content":{"a":1}}`},
		{ElicitResult{Action: ElicitAccept}, `{"action":"accept"}`},
		{ElicitResult{Action: ElicitAccept, Content: map[string]any(nil)}, `{"action":"accept"}`},
		{ElicitResult{Action: ElicitAccept, Content: map[string]any{}}, `{"action":"accept","content":{}}`},
		{ElicitResult{Action: ElicitDecline, Meta: json.RawMessage(`{"a":1}`)}, `{"action":"decline","_meta":{"a":1}}`},
		{ElicitResult{Action: ElicitCancel}, `{"action":"cancel"}`},
	} {
		encoded, err := c.result.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, c.want, string(encoded))
		var back ElicitResult
		require.NoError(t, json.Unmarshal(encoded, &back))
		assert.Equal(t, c.result.Action, back.Action)
		again, err := back.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, c.want, string(again))
	}
	for _, content := range []any{7, "x", []string{"a"}, json.RawMessage(`{"a"`), make(chan int), func() {}} {
		_, err := ElicitResult{Action: ElicitAccept, Content: content}.RawContent()
		require.Error(t, err)
		_, err = ElicitResult{Action: ElicitAccept, Content: content}.MarshalJSON()
		require.Error(t, err)
	}
	var r ElicitResult
	for _, bad := range []string{`[]`, `{}`, `{"action":7}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &r), bad)
	}
	secret := ElicitResult{Action: ElicitAccept, Content: map[string]any{"password": "hunter2"}}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", secret, secret, secret), "hunter2")
}

func TestParseURLElicitations(t *testing.T) { // R205
	requests, err := ParseURLElicitations(json.RawMessage(`{"elicitations":[{"mode":"url","elicitationId":"e-77","url":"https://pay.example.com/","message":"Sign in"},{"mode":"url"},7],"x":1}`))
	require.NoError(t, err)
	require.Len(t, requests, 1)
	assert.Equal(t, "e-77", requests[0].ElicitationID)
	for _, bad := range []string{``, `{}`, `[]`, `{"elicitations":{}}`, `{"elicitations":[]}`, `{"elicitations":[{"mode":"url"}]}`} {
		_, err = ParseURLElicitations(json.RawMessage(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}
	done, err := ParseElicitationCompleteParams(json.RawMessage(`{"elicitationId":"e-77","x":1}`))
	require.NoError(t, err)
	assert.Equal(t, "e-77", done.ElicitationID)
	for _, bad := range []string{``, `{}`, `{"elicitationId":7}`} {
		_, err = ParseElicitationCompleteParams(json.RawMessage(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}
}

func TestRoots(t *testing.T) { // R175
	encoded, err := json.Marshal(ListRootsResult{Roots: []Root{{URI: "file:///srv/a", Name: "a"}, {URI: "file:///b", Meta: json.RawMessage(`{"x":1}`)}}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"roots":[{"uri":"file:///srv/a","name":"a"},{"uri":"file:///b","_meta":{"x":1}}]}`, string(encoded))
	var back ListRootsResult
	require.NoError(t, json.Unmarshal(encoded, &back))
	assert.Len(t, back.Roots, 2)
	encoded, err = ListRootsResult{}.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"roots":[]}`, string(encoded))
	for _, bad := range []string{`{}`, `[]`, `{"roots":null}`, `{"roots":[{}]}`, `{"roots":[7]}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &back), bad)
	}
	for uri, ok := range map[string]bool{"file:///a": true, "FILE:///a": true, "file://host/a": true, "https://a": false, "": false, "/a": false, "file:a": false} {
		assert.Equal(t, ok, Root{URI: uri}.Validate() == nil, uri)
	}
}

func TestSubscriptionFilter(t *testing.T) { // R219-R221
	asked := SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourceSubscriptions: []string{"file:///a", "file:///b"}, TaskIDs: []string{"t"}}
	p, err := ParamsOf(ListenParams{Notifications: asked})
	require.NoError(t, err)
	assert.Equal(t, `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["file:///a","file:///b"],"taskIds":["t"]}}`, string(p.Raw()))
	p, err = ParamsOf(ListenParams{})
	require.NoError(t, err)
	assert.Equal(t, `{"notifications":{}}`, string(p.Raw()))

	got, err := ParseAcknowledgedParams(json.RawMessage(`{"notifications":{"toolsListChanged":true,"resourcesListChanged":"yes","resourceSubscriptions":["file:///b",7],"taskIds":null,"x":{}},"_meta":{"io.modelcontextprotocol/subscriptionId":40}}`))
	require.NoError(t, err)
	assert.Equal(t, SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"file:///b"}}, got.Notifications)
	assert.JSONEq(t, `{"io.modelcontextprotocol/subscriptionId":40}`, string(got.Meta))
	missing := asked.Without(got.Notifications)
	assert.Equal(t, SubscriptionFilter{PromptsListChanged: true, ResourceSubscriptions: []string{"file:///a"}, TaskIDs: []string{"t"}}, missing)
	assert.False(t, missing.IsZero())
	assert.True(t, asked.Without(asked).IsZero())
	for _, one := range []SubscriptionFilter{{ToolsListChanged: true}, {PromptsListChanged: true}, {ResourcesListChanged: true}, {ResourceSubscriptions: []string{"a"}}, {TaskIDs: []string{"t"}}} {
		assert.False(t, one.IsZero())
		assert.Equal(t, one, one.Without(SubscriptionFilter{}))
	}
	clone := asked.Clone()
	clone.ResourceSubscriptions[0], clone.TaskIDs[0] = "x", "x"
	assert.Equal(t, "file:///at", asked.ResourceSubscriptions[0]+asked.TaskIDs[0])

	got, err = ParseAcknowledgedParams(json.RawMessage(`{}`))
	require.NoError(t, err)
	assert.True(t, got.Notifications.IsZero())
	for _, bad := range []string{``, `[]`, `{"notifications":[]}`, `{"notifications":null}`} {
		_, err = ParseAcknowledgedParams(json.RawMessage(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}

	updated, err := ParseResourceUpdatedParams(json.RawMessage(`{"uri":"file:///a/part","_meta":{}}`))
	require.NoError(t, err)
	assert.Equal(t, ResourceUpdatedParams{URI: "file:///a/part", Meta: json.RawMessage(`{}`)}, *updated)
	for _, bad := range []string{``, `{}`, `{"uri":7}`} {
		_, err = ParseResourceUpdatedParams(json.RawMessage(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}
}

func TestLogMessage(t *testing.T) {
	m, err := ParseLogMessage(json.RawMessage(`{"level":"error","logger":"db","data":"connection lost","_meta":{"a":1}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"error", "db", "connection lost", `{"a":1}`}, []string{string(m.Level), m.Logger, m.Text(), string(m.Meta)})
	m, err = ParseLogMessage(json.RawMessage(`{"level":7,"data":{"n":9007199254740993}}`))
	require.NoError(t, err)
	assert.Equal(t, `{"n":9007199254740993}`, m.Text())
	assert.Empty(t, m.Level)
	m, err = ParseLogMessage(json.RawMessage(`{"data":null}`))
	require.NoError(t, err)
	assert.Equal(t, "null", m.Text())
	for _, bad := range []string{``, `{}`, `[]`, `{"level":"info"}`} {
		_, err = ParseLogMessage(json.RawMessage(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}
	built, err := json.Marshal(LogMessage{Level: LevelInfo})
	require.NoError(t, err)
	assert.JSONEq(t, `{"level":"info","data":null}`, string(built))
	for i, level := range LoggingLevels() {
		assert.Equal(t, i, level.Severity())
	}
	assert.Equal(t, 7, LevelEmergency.Severity())
	assert.Equal(t, -1, LoggingLevel("loud").Severity())
}

// The specification's own examples: see TestSpecificationExamples.
func TestSpecificationExamplesOfServerRequests(t *testing.T) {
	folder := filepath.Join("..", "..", "shared", "schemas", "2026-07-28", "examples")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the specification's examples are not there: %v", err)
	}
	for name, c := range map[string]struct {
		target any
		forget func(any) // clears Raw, so that the fields are encoded
	}{
		"ElicitRequestFormParams":          {&ElicitRequest{}, func(v any) { v.(*ElicitRequest).Raw = nil }},
		"ElicitRequestURLParams":           {&ElicitRequest{}, func(v any) { v.(*ElicitRequest).Raw = nil }},
		"ElicitResult":                     {&ElicitResult{}, func(any) {}},
		"CreateMessageRequestParams":       {&CreateMessageRequest{}, forgetMessages},
		"CreateMessageResult":              {&CreateMessageResult{}, func(v any) { v.(*CreateMessageResult).Raw = nil; forgetBlocks(v.(*CreateMessageResult).Content) }},
		"SamplingMessage":                  {&SamplingMessage{}, func(v any) { v.(*SamplingMessage).Raw = nil; forgetBlocks(v.(*SamplingMessage).Content) }},
		"ToolUseContent":                   {&Content{}, func(v any) { forgetBlock(v.(*Content)) }},
		"ToolResultContent":                {&Content{}, func(v any) { forgetBlock(v.(*Content)) }},
		"ListRootsResult":                  {&ListRootsResult{}, func(any) {}},
		"Root":                             {&Root{}, func(any) {}},
		"InputRequests":                    {&InputRequests{}, func(any) {}},
		"InputResponses":                   {&InputResponses{}, func(any) {}},
		"InputRequiredResult":              {&InputRequiredResult{}, func(v any) { v.(*InputRequiredResult).Raw = nil }},
		"LoggingMessageNotificationParams": {&LogMessage{}, func(v any) { v.(*LogMessage).Raw = nil }},
	} {
		files, err := filepath.Glob(filepath.Join(folder, name, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(text, c.target))
				c.forget(c.target)
				encoded, err := json.Marshal(c.target)
				require.NoError(t, err)
				assert.JSONEq(t, string(text), string(encoded))
			})
		}
	}
}

func forgetMessages(v any) {
	r := v.(*CreateMessageRequest)
	r.Raw = nil
	for i := range r.Messages {
		r.Messages[i].Raw = nil
		forgetBlocks(r.Messages[i].Content)
	}
	for i := range r.Tools {
		r.Tools[i].Raw = nil
	}
}

func forgetBlocks(blocks []Content) {
	for i := range blocks {
		forgetBlock(&blocks[i])
	}
}

func forgetBlock(block *Content) {
	block.Raw = nil
	if block.ToolResult != nil {
		forgetBlocks(block.ToolResult.Content)
	}
}
