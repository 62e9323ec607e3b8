package policy

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// reached answers every request with {} and counts them.
type reached int

func (r *reached) Request(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
	*r++
	return mcp.NewResult([]byte(`{}`)), nil
}

func answering(result string) transporters.Transporter {
	return transporters.TransporterFunc(func(_ context.Context, _ string, _ any, onEvent transporters.EventFunc) (mcp.Result, error) {
		if onEvent != nil {
			envelope := `{"jsonrpc":"2.0","id":7,"result":` + result + `}`
			onEvent(mcp.Message{Raw: json.RawMessage(`{"jsonrpc":"2.0","method":"notifications/message"}`), Method: "notifications/message"})
			onEvent(mcp.Message{Raw: json.RawMessage(envelope), ID: mcp.ID("7"), Result: json.RawMessage(result)})
		}
		return mcp.NewResult(json.RawMessage(result)), nil
	})
}

func TestFilterRefusesADeniedRequestBeforeItLeaves(t *testing.T) {
	for name, test := range map[string]struct {
		cfg    FilterConfig
		action string
		params any
		want   string // part of the error; "" means allowed
	}{
		"denied tool":                    {denyTools("delete_*"), "tools/call", named("delete_all"), `tool "delete_all" matches "delete_*" of tools.deny`},
		"other tool":                     {denyTools("delete_*"), "tools/call", named("list_all"), ""},
		"case matters":                   {denyTools("delete_*"), "tools/call", named("Delete_all"), ""},
		"tool not in allow":              {allowTools("list_*", "get"), "tools/call", named("set"), `tool "set" matches nothing of tools.allow`},
		"tool in allow":                  {allowTools("list_*", "get"), "tools/call", named("get"), ""},
		"an empty allow list is nothing": {allowTools(), "tools/call", named("get"), "matches nothing of tools.allow"},
		"deny wins":                      {FilterConfig{Tools: ToolRules{Rules: Rules{Allow: []string{"*"}, Deny: []string{"b"}}}}, "tools/call", named("b"), "tools.deny"},
		"a star passes a slash":          {denyTools("*"), "tools/call", named("admin/reset"), "tools.deny"},
		"a question mark is one":         {denyTools("a?c"), "tools/call", named("abbc"), ""},
		"a class":                        {denyTools("a[0-9]"), "tools/call", named("a5"), "tools.deny"},
		"an escaped star":                {denyTools(`a\*`), "tools/call", named("ab"), ""},
		"a malformed deny denies":        {denyTools("[a"), "tools/call", named("zzz"), "tools.deny"},
		"a malformed allow allows none":  {allowTools("[a"), "tools/call", named("a"), "tools.allow"},
		"an escape in the name":          {denyTools("evil"), "tools/call", json.RawMessage(`{"name":"\u0065vil"}`), "tools.deny"},
		"an escape in the member":        {denyTools("evil"), "tools/call", json.RawMessage(`{"n\u0061me":"evil"}`), "tools.deny"},
		"a tool rule is no prompt rule":  {denyTools("x"), "prompts/get", named("x"), ""},
		"denied prompt":                  {FilterConfig{Prompts: Rules{Deny: []string{"x"}}}, "prompts/get", named("x"), `prompt "x"`},
		"denied resource":                {denyResources("file:///etc/*"), "resources/read", uri("file:///etc/ssl/key"), `resource "file:///etc/ssl/key"`},
		"other resource":                 {denyResources("file:///etc/*"), "resources/read", uri("file:///srv/a"), ""},
		"denied subscription":            {denyResources("file:///etc/*"), "resources/subscribe", uri("file:///etc/a"), "resources.deny"},
		"denied unsubscription":          {denyResources("file:///etc/*"), "resources/unsubscribe", uri("file:///etc/a"), "resources.deny"},
		"denied completion of a prompt": {FilterConfig{Prompts: Rules{Deny: []string{"x"}}}, "completion/complete",
			json.RawMessage(`{"ref":{"type":"ref/prompt","name":"x"}}`), `prompt "x"`},
		"denied completion of a template": {denyResources("demo://*"), "completion/complete",
			json.RawMessage(`{"ref":{"type":"ref/resource","uri":"demo://{id}"}}`), `resource "demo://{id}"`},
		"one denied resource of several to listen to": {denyResources("b"), "subscriptions/listen",
			json.RawMessage(`{"notifications":{"resourceSubscriptions":["a","b"]}}`), `resource "b"`},
		"listening to allowed resources": {denyResources("b"), "subscriptions/listen",
			json.RawMessage(`{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a"]}}`), ""},
		"what is not ruled passes":  {denyTools("*"), "ping", nil, ""},
		"a hostile name is escaped": {denyTools("*"), "tools/call", named("a\x1b[2J"), `tool "a\\x1b[2J"`},
	} {
		t.Run(name, func(t *testing.T) {
			var next reached
			_, err := Filter("files", test.cfg)(&next).Request(t.Context(), test.action, test.params, nil)
			if test.want == "" {
				require.NoError(t, err)
				assert.EqualValues(t, 1, next)
				return
			}
			require.ErrorIs(t, err, errors.ErrToolDenied)
			assert.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, err, `mcp server "files": `+test.action)
			failure, _ := errors.AsType[*errors.TransporterRequestError](err)
			assert.Equal(t, errors.KindDenied, failure.Kind)
			assert.Equal(t, errors.DeliveryNotSent, failure.Delivery)
			assert.Zero(t, next, "the request must not leave")
		})
	}
}

