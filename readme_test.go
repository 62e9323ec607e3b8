package mcpclient_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/factory"
)

// updateREADME makes TestREADME write what it would compare.
var updateREADME = flag.Bool("update", false, "write the generated parts of README.md")

// What README.md shows of files is what they hold, and its table of keys is that
// of the program: a reader gets what a compiler and the tests have seen.
func TestREADME(t *testing.T) {
	written, err := os.ReadFile("README.md")
	require.NoError(t, err)
	current := withKeys(t, withFiles(t, string(written)))
	if *updateREADME {
		require.NoError(t, os.WriteFile("README.md", []byte(current), 0o644))
		return
	}
	if at := firstDifference(current, string(written)); at != "" {
		t.Errorf("%s\nmake it current: go test . -run TestREADME -update", at)
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(wanted, found string) string {
	wantedLines, foundLines := strings.Split(wanted, "\n"), strings.Split(found, "\n")
	for i := range max(len(wantedLines), len(foundLines)) {
		a, b := "(the end)", "(the end)"
		if i < len(wantedLines) {
			a = wantedLines[i]
		}
		if i < len(foundLines) {
			b = foundLines[i]
		}
		if a != b {
			return fmt.Sprintf("README.md:%d: found %q, wanted %q", i+1, b, a)
		}
	}
	return ""
}

// withFiles fills each block after a line that names a file.
func withFiles(t *testing.T, text string) string {
	t.Helper()
	block := regexp.MustCompile("(?s)(<!-- file: (\\S+) -->\n```[a-z]*\n).*?```\n")
	shown := 0
	filled := block.ReplaceAllStringFunc(text, func(found string) string {
		parts := block.FindStringSubmatch(found)
		content, err := os.ReadFile(parts[2])
		require.NoError(t, err)
		shown++
		return parts[1] + string(content) + "```\n"
	})
	require.Equal(t, 3, shown, "the quickstart's files")
	return filled
}

// withKeys writes the tables of keys between their marks.
func withKeys(t *testing.T, text string) string {
	t.Helper()
	before, rest, found := strings.Cut(text, "<!-- keys:")
	require.True(t, found)
	mark, rest, _ := strings.Cut(rest, "\n")
	_, after, found := strings.Cut(rest, "<!-- end of keys -->")
	require.True(t, found)
	types := factory.New()
	tables := "\nKeys of every server:\n\n" + keyTable(types.Keys(""))
	for _, group := range alike(types) {
		tables += fmt.Sprintf("\nKeys of `type: %s`:\n\n", strings.Join(group, "` and `type: ")) + keyTable(types.Keys(group[0]))
	}
	return before + "<!-- keys:" + mark + "\n" + tables + "\n<!-- end of keys -->" + after
}

// alike groups the types that have the same keys.
func alike(types *factory.TransporterFactory) [][]string {
	var groups [][]string
	for _, name := range types.Types() {
		same := func(group []string) bool { return reflect.DeepEqual(types.Keys(group[0]), types.Keys(name)) }
		if at := slices.IndexFunc(groups, same); at >= 0 {
			groups[at] = append(groups[at], name)
		} else {
			groups = append(groups, []string{name})
		}
	}
	return groups
}

func keyTable(fields []config.Field) string {
	table := "| key | type | default | meaning |\n|---|---|---|---|\n"
	for _, field := range fields {
		key := "`" + field.Key + "`"
		for _, alias := range field.Aliases {
			key += " (or `" + alias + "`)"
		}
		fallback := "-"
		switch {
		case field.Required:
			fallback = "required"
		case field.Default != "":
			fallback = "`" + field.Default + "`"
		}
		table += fmt.Sprintf("| %s | %s | %s | %s |\n", key, field.Type, fallback, strings.ReplaceAll(field.Doc, "|", "\\|"))
	}
	return table
}

func TestEveryKeyIsDocumented(t *testing.T) {
	types := factory.New()
	for _, name := range append([]string{""}, types.Types()...) {
		require.NotEmpty(t, types.Keys(name), name)
		for _, field := range types.Keys(name) {
			assert.NotEmpty(t, field.Doc, "%s: the doc tag of %s", name, field.Key)
		}
	}
}

// The configurations that README.md shows are valid, and the TOML one says what
// the YAML one says.
func TestConfigurationsInREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	t.Setenv("TRACKER_TOKEN", "x")
	var explained [][]string
	for _, block := range regexp.MustCompile("(?s)```(yaml|toml)\n(.*?)```\n").FindAllStringSubmatch(string(text), -1) {
		cfg, err := config.Parse("README."+block[1], []byte(block[2]))
		require.NoError(t, err, block[2])
		assert.Empty(t, cfg.Faults())
		var entries []string
		for _, name := range cfg.Names() {
			section, _ := cfg.Server(name)
			assert.Empty(t, factory.New().Check(section), name)
			for _, entry := range section.Explain() {
				entries = append(entries, name+"."+entry.Key+"="+entry.Value)
			}
		}
		slices.Sort(entries)
		explained = append(explained, entries)
	}
	require.Len(t, explained, 3)
	assert.Equal(t, explained[0], explained[1], "the TOML file is the YAML file")
}
