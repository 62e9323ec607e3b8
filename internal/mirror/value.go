package mirror

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Marks around an encoded value; case matters (R084).
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// EncodeValue writes text, which is UTF-8, so that it survives as an HTTP header
// value: as it is where that is safe, else as Base64 between marks. Encoded are
// values with non-ASCII or control characters, the tab included (P2), with a
// space at either end, and those that look encoded themselves (R078, R084,
// R085). The empty text stays empty.
func EncodeValue(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	if strings.HasPrefix(text, " ") || strings.HasSuffix(text, " ") {
		return false
	}
	return !strings.HasPrefix(text, encodedPrefix) || !strings.HasSuffix(text, encodedSuffix)
}

// DecodeValue undoes EncodeValue; a value without marks is returned as it is.
// The error wraps errors.ErrProtocol: what is between the marks is not Base64 in
// its one canonical spelling, or not of UTF-8 text.
func DecodeValue(value string) (string, error) {
	inner, marked := strings.CutPrefix(value, encodedPrefix)
	if marked {
		inner, marked = strings.CutSuffix(inner, encodedSuffix)
	}
	if !marked {
		return value, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(inner)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: header value is marked as Base64: %w", errors.ErrProtocol, err)
	case base64.StdEncoding.EncodeToString(decoded) != inner: // line breaks, stray bits
		return "", fmt.Errorf("%w: header value is not canonical Base64", errors.ErrProtocol)
	case !utf8.Valid(decoded):
		return "", fmt.Errorf("%w: header value is Base64 of bytes that are not UTF-8", errors.ErrProtocol)
	}
	return string(decoded), nil
}
