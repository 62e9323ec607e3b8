package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDisplayNames(t *testing.T) { // R155
	assert.Equal(t, "T", Tool{Name: "n", Title: "T", Annotations: &ToolAnnotations{Title: "A"}}.DisplayName())
	assert.Equal(t, "A", Tool{Name: "n", Annotations: &ToolAnnotations{Title: "A"}}.DisplayName())
	assert.Equal(t, "n", Tool{Name: "n", Annotations: &ToolAnnotations{}}.DisplayName())
	assert.Equal(t, "n", Tool{Name: "n"}.DisplayName())
	assert.Equal(t, "T", Prompt{Name: "n", Title: "T"}.DisplayName())
	assert.Equal(t, "n", Resource{URI: "u", Name: "n"}.DisplayName())
	assert.Equal(t, "u", ResourceTemplate{URITemplate: "u"}.DisplayName())
	assert.Equal(t, []string{"n", "n", "u", "u"}, []string{Tool{Name: "n"}.Key(), Prompt{Name: "n"}.Key(), Resource{URI: "u"}.Key(), ResourceTemplate{URITemplate: "u"}.Key()})
}

func TestToolAnnotationsDefaults(t *testing.T) {
	hints := func(text string) [4]bool {
		var tool Tool
		require.NoError(t, json.Unmarshal([]byte(`{"name":"t","annotations":`+text+`}`), &tool))
		a := tool.Annotations
		return [4]bool{a.IsReadOnly(), a.IsDestructive(), a.IsIdempotent(), a.IsOpenWorld()}
	}
	defaults := [4]bool{false, true, false, true}
	for _, text := range []string{`null`, `{}`, `[]`, `{"readOnlyHint":null,"destructiveHint":"x","idempotentHint":1}`} {
		assert.Equal(t, defaults, hints(text), text)
	}
	assert.Equal(t, [4]bool{true, false, true, true}, hints(`{"readOnlyHint":true,"destructiveHint":true}`))
	assert.Equal(t, [4]bool{false, false, true, false}, hints(`{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`))

	var tool Tool
	require.NoError(t, json.Unmarshal([]byte(`{"name":"t","annotations":{"readOnlyHint":false}}`), &tool))
	assert.NotNil(t, tool.Annotations.ReadOnlyHint)
	assert.Nil(t, tool.Annotations.DestructiveHint)
}

func TestListToolsResult(t *testing.T) {
	raw := `{"tools":[{"name":"a","inputSchema":{"type" : "object","x":9007199254740993,"$defs":{"<":1}},"x-unknown":[1]},
		{"name":"b","title":null,"description":7,"annotations":null,"icons":[]}],"nextCursor":"","ttlMs":1500.9,"cacheScope":"public","_meta":{"k":1}}`
	l, err := ParseListToolsResult(result(raw))
	require.NoError(t, err)
	require.Len(t, l.Tools, 2)
	assert.Equal(t, `{"type" : "object","x":9007199254740993,"$defs":{"<":1}}`, string(l.Tools[0].InputSchema)) // R038
	assert.Contains(t, string(l.Tools[0].Raw), "x-unknown")
	assert.Empty(t, l.Tools[1].Title+l.Tools[1].Description)
	require.NotNil(t, l.NextCursor) // R141, P13
	assert.Empty(t, *l.NextCursor)
	assert.Equal(t, 1500*time.Millisecond, l.TTL)
	assert.Equal(t, CachePublic, l.CacheScope)
	assert.Equal(t, `{"k":1}`, string(l.Meta))
	assert.Empty(t, l.Faults)

	encoded, err := l.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, raw, string(encoded))
	encoded, err = l.Tools[0].MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, string(l.Tools[0].Raw), string(encoded))

	var target ListToolsResult
	require.NoError(t, result(raw).Decode(&target))
	assert.Equal(t, *l, target)
	require.NoError(t, json.Unmarshal([]byte(`{"tools":[]}`), &target))
	assert.Empty(t, target.Tools, "nothing stays from before")
	assert.Nil(t, target.NextCursor)
}

func TestOneBadEntryDoesNotSinkTheList(t *testing.T) {
	l, err := ParseListToolsResult(result(`{"tools":[7,{"name":"a"},{"title":"x"},null,{"name":""},{"name":5},{"name":"b"}],"nextCursor":5}`))
	require.NoError(t, err)
	require.Len(t, l.Tools, 2)
	assert.Equal(t, "b", l.Tools[1].Name)
	assert.Nil(t, l.NextCursor)
	var texts []string
	for _, fault := range l.Faults {
		require.ErrorIs(t, fault, errors.ErrProtocol)
		texts = append(texts, strings.TrimPrefix(fault.Error(), "protocol violation: "))
	}
	assert.Equal(t, []string{"tools[0] must be an object, found a number", "tools[2] has no name", "tools[3] must be an object, found null",
		"tools[4] has no name", "tools[5] has no name", "nextCursor is not a string: the list ends early"}, texts)
	assert.True(t, l.CursorUnreadable)

	l, err = ParseListToolsResult(result(`{"tools":[` + strings.Repeat("0,", 1000) + `{"name":"z"}]}`))
	require.NoError(t, err)
	assert.Len(t, l.Faults, maxFaults)
	assert.Len(t, l.Tools, 1)
}

