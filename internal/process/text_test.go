package process

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSanitize(t *testing.T) { // P103
	tests := map[string]struct {
		text, want string
		limit      int
	}{
		"plain":            {text: "Zürich 東京 ok", want: "Zürich 東京 ok"},
		"colours":          {text: "\x1b[1;31merror:\x1b[0m bad\x1b[K", want: "error: bad"},
		"other escapes":    {text: "\x1b]0;title\a", want: `\x1b]0;title\x07`},
		"unended sequence": {text: "\x1b[12", want: `\x1b[12`},
		"controls":         {text: "a\tb\rc\x00d\x7f", want: `a b\x0dc\x00d\x7f`},
		"not UTF-8":        {text: "a\xff\xc3", want: `a\xff\xc3`},
		"bidi override":    {text: "a\u202eb", want: `a\u202eb`},
		"line separator":   {text: "a\u2028b", want: `a\u2028b`},
		"cut":              {text: "abcdef", limit: 4, want: "abcd..."},
		"cut by the rune":  {text: "abcü", limit: 4, want: "abc..."},
		"exact":            {text: "abcd", limit: 4, want: "abcd"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			limit := test.limit
			if limit == 0 {
				limit = 1000
			}
			require.Equal(t, test.want, Sanitize(test.text, limit))
		})
	}
}

func TestEnvironment(t *testing.T) {
	parent := []string{"PATH=/bin", "HOME=/h", "AWS_SECRET=x", "SHELL=() { :;}", "EMPTY=", "malformed", "PATH=/usr/bin"}
	tests := map[string]struct {
		mode    Inherit
		extra   map[string]string
		parent  []string
		windows bool
		want    []string
	}{
		"safe":             {mode: InheritSafe, parent: parent, want: []string{"HOME=/h", "PATH=/usr/bin"}},
		"all":              {mode: InheritAll, parent: parent, want: []string{"AWS_SECRET=x", "EMPTY=", "HOME=/h", "PATH=/usr/bin"}},
		"none":             {mode: InheritNone, parent: parent, want: []string{}},
		"none and extra":   {mode: InheritNone, parent: parent, extra: map[string]string{"B": "=1", "A": "()"}, want: []string{"A=()", "B==1"}},
		"extra is on top":  {mode: InheritSafe, parent: parent, extra: map[string]string{"PATH": "/x", "NEW": ""}, want: []string{"HOME=/h", "NEW=", "PATH=/x"}},
		"case matters":     {mode: InheritSafe, parent: []string{"Path=/a"}, want: []string{}},
		"Windows folds":    {mode: InheritSafe, windows: true, parent: []string{"Path=a", "SystemRoot=w", "X=1"}, extra: map[string]string{"PATH": "b"}, want: []string{"PATH=b", "SystemRoot=w"}},
		"sealed Windows":   {mode: InheritNone, windows: true, parent: []string{"Path=a", "SystemRoot=w"}, want: []string{"SystemRoot=w"}},
		"Windows drives":   {mode: InheritAll, windows: true, parent: []string{"=C:=C:\\x"}, want: []string{"=C:=C:\\x"}},
		"Windows two ways": {mode: InheritNone, windows: true, extra: map[string]string{"Key": "1", "KEY": "2"}, want: []string{"Key=1"}},
		"nothing at all":   {mode: InheritAll, want: []string{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := environment(test.mode, test.extra, test.parent, test.windows)
			require.NotNil(t, got, "nil would inherit everything")
			require.Equal(t, test.want, got)
		})
	}
}

func TestRedactArgs(t *testing.T) {
	tests := map[string]struct{ args, want []string }{
		"nothing":              {[]string{"npx", "-y", "@scope/server", "--port=80", "-v", "/data"}, []string{"npx", "-y", "@scope/server", "--port=80", "-v", "/data"}},
		"flag with value":      {[]string{"x", "--token=abc", "--api-key=a=b", "-Password=p q"}, []string{"x", "--token=***", "--api-key=***", "-Password=***"}},
		"flag, then value":     {[]string{"x", "--token", "abc", "--secret-key", "--odd", "y"}, []string{"x", "--token", "***", "--secret-key", "***", "y"}},
		"-p":                   {[]string{"mysql", "-p", "abc", "db"}, []string{"mysql", "-p", "***", "db"}},
		"variable":             {[]string{"docker", "run", "-e", "GITHUB_TOKEN=abc", "--env=DB_PASSWORD=x;y", "-e", "DEBUG=1"}, []string{"docker", "run", "-e", "GITHUB_TOKEN=***", "--env=DB_PASSWORD=***", "-e", "DEBUG=1"}},
		"URL user":             {[]string{"x", "postgres://u:p@ss@host:1/db", "--url=https://tok@h/p@q", "https://h/p@q"}, []string{"x", "postgres://***@host:1/db", "--url=https://***@h/p@q", "https://h/p@q"}},
		"query":                {[]string{"x", "https://h/p?a=1&api_key=abc&b=2"}, []string{"x", "https://h/p?a=1&api_key=***&b=2"}},
		"header":               {[]string{"mcp-remote", "--header", "Authorization: Bearer abc def", "X-Api-Key:abc"}, []string{"mcp-remote", "--header", "Authorization: ***", "X-Api-Key:***"}},
		"bearer elsewhere":     {[]string{"x", "with bearer abc"}, []string{"x", "with bearer ***"}},
		"JSON":                 {[]string{"x", `{"apiKey": "abc","port":1}`}, []string{"x", `{"apiKey": "***","port":1}`}},
		"connection string":    {[]string{"x", "host=h password=a;b user=u"}, []string{"x", "host=h password=*** user=u"}},
		"known token":          {[]string{"x", "ghp_0123456789abcdef", "sk-short"}, []string{"x", "***", "sk-short"}},
		"program is no flag":   {[]string{"-p", "x"}, []string{"-p", "x"}},
		"secret flag at end":   {[]string{"x", "--token"}, []string{"x", "--token"}},
		"empty value is shown": {[]string{"x", "a token: "}, []string{"x", "a token: "}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			original := append([]string{}, test.args...)
			require.Equal(t, test.want, RedactArgs(test.args))
			require.Equal(t, original, test.args)
		})
	}
}

