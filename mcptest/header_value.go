package mcptest

import (
	"encoding/base64"
	"strings"
)

// decodeHeaderValue undoes the encoding of a mirrored header (R084). It returns
// false for a value that is marked as encoded and is not base64.
func decodeHeaderValue(value string) (string, bool) {
	inner, marked := strings.CutPrefix(value, "=?base64?")
	if !marked || !strings.HasSuffix(inner, "?=") {
		return value, true
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
	return string(decoded), err == nil
}
