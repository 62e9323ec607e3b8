package session

import (
	"encoding/base64"
	"strings"
)

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// encodeHeaderValue writes text so that it survives as an HTTP header value:
// as it is where that is safe, else as Base64 of its UTF-8 bytes between
// markers (R078, R084, R085). Every control character is encoded, the tab
// included (P2).
func encodeHeaderValue(text string) string {
	if isPlainHeaderValue(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

func isPlainHeaderValue(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	if strings.HasPrefix(text, " ") || strings.HasSuffix(text, " ") {
		return false
	}
	return !(strings.HasPrefix(text, encodedPrefix) && strings.HasSuffix(text, encodedSuffix))
}
