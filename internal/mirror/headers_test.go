package mirror

import (
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func scan(t testing.TB, schema string) Bindings {
	t.Helper()
	b, err := Scan(json.RawMessage(schema))
	require.NoError(t, err)
	return b
}

const querySchema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"limit":{"type":"integer","x-mcp-header":"Limit"},
	"dryRun":{"type":"boolean","x-mcp-header":"Dry-Run"},
	"tenant":{"type":"object","properties":{"name":{"type":"string","x-mcp-header":"TenantName"}}},
	"sql":{"type":"string"}},"required":["sql"]}`

func TestHeadersOfACall(t *testing.T) { // R079, R080, R083
	headers, err := scan(t, querySchema).Headers(json.RawMessage(`{"region":"eu-central","limit":50,"dryRun":false,"tenant":{"name":"Zürich Bank","region":"x"},"sql":"select 1","name":"x"}`))
	require.NoError(t, err)
	assert.Equal(t, []Header{
		{"Mcp-Param-Dry-Run", "false"},
		{"Mcp-Param-Limit", "50"},
		{"Mcp-Param-Region", "eu-central"},
		{"Mcp-Param-TenantName", "=?base64?WsO8cmljaCBCYW5r?="},
	}, headers)
}

func TestArgumentsWithoutHeader(t *testing.T) { // R080, P73
	b := scan(t, querySchema)
	for _, arguments := range []string{
		``, `null`, `[]`, `"region"`, `{}`, `{"sql":"x"}`, `{"region":null,"limit":null,"dryRun":null,"tenant":null}`,
		`{"region":7,"limit":"50","dryRun":"true","tenant":"x"}`, `{"region":["a"],"limit":{},"dryRun":0,"tenant":[{"name":"x"}]}`,
		`{"limit":42.5}`, `{"limit":1e-1}`, `{"limit":1e-99999999999999999999}`, `{"Region":"wrong case"}`, `{"name":"not nested"}`,
		`{"region":"a","region":null}`,
	} {
		headers, err := b.Headers(json.RawMessage(arguments))
		require.NoError(t, err, arguments)
		assert.Empty(t, headers, arguments)
	}
	headers, err := Bindings(nil).Headers(json.RawMessage(`{"a":1}`))
	require.NoError(t, err)
	assert.Nil(t, headers)

	headers, err = b.Headers(json.RawMessage(`{"region":"a","region":"b"}`))
	require.NoError(t, err)
	assert.Equal(t, []Header{{"Mcp-Param-Region", "b"}}, headers, "of two the last, as readers have it")
}

func TestIntegers(t *testing.T) { // R083, P73
	b := scan(t, `{"properties":{"t":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}`)
	for number, want := range map[string]string{
		"42": "42", "-7": "-7", "0": "0", "-0": "0", "0.0": "0", "-0e5": "0", "0e99999999999999999999": "0",
		"42.0": "42", "42.000": "42", "4.2e1": "42", "4.2E+1": "42", "420e-1": "42", "0.42e2": "42", "-4200e-2": "-42", "0.00042e5": "42", "1e3": "1000", "10": "10",
		"9007199254740991": "9007199254740991", "-9007199254740991": "-9007199254740991", "9007199254740991.0": "9007199254740991",
		"9.007199254740991e15": "9007199254740991", "1000000000000000": "1000000000000000",
	} {
		headers, err := b.Headers(json.RawMessage(`{"t":{"n":` + number + `}}`))
		require.NoError(t, err, number)
		assert.Equal(t, []Header{{"Mcp-Param-N", want}}, headers, number)
	}
	for _, number := range []string{"9007199254740992", "-9007199254740992", "9007199254740993", "1e16", "1e400", "-1e99999999999999999999", "9.007199254740992e15", strings.Repeat("9", 1000)} {
		_, err := b.Headers(json.RawMessage(`{"t":{"n":` + number + `}}`))
		require.ErrorIs(t, err, errors.ErrInvalidParams, number)
		assert.ErrorContains(t, err, `argument "t.n"`)
		assert.ErrorContains(t, err, "9007199254740991")
	}
}

// The headers arrive at a server as they were made, and name the same arguments.
func TestHeadersOnTheWire(t *testing.T) {
	got := make(chan http.Header, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header }))
	defer server.Close()
	for _, text := range vectors() {
		arguments, err := json.Marshal(map[string]string{"region": text.plain})
		require.NoError(t, err)
		headers, err := scan(t, querySchema).Headers(arguments)
		require.NoError(t, err)
		request, err := http.NewRequest(http.MethodPost, server.URL, nil)
		require.NoError(t, err)
		for _, h := range headers {
			request.Header[h.Name] = []string{h.Value}
		}
		answer, err := server.Client().Do(request)
		require.NoError(t, err, text.plain)
		require.NoError(t, answer.Body.Close())
		values := (<-got)["Mcp-Param-Region"]
		require.Len(t, values, 1)
		decoded, err := DecodeValue(values[0])
		require.NoError(t, err)
		assert.Equal(t, text.plain, decoded)
	}
	server.Client().CloseIdleConnections()
}

func FuzzInteger(f *testing.F) {
	for _, seed := range []string{"42", "-0.00", "4.2e1", "1e-3", "9007199254740991", "123456789012345678901234567890e-20", "1e", ".", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		text, ok := integer([]byte(number))
		if len(number) > 100 || !json.Valid([]byte(number)) || strings.ContainsAny(number, " \t\r\n\"[{tfn") {
			return
		}
		_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
		if len(exponent) > 4 {
			return // math/big would write it out
		}
		exact, parsed := new(big.Rat).SetString(number)
		require.True(t, parsed)
		require.Equal(t, exact.IsInt(), isInteger([]byte(number)))
		safe := exact.IsInt() && exact.Num().CmpAbs(big.NewInt(largestInteger)) <= 0
		require.Equal(t, safe, ok)
		if safe {
			require.Equal(t, exact.Num().String(), text)
		}
	})
}