func TestFilterRefusesParamsThatCannotBeJudged(t *testing.T) {
	var next reached
	_, err := Filter("files", denyTools("x"))(&next).Request(t.Context(), "tools/call", json.RawMessage(`{"name":"a","name":"x"}`), nil)
	require.ErrorIs(t, err, errors.ErrInvalidParams)
	assert.Zero(t, next)
}

func TestFilterListsOnlyWhatIsAllowed(t *testing.T) {
	for name, test := range map[string]struct {
		cfg            FilterConfig
		action         string
		answer, expect string
	}{
		"tools lose entries and keep their bytes": {denyTools("b"), "tools/list",
			`{ "tools" : [ {"name":"a","big":12345678901234567890,"x":"\u0041"} , {"name":"b"},{"name": "c"} ], "nextCursor":"n", "future": {"k": 1.0} }`,
			`{ "tools" : [{"name":"a","big":12345678901234567890,"x":"\u0041"},{"name": "c"}], "nextCursor":"n", "future": {"k": 1.0} }`},
		"nothing left":                 {denyTools("*"), "tools/list", `{"tools":[{"name":"a"},{"name":"b/c"}]}`, `{"tools":[]}`},
		"an empty page":                {denyTools("*"), "tools/list", `{"tools":[],"nextCursor":""}`, `{"tools":[],"nextCursor":""}`},
		"a name written with escapes":  {denyTools("evil"), "tools/list", `{"tools":[{"name":"\u0065vil"}]}`, `{"tools":[]}`},
		"a repeated list":              {denyTools("b"), "tools/list", `{"tools":[{"name":"b"}],"tools":[{"name":"b"},{"name":"a"}]}`, `{"tools":[],"tools":[{"name":"a"}]}`},
		"a repeated name":              {denyTools("b"), "tools/list", `{"tools":[{"name":"a","name":"b"}]}`, `{"tools":[]}`},
		"a nameless tool, allow list":  {allowTools("a"), "tools/list", `{"tools":[{"title":"t"},5,{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`},
		"a nameless tool, deny list":   {denyTools("a"), "tools/list", `{"tools":[{"title":"t"},{"name":"a"}]}`, `{"tools":[{"title":"t"}]}`},
		"no list at all":               {denyTools("a"), "tools/list", `{"tools":"none"}`, `{"tools":"none"}`},
		"an array result":              {denyTools("a"), "tools/list", `[{"name":"a"}]`, `[{"name":"a"}]`},
		"prompts":                      {FilterConfig{Prompts: Rules{Allow: []string{"p*"}}}, "prompts/list", `{"prompts":[{"name":"p1"},{"name":"q"}]}`, `{"prompts":[{"name":"p1"}]}`},
		"resources":                    {denyResources("file:///etc/*"), "resources/list", `{"resources":[{"uri":"file:///etc/x/y","name":"n"},{"uri":"file:///srv"}]}`, `{"resources":[{"uri":"file:///srv"}]}`},
		"templates":                    {denyResources("db://*"), "resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"db://{t}"},{"uriTemplate":"f://{t}"}]}`, `{"resourceTemplates":[{"uriTemplate":"f://{t}"}]}`},
		"tool rules leave prompts be":  {denyTools("*"), "prompts/list", `{"prompts":[{"name":"p"}]}`, `{"prompts":[{"name":"p"}]}`},
		"other results are not judged": {denyTools("*"), "resources/read", `{"tools":[{"name":"p"}]}`, `{"tools":[{"name":"p"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			var events []mcp.Message
			onEvent := func(m mcp.Message) { events = append(events, m) }
			result, err := Filter("s", test.cfg)(answering(test.answer)).Request(t.Context(), test.action, nil, onEvent)
			require.NoError(t, err)
			assert.Equal(t, test.expect, string(result.Raw()))

			require.Len(t, events, 2, "every event is passed on")
			assert.Equal(t, "notifications/message", events[0].Method)
			assert.Equal(t, test.expect, string(events[1].Result), "the answer as an event is filtered too")
			assert.JSONEq(t, `{"jsonrpc":"2.0","id":7,"result":`+test.expect+`}`, string(events[1].Raw))
		})
	}
}

func TestFilterPassesErrorsAndEnvelopes(t *testing.T) {
	failing := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.Result{}, errors.ErrPeerLost
	})
	_, err := Filter("s", denyTools("x"))(failing).Request(t.Context(), "tools/list", nil, nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)

	envelope := json.RawMessage(`{"jsonrpc":"2.0","id":1,"result":null}`)
	null := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.EnvelopeResult(envelope), nil
	})
	result, err := Filter("s", denyTools("x"))(null).Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.True(t, result.IsEnvelope())
}

func TestFilterWithoutRulesIsNotThere(t *testing.T) {
	var next reached
	assert.Same(t, &next, Filter("s", FilterConfig{})(&next))
}

func TestFilterConfigIsCheckedWithItsPlace(t *testing.T) {
	cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  s:\n    tools:\n      allow: [\"a*\", \"[b\"]\n    resources: {deny: ['x\\']}\n    prompts: {allow: []}\n"))
	require.NoError(t, err)
	section, _ := cfg.Server("s")
	var filter FilterConfig
	require.Empty(t, section.Decode(&filter))
	faults := filter.Check(section)
	require.Len(t, faults, 2)
	assert.Contains(t, faults[0].String(), `mcp.yaml:4`)
	assert.Contains(t, faults[0].String(), `tools.allow: not a glob; found [b`)
	assert.Contains(t, faults[1].String(), `mcp.yaml:5`)
	assert.Contains(t, faults[1].String(), `resources.deny`)
	assert.NotNil(t, filter.Prompts.Allow, "an empty list is not an absent one: it allows nothing")
	assert.Nil(t, filter.Resources.Allow)
}

func denyTools(patterns ...string) FilterConfig {
	return FilterConfig{Tools: ToolRules{Rules: Rules{Deny: patterns}}}
}

func allowTools(patterns ...string) FilterConfig {
	return FilterConfig{Tools: ToolRules{Rules: Rules{Allow: append([]string{}, patterns...)}}}
}

func denyResources(patterns ...string) FilterConfig {
	return FilterConfig{Resources: Rules{Deny: patterns}}
}

func named(name string) any { return map[string]string{"name": name} }

func uri(uri string) any { return map[string]string{"uri": uri} }
