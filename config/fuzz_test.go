package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A duration that is read is written so that it reads the same.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{"off", "0", "5", "1.5", "90s", "1h30m", "010", "-1", "1e9", "0.0000000001", "292y", "+5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, wrong := parseDuration(text)
		if wrong != nil {
			require.NotEmpty(t, wrong.Message)
			return
		}
		again, wrong := parseDuration(read.String())
		require.Nil(t, wrong, "%q is written as %q", text, read.String())
		require.Equal(t, read, again, "%q is written as %q", text, read.String())
	})
}

// Whatever variables are set: they override, or are faults; what else is there stays.
func FuzzOverrides(f *testing.F) {
	f.Add("SERVERS__A__TIMEOUT", "5s")
	f.Add("SERVERS__A__HEADERS__X", "[1]")
	f.Add("DEFAULTS__", "")
	f.Add("SERVERS__B__TYPE", "${X}")
	f.Fuzz(func(t *testing.T, name, value string) {
		cfg, err := ParseWith(Options{
			LookupEnv: func(string) (string, bool) { return "", false },
			Environ:   func() []string { return []string{overridePrefix + name + "=" + value} },
		}, "a.yaml", []byte("servers: {a: {type: http, base_url: https://example.com, headers: {X: y}}}"))
		if err != nil {
			return
		}
		section, found := cfg.Server("a")
		require.True(t, found)
		require.NotNil(t, section)
	})
}
