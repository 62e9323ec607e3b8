package mcptest

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/redact"
)

// shownDifferences bounds how many differences one failure shows.
const shownDifferences = 8

// comparison collects the differences between two decoded values, each with its
// place.
type comparison struct {
	subset bool // got may have more members
	masked bool // *** within a wanted string stands for anything
	found  []string
}

// text renders the differences, "" for none.
func (c *comparison) text() string {
	shown := c.found
	if len(shown) > shownDifferences {
		shown = append(shown[:shownDifferences:shownDifferences], fmt.Sprintf("and %d more differences", len(c.found)-shownDifferences))
	}
	return strings.Join(shown, "\n\t\t")
}

func (c *comparison) add(place, want, got string) {
	c.found = append(c.found, fmt.Sprintf("%s: want %s, got %s", place, want, got))
}

func (c *comparison) compare(place string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		if object, ok := got.(map[string]any); ok {
			c.objects(place, want, object)
			return
		}
	case []any:
		if array, ok := got.([]any); ok && len(want) == len(array) {
			for i := range want {
				c.compare(fmt.Sprintf("%s[%d]", place, i), want[i], array[i])
			}
			return
		}
	case string:
		if c.masked && isMaskOf(want, got) {
			return
		}
	}
	if !reflect.DeepEqual(want, got) {
		c.add(place, string(encode(want)), string(encode(got)))
	}
}

func (c *comparison) objects(place string, want, got map[string]any) {
	for _, key := range sortedKeys(want) {
		if value, ok := got[key]; ok {
			c.compare(place+"."+key, want[key], value)
		} else {
			c.add(place+"."+key, string(encode(want[key])), "nothing")
		}
	}
	if c.subset {
		return
	}
	for _, key := range sortedKeys(got) {
		if _, ok := want[key]; !ok {
			c.add(place+"."+key, "nothing", string(encode(got[key])))
		}
	}
}

// isMaskOf reports whether want, in which secrets are masked, can be got.
func isMaskOf(want string, got any) bool {
	parts := strings.Split(want, redact.Mask)
	if want == redact.Mask {
		return true // whatever type the secret had
	}
	text, ok := got.(string)
	if !ok || len(parts) == 1 || !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
