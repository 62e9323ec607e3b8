package arguments

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A word is a key with what stands behind the sign, or an error; files are left out.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"a=b", "a:=1", "a[]=x", "a[]:=[1]", "a=@@b", "=x", "a", "a:=", "a.b=c=d", "[]=", ":="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "=@") && !strings.Contains(text, "=@@") {
			return
		}
		words, err := Parse([]string{text}, &Source{Stdin: strings.NewReader("")})
		if err != nil {
			return
		}
		word := words[0]
		require.True(t, strings.HasPrefix(text, word.Key) && word.Key != "")
		require.True(t, strings.HasSuffix(text, word.Text))
		if word.IsJSON {
			require.True(t, json.Valid([]byte(word.Text)))
		}
	})
}