func TestListsAreBounded(t *testing.T) { // P101
	text := `{"tools":[` + strings.Repeat("{},", maxEntries) + `{}]}`
	_, err := ParseListToolsResult(result(text))
	require.ErrorIs(t, err, errors.ErrProtocol)
	require.ErrorContains(t, err, "more than 65536 entries")
}

func TestResultsThatAreNone(t *testing.T) {
	for name, parse := range map[string]func(Result) error{
		"tools":             func(r Result) error { _, err := ParseListToolsResult(r); return err },
		"resources":         func(r Result) error { _, err := ParseListResourcesResult(r); return err },
		"resourceTemplates": func(r Result) error { _, err := ParseListResourceTemplatesResult(r); return err },
		"prompts":           func(r Result) error { _, err := ParseListPromptsResult(r); return err },
		"contents":          func(r Result) error { _, err := ParseReadResourceResult(r); return err },
		"messages":          func(r Result) error { _, err := ParseGetPromptResult(r); return err },
		"protocolVersion":   func(r Result) error { _, err := ParseInitializeResult(r); return err },
		"supportedVersions": func(r Result) error { _, err := ParseDiscoverResult(r); return err },
	} {
		for _, text := range []string{`{}`, `[]`, `{"` + name + `":null}`, `{"` + name + `":{}}`, `{"x":`, ``} {
			err := parse(result(text))
			require.ErrorIs(t, err, errors.ErrProtocol, "%s %s", name, text)
		}
		require.ErrorContains(t, parse(result(`{}`)), name)
		require.ErrorIs(t, parse(EnvelopeResult(json.RawMessage(`{"`+name+`":[]}`))), errors.ErrProtocol)
	}
}

func TestTTL(t *testing.T) { // R230
	for text, want := range map[string]time.Duration{
		`0`: 0, `-5`: 0, `-1e400`: 0, `null`: 0, `"5"`: 0, `250`: 250 * time.Millisecond, `0.9`: 0, `1.5e3`: 1500 * time.Millisecond,
		`1e400`: math.MaxInt64 / time.Millisecond * time.Millisecond, `9223372036854775807`: math.MaxInt64 / time.Millisecond * time.Millisecond,
		`99999999999999999999999`: math.MaxInt64 / time.Millisecond * time.Millisecond,
	} {
		l, err := ParseListPromptsResult(result(`{"prompts":[],"ttlMs":` + text + `}`))
		require.NoError(t, err)
		assert.Equal(t, want, l.TTL, text)
	}
}

func TestPrompts(t *testing.T) {
	l, err := ParseListPromptsResult(result(`{"prompts":[{"name":"p","title":"P","arguments":[{"name":"a","required":true},{"name":"b","required":"x"},{"x":1},7]}]}`))
	require.NoError(t, err)
	assert.Equal(t, []PromptArgument{{Name: "a", Required: true}, {Name: "b"}}, l.Prompts[0].Arguments)

	g, err := ParseGetPromptResult(result(`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"x"}},3,{"role":"assistant","content":[1]}],"_meta":{}}`))
	require.NoError(t, err)
	require.Len(t, g.Messages, 2)
	assert.Equal(t, "x", g.Messages[0].Content.Text)
	assert.Equal(t, Content{Raw: json.RawMessage(`[1]`)}, g.Messages[1].Content)
	assert.Len(t, g.Faults, 1)
}

func TestResourceContents(t *testing.T) { // R158
	r, err := ParseReadResourceResult(result(`{"contents":[{"uri":"a","text":"x"},{"uri":"b","blob":"aGk="},{"uri":"c","blob":""},{"uri":"d","blob":"?"}],"ttlMs":7}`))
	require.NoError(t, err)
	assert.Equal(t, 7*time.Millisecond, r.TTL)
	for i, want := range []string{"x", "hi", ""} {
		data, err := r.Contents[i].Bytes()
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
		assert.Equal(t, i > 0, r.Contents[i].IsBlob())
	}
	_, err = r.Contents[3].Bytes()
	require.ErrorIs(t, err, errors.ErrProtocol)

	block := Content{Type: ContentResource, Resource: &r.Contents[1]}
	data, err := TextContent("x").Bytes()
	require.NoError(t, err)
	assert.Equal(t, "x", string(data))
	data, err = block.Bytes()
	require.NoError(t, err)
	assert.Equal(t, "hi", string(data))
}

