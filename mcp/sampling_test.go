package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestParseCreateMessageRequest(t *testing.T) {
	raw := `{"messages":[{"role":"user","content":{"type":"text","text":"hi"},"_meta":{"a":1}},{"role":"assistant","content":[{"type":"image","data":"aGk=","mimeType":"image/png"},7]}],
		"modelPreferences":{"hints":[{"name":"a"},{},7,{"name":"b"}],"costPriority":0.1,"speedPriority":0,"intelligencePriority":"x"},
		"systemPrompt":"s","includeContext":"thisServer","temperature":0,"maxTokens":100.0,"stopSequences":["x",7],"metadata":{"n":9007199254740993},
		"tools":[{"name":"t","inputSchema":{}}],"toolChoice":{"mode":"required"},"_meta":{"b":1},"task":{}}`
	r, err := ParseCreateMessageRequest(json.RawMessage(raw))
	require.NoError(t, err)
	require.Len(t, r.Messages, 2)
	assert.Equal(t, "hi", r.Messages[0].Content[0].Text)
	assert.Equal(t, `{"a":1}`, string(r.Messages[0].Meta))
	assert.Equal(t, RoleAssistant, r.Messages[1].Role)
	require.Len(t, r.Messages[1].Content, 2)
	assert.Equal(t, "aGk=", r.Messages[1].Content[0].Data)
	assert.Equal(t, Content{Raw: json.RawMessage(`7`)}, r.Messages[1].Content[1], "no object, kept raw")
	assert.Equal(t, []ModelHint{{"a"}, {"b"}}, r.ModelPreferences.Hints)
	assert.InDelta(t, 0.1, *r.ModelPreferences.CostPriority, 0)
	assert.Zero(t, *r.ModelPreferences.SpeedPriority)
	assert.Nil(t, r.ModelPreferences.IntelligencePriority)
	assert.Equal(t, []string{"s", IncludeThisServer, `{"n":9007199254740993}`, `{"b":1}`}, []string{r.SystemPrompt, r.IncludeContext, string(r.Metadata), string(r.Meta)})
	assert.Zero(t, *r.Temperature)
	assert.Equal(t, int64(100), r.MaxTokens)
	assert.Equal(t, []string{"x"}, r.StopSequences)
	assert.Equal(t, "t", r.Tools[0].Name)
	assert.Equal(t, ToolChoiceRequired, r.ToolChoice.Mode)
	encoded, err := r.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, raw, string(encoded))

	for _, bad := range []string{``, `null`, `[]`, `{}`, `{"messages":null}`, `{"messages":{}}`, `{"messages":[7]}`, `{"messages":[{"role":"user"}]}`, `{"messages":[{"role":"user","content":null}]}`,
		`{"messages":[],"tools":{}}`, `{"messages":[],"tools":[{}]}`} {
		_, err = ParseCreateMessageRequest(json.RawMessage(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}
}

func TestSamplingWithTools(t *testing.T) { // R181
	for text, want := range map[string]bool{
		`{"messages":[]}`: false, `{"messages":[],"tools":null,"toolChoice":null}`: false,
		`{"messages":[],"tools":[]}`: true, `{"messages":[],"toolChoice":{}}`: true,
	} {
		r, err := ParseCreateMessageRequest(json.RawMessage(text))
		require.NoError(t, err)
		assert.Equal(t, want, r.WantsTools(), text)
	}
}

func TestCheckToolUse(t *testing.T) { // R184
	use := func(id string) Content { return ToolUseContent(ToolUse{ID: id, Name: "t"}) }
	done := func(id string) Content { return ToolResultContent(ToolResult{ToolUseID: id}) }
	for name, c := range map[string]struct {
		messages [][]Content
		fault    string
	}{
		"no tools":            {[][]Content{{TextContent("a")}, {}, {TextContent("b"), TextContent("c")}}, ""},
		"one use":             {[][]Content{{use("1")}, {done("1")}}, ""},
		"two uses, any order": {[][]Content{{TextContent("a"), use("1"), use("2")}, {done("2"), done("1")}, {TextContent("b")}}, ""},
		"more results":        {[][]Content{{use("1")}, {done("1"), done("9")}}, ""},
		"missing":             {[][]Content{{use("1"), use("2")}, {done("1")}}, `messages[1] lacks the result of the tool use "2"`},
		"none":                {[][]Content{{use("1")}, {TextContent("a")}}, `messages[1] lacks`},
		"too late":            {[][]Content{{use("1")}, {TextContent("a")}, {done("1")}}, `messages[1] lacks`},
		"the last message":    {[][]Content{{TextContent("a")}, {use("1")}}, "no results follow"},
		"mixed":               {[][]Content{{use("1")}, {done("1"), TextContent("a")}}, "messages[1] mixes"},
	} {
		r := &CreateMessageRequest{}
		for _, content := range c.messages {
			r.Messages = append(r.Messages, SamplingMessage{Role: RoleUser, Content: content})
		}
		built, err := json.Marshal(r)
		require.NoError(t, err)
		r, err = ParseCreateMessageRequest(built)
		require.NoError(t, err)
		err = r.CheckToolUse()
		if c.fault == "" {
			assert.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, errors.ErrProtocol, name)
		assert.ErrorContains(t, err, c.fault, name)
	}
}

func TestCreateMessageResult(t *testing.T) {
	for _, c := range []struct {
		result CreateMessageResult
		want   string
	}{
		{CreateMessageResult{Content: []Content{TextContent("hi")}, Model: "m", StopReason: StopEndTurn}, `{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m","stopReason":"endTurn"}`},
		{CreateMessageResult{Role: RoleUser, Model: "m", Meta: json.RawMessage(`{}`)}, `{"role":"user","content":[],"model":"m","_meta":{}}`},
		{CreateMessageResult{Content: []Content{ToolUseContent(ToolUse{ID: "1", Name: "a"}), ToolUseContent(ToolUse{ID: "2", Name: "b", Input: json.RawMessage(`{"n":9007199254740993}`)})}, Model: "m", StopReason: StopToolUse},
			`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{}},{"type":"tool_use","id":"2","name":"b","input":{"n":9007199254740993}}],"model":"m","stopReason":"toolUse"}`},
	} {
		encoded, err := json.Marshal(c.result)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(encoded))
		var back CreateMessageResult
		require.NoError(t, json.Unmarshal(encoded, &back))
		assert.Len(t, back.Content, len(c.result.Content))
		back.Raw = nil
		forgetBlocks(back.Content)
		again, err := json.Marshal(back)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(again))
	}
	var r CreateMessageResult
	require.NoError(t, json.Unmarshal([]byte(`{"content":null,"role":7}`), &r))
	assert.Equal(t, RoleAssistant, r.Role)
	require.Error(t, json.Unmarshal([]byte(`[]`), &r))
}

