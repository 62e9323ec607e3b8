package policy

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	orderTools = `{"tools":[{"name":"order","inputSchema":{},"outputSchema":{"type":"object","properties":{"total":{"type":"number"},"lines":{"type":"array","items":{"required":["sku"]}}},"required":["total"]}},` +
		`{"name":"any","outputSchema":true},{"name":"remote","outputSchema":{"$ref":"https://example.com/order.json"}},{"name":"plain"},{"name":"nothing","outputSchema":null}]}`
	fitting  = `{"content":[],"structuredContent":{"total":3}}`
	breaking = `{"content":[],"structuredContent":{"total":"3"}}`
)

func callNamed(name string) *mcp.Params { return mcp.NameParams(name, nil) }

func logTo(b *bytes.Buffer) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: b, DisableTime: true})
}

// TestOutputStrict: R149, R036 and P18, each with what the caller gets; a
// result with isError is a result.
func TestOutputStrict(t *testing.T) {
	for name, test := range map[string]struct {
		tool, result string
		want         string // part of the error; "" is none
	}{
		"fits":                        {"order", fitting, ""},
		"a wrong type":                {"order", breaking, `the structuredContent of tool "order" does not fit its outputSchema: /total: must be number, found a string (/properties/total/type of the schema)`},
		"within an array":             {"order", `{"structuredContent":{"total":1,"lines":[{"sku":1},{}]}}`, `/lines/1: has no member "sku"`},
		"no structured content":       {"order", `{"content":[{"type":"text","text":"{\"total\":3}"}]}`, `tool "order" has an outputSchema, but its result has no structuredContent`},
		"null is structured content":  {"order", `{"structuredContent":null}`, "the whole: must be object, found null"},
		"any value may be":            {"any", `{"structuredContent":null}`, ""},
		"but it must be there":        {"any", `{"content":[]}`, "has no structuredContent"},
		"an error of the tool passes": {"order", `{"isError":true,"content":[]}`, ""},
		"a request for input passes":  {"order", `{"resultType":"input_required","requestState":"s"}`, ""},
		"a task passes":               {"order", `{"resultType":"task","taskId":"t","status":"working"}`, ""},
		"nonsense is the caller's":    {"order", `{"content":7}`, ""},
		"a tool without a schema":     {"plain", breaking, ""},
		"a schema of null is none":    {"nothing", breaking, ""},
		"a tool that was not listed":  {"other", breaking, ""},
	} {
		t.Run(name, func(t *testing.T) {
			peer := mcptest.NewTransporter(t)
			peer.Expect("tools/list").Return(orderTools)
			peer.Expect("tools/call").Return(test.result)
			chain := Output("shop", OutputConfig{Validation: OutputStrict}, nil, nil)(peer)

			listed, err := chain.Request(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
			require.Equal(t, orderTools, string(listed.Raw()), "the list passes byte for byte (R038)")
			result, err := chain.Request(t.Context(), "tools/call", callNamed(test.tool), nil)
			if test.want == "" {
				require.NoError(t, err)
				require.Equal(t, test.result, string(result.Raw()))
				return
			}
			require.ErrorIs(t, err, errors.ErrProtocol)
			require.ErrorContains(t, err, `mcp server "shop": tools/call: `)
			require.ErrorContains(t, err, test.want)
			failure, _ := errors.AsType[*errors.TransporterRequestError](err)
			assert.Equal(t, errors.KindProtocol, failure.Kind)
			assert.Equal(t, errors.DeliveryAnswered, failure.Delivery)
			assert.False(t, errors.SafeToRetry(err), "the tool has run")
		})
	}
}

// R036: with a schema that cannot be used a strict call is not made; warn makes
// it and says so.
func TestOutputOfAnUnusableSchema(t *testing.T) {
	peer := mcptest.NewTransporter(t)
	peer.Expect("tools/list").Return(orderTools)
	chain := Output("shop", OutputConfig{Validation: OutputStrict}, nil, nil)(peer)
	_, err := chain.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	_, err = chain.Request(t.Context(), "tools/call", callNamed("remote"), nil)
	require.ErrorContains(t, err, `the outputSchema of tool "remote" cannot be used: at the top: the reference "https://example.com/order.json" leads out of the schema; nothing is fetched`)
	assert.True(t, errors.SafeToRetry(err), "it was not sent")

	var log bytes.Buffer
	peer.Expect("tools/list").Return(orderTools)
	peer.Expect("tools/call").Times(2).Return(fitting)
	chain = Output("shop", OutputConfig{}, logTo(&log), nil)(peer)
	_, err = chain.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	for range 2 {
		_, err = chain.Request(t.Context(), "tools/call", callNamed("remote"), nil)
		require.NoError(t, err)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "leads out of the schema"))
}

