package field_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/field"
)

func TestEveryCaseLoads(t *testing.T) {
	paths, err := filepath.Glob("cases/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		c, err := field.Load(path)
		require.NoError(t, err)
		assert.Equal(t, c.ID, filepath.Base(path)[:3], "the file is named after the case")
	}
}

func TestCasesForANewerPlayerLoad(t *testing.T) {
	c, err := load(t, `{"id":"X","transport":"http","settings":{"limit":9007199254740993},"new":[1],"client":[{"step":1,"do":"dance","style":"waltz"}]}`)
	require.NoError(t, err)
	assert.Equal(t, "dance", c.Client[0].Do)
	assert.Equal(t, json.Number("9007199254740993"), c.Settings["limit"])
}

func TestUnusableCases(t *testing.T) {
	for text, told := range map[string]string{
		`{`: "unexpected EOF",
		`{"id":"X","transport":"carrier pigeon","client":[{"step":1}]}`: `transport is "carrier pigeon"; allowed: http, stdio, config`,
		`{"transport":"http","client":[{"step":1}]}`:                    "id and client are needed",
		`{"id":"X","transport":"http"}`:                                 "id and client are needed",
	} {
		_, err := load(t, text)
		assert.ErrorContains(t, err, told)
	}
}

func load(t *testing.T, text string) (*field.Case, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return field.Load(path)
}