func TestToolBlocks(t *testing.T) { // R188
	raw := `{"_meta":{"a":1},"content":[{"type":"text","text":"x"},7],"structuredContent":null,"isError":true,"toolUseId":"1","type":"tool_result"}`
	var block Content
	require.NoError(t, json.Unmarshal([]byte(raw), &block))
	require.NotNil(t, block.ToolResult)
	assert.Nil(t, block.ToolUse)
	assert.Equal(t, "1", block.ToolResult.ToolUseID)
	assert.Len(t, block.ToolResult.Content, 2)
	assert.Equal(t, "null", string(block.ToolResult.StructuredContent), "P18")
	assert.True(t, block.ToolResult.IsError)
	block.Raw = nil
	encoded, err := json.Marshal(block)
	require.NoError(t, err)
	assert.JSONEq(t, raw, string(encoded))

	require.NoError(t, json.Unmarshal([]byte(`{"name":"n","input":null,"id":7,"type":"tool_use"}`), &block))
	assert.Equal(t, &ToolUse{Name: "n"}, block.ToolUse)
	require.NoError(t, json.Unmarshal([]byte(`{"type":"tool_result","content":null}`), &block))
	assert.Equal(t, &ToolResult{Content: []Content{}}, block.ToolResult)
	require.NoError(t, json.Unmarshal([]byte(`{"type":"text","toolUseId":"1","id":"2"}`), &block))
	assert.Nil(t, block.ToolResult)
	assert.Nil(t, block.ToolUse)
}

// Results within results are not read: reading each level again would let a
// peer make us read the same bytes a hundred times.
func TestNestedToolResultsStayRaw(t *testing.T) {
	const levels = 100
	text := strings.Repeat(`{"type":"tool_result","content":[`, levels) + strings.Repeat(`]}`, levels)
	var block Content
	require.NoError(t, json.Unmarshal([]byte(text), &block))
	inner := block.ToolResult.Content[0]
	assert.Equal(t, ContentToolResult, inner.Type)
	assert.Nil(t, inner.ToolResult)
	assert.NotEmpty(t, inner.Raw)
}

func FuzzServerRequests(f *testing.F) {
	for _, text := range []string{
		`{"messages":[{"role":"user","content":[{"type":"tool_use","id":"1"}]},{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[{}]}}],"tools":[{"name":"t"}],"toolChoice":{}}`,
		`{"mode":"url","url":"u"}`, `{"inputRequests":{"a":{"method":"m"}},"requestState":"s"}`, `{"notifications":{"taskIds":["a"]}}`, `{"uri":"u"}`,
		`{"level":"info","data":1}`, `{"taskId":"t","status":"failed","error":{"code":1},"ttlMs":1e9}`, `{"task":{"taskId":"t","status":"working"}}`, `{"tasks":[{"taskId":"t","inputRequests":[],"status":"x"},{}]}`,
		`{"action":"accept","content":{}}`, `{"roots":[{"uri":"file:///"}]}`, `{"elicitations":[{}]}`, `{"elicitationId":"e"}`, `[]`, `{"a"`, ``,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, target := range []interface {
			aliasing
		}{
			&ElicitRequest{}, &ElicitResult{}, &ElicitationCompleteParams{}, &CreateMessageRequest{}, &CreateMessageResult{}, &SamplingMessage{}, &ListRootsResult{},
			&AcknowledgedParams{}, &ResourceUpdatedParams{}, &LogMessage{}, &InputRequiredResult{}, &Task{}, &ListTasksResult{},
		} {
			if target.decode(data) != nil || !json.Valid(data) {
				continue
			}
			_, err := json.Marshal(target)
			require.NoError(t, err)
			_ = fmt.Sprint(target)
			if request, ok := target.(*CreateMessageRequest); ok {
				_ = request.CheckToolUse()
			}
		}
		_, _ = ParseURLElicitations(data)
		_, _ = ParseTask(NewResult(data))
		_ = RelatedTask(data)
	})
}