// warn passes the result on and logs once for each tool and rule, wherever in
// the content it is broken.
func TestOutputWarns(t *testing.T) {
	var log bytes.Buffer
	peer := mcptest.NewTransporter(t)
	peer.Expect("tools/list").Return(orderTools)
	answers := []string{breaking, breaking, `{"structuredContent":{"total":1,"lines":[{}]}}`, `{"structuredContent":{"total":1,"lines":[{"sku":1},{}]}}`, fitting}
	for _, answer := range answers {
		peer.Expect("tools/call").Return(answer)
	}
	chain := Output("shop", OutputConfig{Validation: OutputWarn}, logTo(&log), nil)(peer)
	_, err := chain.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	for _, answer := range answers {
		result, err := chain.Request(t.Context(), "tools/call", callNamed("order"), nil)
		require.NoError(t, err)
		require.Equal(t, answer, string(result.Raw()))
	}
	assert.Equal(t, 2, strings.Count(log.String(), "\n"), log.String())
	assert.Contains(t, log.String(), "[WARN]")
	assert.Contains(t, log.String(), "/total: must be number")
	assert.Contains(t, log.String(), "/lines/0: has no member")
}

func TestWarningsAreBounded(t *testing.T) {
	var w warned
	for i := range maxWarned {
		require.True(t, w.first("tool", strconv.Itoa(i)))
	}
	require.False(t, w.first("tool", "one more"))
	require.Len(t, w.seen, maxWarned)
}

func TestOutputOffIsNotThere(t *testing.T) {
	var next reached
	assert.Same(t, &next, Output("s", OutputConfig{Validation: OutputOff}, nil, nil)(&next))
}

// Servers may list different tools, or different schemas, to different
// principals.
func TestOutputKeepsPrincipalsApart(t *testing.T) {
	list := func(schema string) string {
		return `{"tools":[{"name":"order","outputSchema":` + schema + `}]}`
	}
	lists := map[string]string{"alice": list(`{"type":"object"}`), "bob": list(`{"type":"array"}`)}
	next := transporters.TransporterFunc(func(ctx context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		if action == "tools/list" {
			return mcp.NewResult([]byte(lists[transporters.CallOptionsOf(ctx).Principal])), nil
		}
		return mcp.NewResult([]byte(`{"structuredContent":{}}`)), nil
	})
	chain := Output("shop", OutputConfig{Validation: OutputStrict}, nil, nil)(next)
	for principal := range lists {
		_, err := chain.Request(as(t.Context(), principal), "tools/list", nil, nil)
		require.NoError(t, err)
	}
	_, err := chain.Request(as(t.Context(), "alice"), "tools/call", callNamed("order"), nil)
	require.NoError(t, err)
	_, err = chain.Request(as(t.Context(), "bob"), "tools/call", callNamed("order"), nil)
	require.ErrorContains(t, err, "must be array, found an object")
	_, err = chain.Request(as(t.Context(), "carol"), "tools/call", callNamed("order"), nil)
	require.NoError(t, err, "to carol nothing was listed")
}

func as(ctx context.Context, principal string) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Principal = principal })
}

// neverCompiled is for tests of what a catalogue holds.
func neverCompiled([]byte) (validator, error) { return nil, errors.New("not compiled in this test") }

func page(hasNext bool, tools ...string) toolPage {
	p := toolPage{hasNext: hasNext}
	for _, tool := range tools {
		name, schema, _ := strings.Cut(tool, "=")
		listed := listedTool{name: name}
		if schema != "" {
			listed.schema = []byte(schema)
		}
		p.tools = append(p.tools, listed)
	}
	return p
}

