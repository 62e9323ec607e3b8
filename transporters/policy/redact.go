package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Limits of a payload in the log.
const (
	maxPayload        = 4096    // bytes, of what is written
	maxPayloadRead    = 1 << 20 // bytes; nothing is shown of a larger one
	maxPayloadText    = 200     // bytes, of one text
	maxPayloadMembers = 50      // of one list or object
)

// redacted stands for what must not be shown.
const redacted = "***"

// shownPayload is a payload as a log may have it. Members come in the order of their
// names.
func shownPayload(raw []byte) string {
	switch {
	case len(raw) == 0:
		return ""
	case len(raw) > maxPayloadRead:
		return "(too large to show)"
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "(not valid)"
	}
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(redact(value)); err != nil {
		return "(not valid)"
	}
	return errors.PeerText(strings.TrimSuffix(written.String(), "\n"), maxPayload)
}

func redact(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return redactObject(v)
	case []any:
		short := make([]any, 0, min(len(v), maxPayloadMembers+1))
		for i, element := range v {
			if i == maxPayloadMembers {
				short = append(short, fmt.Sprintf("... %d more", len(v)-i))
				break
			}
			short = append(short, redact(element))
		}
		return short
	case string:
		return redactText(v)
	default:
		return value
	}
}

func redactObject(members map[string]any) map[string]any {
	short := make(map[string]any, min(len(members), maxPayloadMembers+1))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if len(short) == maxPayloadMembers {
			short["..."] = fmt.Sprintf("%d more", len(members)-maxPayloadMembers)
			break
		}
		shown, value := errors.PeerText(name, maxShown), members[name]
		switch value.(type) {
		case string, map[string]any, []any:
			if isSecretName(name) {
				short[shown] = redacted
				continue
			}
		}
		short[shown] = redact(value)
	}
	return short
}

// isSecretName reports whether what has the name is no business of a log's.
func isSecretName(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	for _, part := range [...]string{"authorization", "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "cookie", "credential", "sessionid"} {
		if strings.Contains(plain, part) {
			return true
		}
	}
	return false
}

// redactText shortens a text, and takes tokens out that are known by their look.
func redactText(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		follows := i > 0 && (strings.EqualFold(words[i-1], "bearer") || strings.EqualFold(words[i-1], "basic")) && len(word) >= 8
		if follows || isJSONWebToken(word) {
			text = strings.ReplaceAll(text, word, redacted)
		}
	}
	return cutText(text)
}

// isJSONWebToken reports whether the word has the look of one, or of a part of one.
func isJSONWebToken(word string) bool {
	return strings.Contains(word, "eyJ") && strings.Count(word, ".") >= 2
}

func cutText(text string) string {
	if len(text) <= maxPayloadText {
		return text
	}
	return strings.ToValidUTF8(text[:maxPayloadText], "") + fmt.Sprintf("... (%d bytes)", len(text))
}