func TestCommandLine(t *testing.T) {
	require.Equal(t, `npx -y "two words" "" "a\nb"`, CommandLine([]string{"npx", "-y", "two words", "", "a\nb"}))
	require.LessOrEqual(t, len(CommandLine([]string{strings.Repeat("x", 5000)})), 1<<10+3)
	require.Equal(t, `prog *** --pin=*** see-***-here 12x *** ""`,
		CommandLine([]string{"prog", "12", "--pin=12", "see-sEcReT-here", "12x", "postgres://u:p@h", ""}, "sEcReT", "12", "postgres://u:p@h", ""))
}

func TestSecrets(t *testing.T) {
	configured := map[string]string{"NAME": "a long value", "PORT": "8080", "HOME": "/home/somebody", "PATH": "/usr/bin:/bin"}
	words := []string{"/home/me", "12", "sEcReT", ""}
	parent := []string{"HOME=/home/me", "OTHER=sEcReT"}
	require.Equal(t, []string{"12", "a long value", "sEcReT"}, Secrets(configured, words, parent))
}

func TestSecretFilter(t *testing.T) { // P104
	filter := NewSecretFilter([]string{"A_TOKEN=short", "B_TOKEN=long enough", "KEY=-----BEGIN\nMIIabcdef\n-----END"})
	require.Equal(t, "short *** *** end", filter.Excerpt([]byte("short long enough MIIabcdef end"), 100))
	require.Equal(t, "short l...", SecretFilter{}.Excerpt([]byte("short long enough"), 7))
	require.Equal(t, "any", SecretFilter{}.Excerpt([]byte("any"), 100))
	for _, env := range [][]string{{"A_TOKEN=canary", "B_TOKEN=canary-and-more"}, {"B_TOKEN=canary-and-more", "A_TOKEN=canary"}} {
		require.Equal(t, "a *** b ***", NewSecretFilter(env).Excerpt([]byte("a canary-and-more b canary"), 100), "one begins the other")
	}
	require.Equal(t, "a ***", NewSecretFilter([]string{"PLAIN=x"}, "told/apart").Excerpt([]byte(`a told\/apart`), 100))
}

// TestExcerptShowsNoPartOfASecret cuts at every place of a secret.
func TestExcerptShowsNoPartOfASecret(t *testing.T) {
	const limit, secret = 50, "0123456789"
	filter := NewSecretFilter([]string{"TOKEN=" + secret})
	for before := range 2 * limit {
		text := strings.Repeat("x", before) + secret + strings.Repeat("y", limit)
		excerpt := filter.Excerpt([]byte(text), limit)
		require.NotContains(t, excerpt, "01", "with %d bytes before the secret", before)
		require.True(t, strings.HasSuffix(excerpt, "..."))
		require.LessOrEqual(t, len(excerpt), limit+len("..."))
	}
}

func TestSecretValues(t *testing.T) { // P104
	require.Equal(t, []string{"abcdefgh", "postgres://u:p@h/db", "ghp_0123456789abcdef"}, secretValues([]string{
		"GITHUB_TOKEN=abcdefgh", "PATH=/usr/bin:/bin", "HOME=/home/me", "LANG=C.UTF-8", "NODE_ENV=production",
		"DATABASE_URL=postgres://u:p@h/db", "PLAIN_URL=https://h/p", "GH=ghp_0123456789abcdef", "malformed",
	}))
}

func FuzzSanitize(f *testing.F) {
	f.Add("plain", 100)
	f.Add("\x1b[31m\xff\u202e\t\x00", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit &= 0xff
		clean := Sanitize(text, limit)
		require.LessOrEqual(t, len(clean), limit+len("..."))
		require.NotContains(t, clean, "\x1b")
		require.Equal(t, clean, Sanitize(clean, len(clean)), "what is clean stays as it is")
	})
}

func FuzzRedactArgs(f *testing.F) {
	f.Add("--token", "x://u:p@h?key=v")
	f.Add("Authorization: Bearer", "{\"secret\": \"x\"}")
	f.Fuzz(func(t *testing.T, first, second string) {
		const secret = "s3cr3t-v4lue"
		args := RedactArgs([]string{first, second, "--password=" + secret, "x://u:" + secret + "@h", "--api-key", secret})
		require.Len(t, args, 6)
		require.NotContains(t, args[2]+args[3]+args[5], secret)
	})
}

// What is hidden of a command is known to the filter of what the child says.
func TestSecretArgs(t *testing.T) {
	command := []string{"server", "--verbose", "--token", "abcdef-1", "--key=abcdef-2", "Authorization: Bearer abcdef-3", "https://user:abcdef-4@host/db", "plain=abcdef"}
	filter := NewSecretFilter(nil, SecretArgs(command)...)
	require.Equal(t, "no ***, ***, *** and *** for plain=abcdef of server --verbose",
		filter.Text("no abcdef-1, abcdef-2, Bearer abcdef-3 and abcdef-4 for plain=abcdef of server --verbose"))
	require.Empty(t, SecretArgs([]string{"server", "--verbose", "--count=17", "https://host/db"}))
}