// A new list replaces the old one page by page, and nothing is left of it.
func TestCatalogueFollowsTheList(t *testing.T) {
	c := newCatalogue(neverCompiled)
	known := func() (names []string) {
		for _, name := range []string{"a", "b", "c", "d"} {
			if schema := c.find("", name).schema; schema != nil {
				names = append(names, name+"="+schema.text)
			}
		}
		return names
	}
	require.True(t, c.isEmpty())
	c.learn("", true, page(true, "a=1", "b=2"))
	c.learn("", false, page(false, "c=3"))
	require.Equal(t, []string{"a=1", "b=2", "c=3"}, known())

	c.learn("", true, page(true, "a=4", "b"))
	require.Equal(t, []string{"a=4", "c=3"}, known(), "what was not listed again yet stays")
	c.learn("", false, page(false, "d=5"))
	require.Equal(t, []string{"a=4", "d=5"}, known(), "c is gone")

	c.learn("", true, page(false, "a", "d"))
	require.Empty(t, known())
	require.True(t, c.isEmpty())
	require.Empty(t, c.schemas)
	require.Zero(t, c.bytes)
}

// Equal schemas of many principals are held once; who was idle for longest makes
// room.
func TestCatalogueIsBounded(t *testing.T) {
	c := newCatalogue(neverCompiled)
	for i := range maxPrincipals + 10 {
		require.False(t, c.learn(strconv.Itoa(i), true, page(false, "a={}")))
		require.NotNil(t, c.find("0", "a").schema, "whoever calls stays")
	}
	require.Len(t, c.principals, maxPrincipals)
	require.Nil(t, c.find("1", "a").schema)
	require.Len(t, c.schemas, 1)
	require.EqualValues(t, maxPrincipals, c.tools.Load())

	large := strings.Repeat("x", 256<<10)
	var tools []string
	for i := range 100 {
		tools = append(tools, fmt.Sprintf("t%d=%d%s", i, i, large[:200<<10]))
	}
	require.True(t, c.learn("greedy", true, page(false, tools...)), "more than all room")
	require.Len(t, c.principals, 1, "the others made room")
	require.LessOrEqual(t, c.bytes, maxSchemaBytes)

	tooLong := newCatalogue(compileSchema)
	tooLong.learn("", true, page(false, `a={"title":"`+large+large+`"}`))
	require.LessOrEqual(t, tooLong.bytes, 256<<10+1)
	_, err := tooLong.find("", "a").schema.validator()
	require.ErrorContains(t, err, "are too many")
}

func TestOutputConfigIsCheckedWithItsPlace(t *testing.T) {
	cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  s:\n    output_validation: strcit\n"))
	require.NoError(t, err)
	section, _ := cfg.Server("s")
	var output OutputConfig
	require.Empty(t, section.Decode(&output))
	faults := output.Check(section)
	require.Len(t, faults, 1)
	assert.Equal(t, `mcp.yaml:3:5: server "s": output_validation: not one of the allowed values; found strcit; allowed: strict, warn, off; did you mean "strict"?`, faults[0].String())

	absent, err := config.Parse("mcp.yaml", []byte("servers:\n  s: {}\n"))
	require.NoError(t, err)
	section, _ = absent.Server("s")
	require.Empty(t, section.Decode(&output))
	assert.Equal(t, OutputWarn, output.Validation)
	assert.Empty(t, output.Check(section))
}

// What is not checked must cost next to nothing: compare "off" with the others.
func BenchmarkOutput(b *testing.B) {
	answer := mcp.NewResult([]byte(fitting))
	listed := mcp.NewResult([]byte(orderTools))
	next := transporters.TransporterFunc(func(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		if action == "tools/list" {
			return listed, nil
		}
		return answer, nil
	})
	for name, test := range map[string]struct {
		mode, tool string
		list       bool
	}{
		"off":             {OutputOff, "order", false},
		"nothing listed":  {OutputWarn, "order", false},
		"without schema":  {OutputWarn, "plain", true},
		"with its schema": {OutputWarn, "order", true},
	} {
		b.Run(name, func(b *testing.B) {
			chain := Output("s", OutputConfig{Validation: test.mode}, nil, nil)(next)
			if test.list {
				_, _ = chain.Request(b.Context(), "tools/list", nil, nil)
			}
			params := callNamed(test.tool)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := chain.Request(b.Context(), "tools/call", params, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
