package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEnvFiles(t *testing.T) {
	got, err := parseEnvFile("\xef\xbb\xbf# comment\n\nPLAIN=value\n  export SPACED =  two words  # comment\r\n" +
		"EMPTY=\nQUOTED=\"a \\\"b\\\"\\n\\tc\\\\ \\$ #\" # comment\nLITERAL='$HOME \\n # \"'\nHASH=a#b\nCOLOUR=#fff\n" +
		"KEY=\"-----BEGIN\nx=y\n-----END\"\nexport=1\nexporter=2\ndotted.name-x=3\nPLAIN=last$PLAIN\nURL=https://x/?a=b&c=d\nLAST=no newline")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"PLAIN": "last$PLAIN", "SPACED": "two words", "EMPTY": "", "QUOTED": "a \"b\"\n\tc\\ \\$ #", "LITERAL": `$HOME \n # "`, "HASH": "a#b",
		"COLOUR": "", "KEY": "-----BEGIN\nx=y\n-----END", "export": "1", "exporter": "2", "dotted.name-x": "3", "URL": "https://x/?a=b&c=d",
		"LAST": "no newline",
	}, got)
	for text, want := range map[string]string{
		"A=1\n" + canary + "\n":               "2: a line without =; allowed: NAME=value",
		"A='x\ny'\nB C=" + canary:             "3: what stands before = is not the name of a variable",
		"=" + canary:                          "1: what stands before = is not the name of a variable",
		"1A=" + canary:                        "1: what stands before = is not the name of a variable",
		"\n\nA=\"" + canary:                   "3: a quotation mark is not closed",
		"A='x' " + canary:                     "1: something stands behind a value in quotes",
		"A=1\nB=\"1\n2\"\n\n" + canary + "\n": "5: a line without =; allowed: NAME=value",
	} {
		_, err := parseEnvFile(text)
		assert.EqualError(t, err, want)
	}
}

func FuzzEnvFile(f *testing.F) {
	for _, seed := range []string{"A=1\n", "A=\"x\\\n\"", "export A='b'#c", "A= # x", "\"", "=", "A=\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		variables, err := parseEnvFile(text)
		if err != nil && variables != nil {
			t.Fatal("both variables and an error")
		}
		for name := range variables {
			if !isEnvFileName(name) {
				t.Fatalf("%q is no name", name)
			}
		}
	})
}

func TestEnvFileOfASection(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, ".env")
	require.NoError(t, os.WriteFile(path, []byte("TOKEN=first\n"), 0o600))
	type server struct {
		EnvFile EnvFile `config:"env_file"`
	}
	load := func(keys string) (*Section, server, []string) {
		c, err := Parse(filepath.Join(directory, "mcp.yaml"), []byte("servers: {s: {"+keys+"}}"))
		require.NoError(t, err)
		s, _ := c.Server("s")
		var got server
		var told []string
		for _, fault := range s.Decode(&got) {
			fault.File = filepath.Base(fault.File)
			told = append(told, fault.String())
		}
		return s, got, told
	}

	s, got, faults := load("env_file: .env")
	require.Empty(t, faults)
	assert.Equal(t, path, got.EnvFile.Path(), "relative to the file")
	assert.Equal(t, path, got.EnvFile.String())
	read := func() string {
		variables, err := got.EnvFile.Variables()
		require.NoError(t, err)
		return variables["TOKEN"]
	}
	assert.Equal(t, "first", read())
	before := s.Fingerprint()
	require.NoError(t, os.WriteFile(path, []byte("TOKEN=second\n"), 0o600))
	assert.Equal(t, "second", read(), "a changed file is seen")
	assert.NotEqual(t, before, s.Fingerprint())

	require.NoError(t, os.WriteFile(path, []byte("TOKEN=x\n"+canary), 0o600))
	_, err := got.EnvFile.Variables()
	require.EqualError(t, err, path+":2: a line without =; allowed: NAME=value")
	_, _, faults = load("env_file: .env")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0], path+":2: a line without =")
	assert.NotContains(t, faults[0], canary)

	_, _, faults = load("env_file: missing")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0], "mcp.yaml:1:15: server \"s\": env_file: "+filepath.Join(directory, "missing")+": the file cannot be read: no such file or directory; allowed: a file of lines NAME=value")
	_, _, faults = load("env_file: [a]")
	require.Len(t, faults, 1)
	_, _, faults = load("env_file: '${CONFIG_TEST_UNSET}'")
	require.Len(t, faults, 1)
	_, got, faults = load("")
	require.Empty(t, faults)
	assert.True(t, got.EnvFile.IsZero())
	variables, err := got.EnvFile.Variables()
	require.NoError(t, err)
	assert.Nil(t, variables)
}