func TestCompletion(t *testing.T) { // R166, R167
	p, err := ParamsOf(CompleteParams{Ref: PromptReference("p"), Argument: CompletionArgument{"a", "v"}, Context: &CompletionContext{map[string]string{"x": "1"}}})
	require.NoError(t, err)
	assert.Equal(t, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"x":"1"}}}`, string(p.Raw()))
	p, err = ParamsOf(CompleteParams{Ref: ResourceTemplateReference("u/{x}")})
	require.NoError(t, err)
	assert.Equal(t, `{"ref":{"type":"ref/resource","uri":"u/{x}"},"argument":{"name":"","value":""}}`, string(p.Raw()))

	r, err := ParseCompleteResult(result(`{"completion":{"values":["a",7,"b"],"total":12,"hasMore":true}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, r.Values)
	assert.Equal(t, int64(12), *r.Total)
	assert.True(t, r.HasMore)
	for _, text := range []string{`{}`, `{"completion":null}`, `{"completion":{}}`, `{"completion":{"values":null,"total":"x"}}`} {
		r, err := ParseCompleteResult(result(text))
		require.NoError(t, err)
		assert.Empty(t, r.Values)
		assert.Nil(t, r.Total)
	}
}

func TestServerCapabilities(t *testing.T) {
	raw := `{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"completions":{},"logging":null,"x":1,
		"extensions":{"io.modelcontextprotocol/tasks":{},"off":null},"experimental":{"e":{"n":9007199254740993}}}`
	s := ParseServerCapabilities(json.RawMessage(raw))
	assert.Equal(t, &ListCapability{ListChanged: true}, s.Tools)
	assert.Equal(t, &ListCapability{}, s.Prompts)
	assert.Equal(t, &ResourcesCapability{Subscribe: true}, s.Resources)
	assert.True(t, s.Completions)
	assert.False(t, s.Logging)
	assert.True(t, s.HasExtension("io.modelcontextprotocol/tasks"))
	assert.False(t, s.HasExtension("off"))
	assert.Equal(t, `{"n":9007199254740993}`, string(s.Experimental["e"]))
	assert.Equal(t, raw, string(s.Raw))

	odd := ParseServerCapabilities(json.RawMessage(`{"tools":true,"prompts":false,"resources":[],"completions":"yes"}`))
	assert.NotNil(t, odd.Tools)
	assert.Nil(t, odd.Prompts)
	assert.Nil(t, odd.Resources)
	assert.False(t, odd.Completions)
	assert.Equal(t, ServerCapabilities{}, ParseServerCapabilities(json.RawMessage(`[]`)))
	assert.Equal(t, ServerCapabilities{}, ParseServerCapabilities(nil))

	built, err := json.Marshal(ServerCapabilities{Tools: &ListCapability{}, Logging: true})
	require.NoError(t, err)
	assert.JSONEq(t, `{"tools":{},"logging":{}}`, string(built))
}

func TestClientCapabilities(t *testing.T) { // R022
	encode := func(c ClientCapabilities) string {
		encoded, err := json.Marshal(c)
		require.NoError(t, err)
		return string(encoded)
	}
	assert.Equal(t, `{}`, encode(ClientCapabilities{}))
	assert.Equal(t, `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"extensions":{"a/b":{}}}`, encode(ClientCapabilities{
		Roots: &ListCapability{}, Sampling: &SamplingCapability{Tools: &struct{}{}},
		Elicitation: &ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}},
		Extensions:  map[string]json.RawMessage{"a/b": json.RawMessage(`{}`)},
	}))
}

