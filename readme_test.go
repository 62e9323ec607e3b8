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

// updateREADME makes tests of documentation write what they would compare.
var updateREADME = flag.Bool("update", false, "write the generated parts of README.md and docs")

// keysPage is the page with the tables of keys.
const keysPage = "docs/configuration.md"

// The tables of keys are those of the program.
func TestREADMEKeys(t *testing.T) {
	written := read(t, keysPage)
	current := withKeys(t, written)
	if *updateREADME {
		require.NoError(t, os.WriteFile(keysPage, []byte(current), 0o644))
		return
	}
	if at := firstDifference(keysPage, current, written); at != "" {
		t.Errorf("%s\nmake it current: go test . -run TestREADME -update", at)
	}
}

// Two screens are what somebody reads who does not know yet whether to stay. At
// their top stand the commands that run and test it.
func TestREADMEIsShort(t *testing.T) {
	lines := strings.Split(read(t, "README.md"), "\n")
	assert.LessOrEqual(t, len(lines), 120)
	top := strings.Join(lines[:12], "\n")
	assert.Contains(t, top, "go run ./cmd/mcpclient ")
	assert.Contains(t, top, "make test")
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
	tables := "\n### Every server\n\n" + keyTable(types.Keys(""))
	for _, group := range alike(types) {
		tables += fmt.Sprintf("\n### `type: %s`\n\n", strings.Join(group, "` and `type: ")) + keyTable(types.Keys(group[0]))
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

// The first configuration of the page says in TOML what it says in YAML.
func TestConfigurationsSayTheSameInTOML(t *testing.T) {
	text := read(t, keysPage)
	t.Setenv("TRACKER_TOKEN", "x")
	explained := func(format string) []string {
		block := regexp.MustCompile("(?s)```" + format + "\n(.*?)```\n").FindStringSubmatch(text)
		require.NotNil(t, block, format)
		cfg, err := config.Parse("page."+format, []byte(block[1]))
		require.NoError(t, err)
		var entries []string
		for _, name := range cfg.Names() {
			section, _ := cfg.Server(name)
			for _, entry := range section.Explain() {
				entries = append(entries, name+"."+entry.Key+"="+entry.Value)
			}
		}
		slices.Sort(entries)
		return entries
	}
	assert.NotEmpty(t, explained("yaml"))
	assert.Equal(t, explained("yaml"), explained("toml"))
}
