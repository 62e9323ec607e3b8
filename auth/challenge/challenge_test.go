package challenge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) { // R236, P96
	bearer := func(parameters map[string]string) Challenge {
		return Challenge{Scheme: "Bearer", Parameters: parameters}
	}
	for name, test := range map[string]struct {
		values []string
		want   []Challenge
	}{
		"none": {nil, nil},
		"one": {
			[]string{`Bearer resource_metadata="https://a/x", scope="a b"`},
			[]Challenge{bearer(map[string]string{"resource_metadata": "https://a/x", "scope": "a b"})},
		},
		"bare scheme": {[]string{"Bearer"}, []Challenge{bearer(map[string]string{})}},
		"two schemes in a line": {
			[]string{`Basic realm="x, y", Bearer error="invalid_token",DPoP algs="ES256"`},
			[]Challenge{
				{Scheme: "Basic", Parameters: map[string]string{"realm": "x, y"}},
				bearer(map[string]string{"error": "invalid_token"}),
				{Scheme: "DPoP", Parameters: map[string]string{"algs": "ES256"}},
			},
		},
		"several lines": {
			[]string{"Negotiate", `Bearer scope=one`},
			[]Challenge{{Scheme: "Negotiate", Parameters: map[string]string{}}, bearer(map[string]string{"scope": "one"})},
		},
		"quotes, escapes, case and blanks": {
			[]string{`bearer  Realm = "say \"hi\", \\ there" , , SCOPE="s"`},
			[]Challenge{{Scheme: "bearer", Parameters: map[string]string{"realm": `say "hi", \ there`, "scope": "s"}}},
		},
		"token68": {
			[]string{`Negotiate abc+/==, Bearer scope="s"`},
			[]Challenge{{Scheme: "Negotiate", Token68: "abc+/==", Parameters: map[string]string{}}, bearer(map[string]string{"scope": "s"})},
		},
		"unquoted URL":         {[]string{`Bearer resource_metadata=https://a/x?y=z, scope=s`}, []Challenge{bearer(map[string]string{"resource_metadata": "https://a/x?y=z", "scope": "s"})}},
		"the first one counts": {[]string{`Bearer scope="a", scope="b"`}, []Challenge{bearer(map[string]string{"scope": "a"})}},
		"open quote":           {[]string{`Bearer scope="a b`}, []Challenge{bearer(map[string]string{"scope": "a b"})}},
		"rubbish":              {[]string{`"x, y", =, Bearer scope="s"`}, []Challenge{bearer(map[string]string{"scope": "s"})}},
		"schemes follow":       {[]string{`Basic, Bearer, DPoP`}, []Challenge{{Scheme: "Basic", Parameters: map[string]string{}}, bearer(map[string]string{}), {Scheme: "DPoP", Parameters: map[string]string{}}}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, Parse(test.values)) })
	}
}

func TestParseIsBounded(t *testing.T) {
	many := Parse([]string{"Bearer " + strings.Repeat(`a="b",`, 1<<20)})
	require.Len(t, many, 1)
	assert.Len(t, many[0].Parameters, 1)
	assert.LessOrEqual(t, len(Parse([]string{strings.Repeat("Bearer,", 1<<20)})), maxBytes)
}

func TestFind(t *testing.T) {
	all := Parse([]string{`Basic realm="x", bearer scope="s"`})
	found, ok := Find(all, "DPoP", "Bearer")
	require.True(t, ok)
	assert.Equal(t, "s", found.Parameter("scope"))
	_, ok = Find(all, "Digest")
	assert.False(t, ok)
}

func FuzzParse(f *testing.F) {
	f.Add(`Bearer a="b", Basic`)
	f.Add(`Negotiate x==,"`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Parse([]string{text}) {
			require.NotEmpty(t, c.Scheme)
			require.NotNil(t, c.Parameters)
		}
	})
}