func TestInitializeResult(t *testing.T) {
	r, err := ParseInitializeResult(result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":7,"title":"T"},"instructions":"i"}`))
	require.NoError(t, err)
	assert.Equal(t, Version20251125, r.ProtocolVersion)
	assert.NotNil(t, r.Capabilities.Tools)
	assert.Equal(t, Implementation{Name: "s", Title: "T"}, r.ServerInfo, "an odd version does not sink the handshake")
	assert.Equal(t, "i", r.Instructions)

	r, err = ParseInitializeResult(result(`{"protocolVersion":"1999-01-01"}`))
	require.NoError(t, err)
	assert.Equal(t, Version("1999-01-01"), r.ProtocolVersion) // R054 is the session's to decide
}

func TestDiscoverResult(t *testing.T) {
	r, err := ParseDiscoverResult(result(`{"supportedVersions":["2026-07-28","x"],"capabilities":{"tools":{},"extensions":{"org.example/a":{"b":1}}},"serverInfo":{"name":"draft"},"ttlMs":600000,"cacheScope":"public",
		"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"real","version":"1"}}}`))
	require.NoError(t, err)
	assert.Equal(t, []Version{Version20260728, "x"}, r.SupportedVersions)
	assert.Equal(t, "real", r.ServerInfo.Name)
	assert.True(t, r.Capabilities.HasExtension("org.example/a"), "R275")
	assert.False(t, r.Capabilities.HasExtension("org.example/b"))
	assert.Equal(t, 10*time.Minute, r.TTL)

	r, err = ParseDiscoverResult(result(`{"serverInfo":{"name":"draft"},"supportedVersions":[],"_meta":{}}`)) // P45
	require.NoError(t, err)
	assert.Equal(t, "draft", r.ServerInfo.Name)

	for _, text := range []string{`{}`, `{"supportedVersions":"2026-07-28"}`, `{"supportedVersions":[1]}`, `{"supportedVersions":["a",null]}`} { // S10, H4
		_, err := ParseDiscoverResult(result(text))
		require.ErrorIs(t, err, errors.ErrProtocol, text)
	}
}

func TestParseIcons(t *testing.T) { // R032
	icons := ParseIcons(json.RawMessage(`[{"src":"https://a/b.png","mimeType":"image/png","sizes":["1x1"],"theme":"dark"},{"src":"DATA:image/png;base64,"},
		{"src":"http://a"},{"src":"javascript:x"},{"src":"a.png"},{},7]`))
	assert.Equal(t, []Icon{{"https://a/b.png", "image/png", []string{"1x1"}, "dark"}, {Src: "DATA:image/png;base64,"}}, icons)
	assert.Nil(t, ParseIcons(nil))
}

func TestBuiltValuesEncode(t *testing.T) {
	cursor := ""
	for _, c := range []struct {
		value any
		want  string
	}{
		{TextContent(""), `{"type":"text","text":""}`},
		{Content{Type: ContentImage, Data: "aGk=", MIMEType: "image/png"}, `{"type":"image","data":"aGk=","mimeType":"image/png"}`},
		{PromptMessage{Role: "user", Content: TextContent("x")}, `{"role":"user","content":{"type":"text","text":"x"}}`},
		{GetPromptResult{}, `{"messages":[]}`},
		{ResourceContents{URI: "u"}, `{"uri":"u","text":""}`},
		{ResourceContents{URI: "u", Blob: "aGk="}, `{"uri":"u","blob":"aGk="}`},
		{Tool{Name: "t", InputSchema: json.RawMessage(`{"type":"object"}`)}, `{"name":"t","inputSchema":{"type":"object"}}`},
		{ListToolsResult{}, `{"tools":[]}`},
		{ListToolsResult{Page: Page{NextCursor: &cursor, Caching: Caching{time.Second, CachePublic}}, Tools: []Tool{{Name: "t"}}},
			`{"tools":[{"name":"t"}],"nextCursor":"","ttlMs":1000,"cacheScope":"public"}`},
		{ReadResourceResult{Contents: []ResourceContents{{URI: "u"}}}, `{"contents":[{"uri":"u","text":""}]}`},
		{CompleteResult{}, `{"completion":{"values":[]}}`},
		{InitializeResult{ProtocolVersion: Version20251125}, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"","version":""}}`},
		{DiscoverResult{SupportedVersions: ModernVersions(), ServerInfo: Implementation{Name: "s", Version: "1"}},
			`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`},
	} {
		encoded, err := json.Marshal(c.value)
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(encoded))
	}
}

// toolsPage is a page of n tools of ordinary size.
func toolsPage(n int) Result {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","title":"Tool %d","description":"Does this and that, and says \"done\" in the end.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where to look"},"depth":{"type":"integer","minimum":0},"pattern":{"type":"string"},"flags":{"type":"array","items":{"type":"string"}}},"required":["path"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`, i, i)
	}
	b.WriteString(`]}`)
	return result(b.String())
}

func TestLongListsCostFewAllocations(t *testing.T) {
	page := toolsPage(1000)
	assert.Less(t, testing.AllocsPerRun(5, func() {
		if l, err := ParseListToolsResult(page); err != nil || len(l.Tools) != 1000 {
			t.Fatal(err)
		}
	}), 4100.0) // name, title, description and annotations of each
}

func BenchmarkListTools(b *testing.B) {
	page := toolsPage(1000)
	b.SetBytes(int64(len(page.Raw())))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseListToolsResult(page); err != nil {
			b.Fatal(err)
		}
	}
}
