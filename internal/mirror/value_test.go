package mirror

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// vectors are values and how they are encoded (R083-R085, P1, P2).
func vectors() []struct{ plain, encoded string } {
	return []struct{ plain, encoded string }{
		{"us-west1", "us-west1"},
		{"two words", "two words"},
		{"", ""},
		{"Zürich Bank", "=?base64?WsO8cmljaCBCYW5r?="},
		{"日本語", "=?base64?5pel5pys6Kqe?="},
		{" us-west1", "=?base64?IHVzLXdlc3Qx?="},
		{"us-west1 ", "=?base64?dXMtd2VzdDEg?="},
		{"\tindented", "=?base64?CWluZGVudGVk?="},
		{"a\tb", "=?base64?YQli?="},
		{"line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?="},
		{"\x7f", "=?base64?fw==?="},
		{"\x00", "=?base64?AA==?="},
		{"=?base64?SGk=?=", "=?base64?PT9iYXNlNjQ/U0drPT89?="},
		{"=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="},
		{"=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="},
		{"=?base64?open", "=?base64?open"},
		{"=?BASE64?SGk=?=", "=?BASE64?SGk=?="},
		{"shut?=", "shut?="},
		{`quote " back \ tilde ~`, `quote " back \ tilde ~`},
		{"file:///Übersicht/données.csv", "=?base64?ZmlsZTovLy/DnGJlcnNpY2h0L2Rvbm7DqWVzLmNzdg==?="},
	}
}

func TestValues(t *testing.T) {
	for _, c := range vectors() {
		assert.Equal(t, c.encoded, EncodeValue(c.plain))
		decoded, err := DecodeValue(c.encoded)
		require.NoError(t, err, c.encoded)
		assert.Equal(t, c.plain, decoded)
	}
	decoded, err := DecodeValue("=?base64??=") // another spelling of nothing
	require.NoError(t, err)
	assert.Empty(t, decoded)
}

func TestDecodeIsStrict(t *testing.T) {
	for name, value := range map[string]string{
		"no padding":           "=?base64?SGk?=",
		"other alphabet":       "=?base64?_-8=?=",
		"stray bits":           "=?base64?SGl=?=",
		"line break":           "=?base64?SG\nk=?=",
		"space":                "=?base64?SGk= ?=",
		"no Base64 at all":     "=?base64?Zürich?=",
		"text after padding":   "=?base64?SGk=SGk=?=",
		"bytes, no UTF-8 text": "=?base64?/w==?=",
	} {
		_, err := DecodeValue(value)
		assert.ErrorIs(t, err, errors.ErrProtocol, name)
	}
}

func FuzzValue(f *testing.F) {
	for _, c := range vectors() {
		f.Add(c.plain)
		f.Add(c.encoded)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if decoded, err := DecodeValue(text); err == nil && decoded != text {
			require.True(t, utf8.ValidString(decoded))
			require.True(t, strings.HasPrefix(text, encodedPrefix), "only marked values change")
		}
		if !utf8.ValidString(text) {
			return
		}
		encoded := EncodeValue(text)
		require.Negative(t, strings.IndexFunc(encoded, func(r rune) bool { return r < ' ' || r > '~' }))
		require.Equal(t, encoded, strings.TrimSpace(encoded))
		decoded, err := DecodeValue(encoded)
		require.NoError(t, err)
		require.Equal(t, text, decoded)
	})
}
