package config

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyKind has a key of each kind that a schema tells apart.
type everyKind struct {
	Wait     Duration          `config:"wait" default:"5s" doc:"how long"`
	Rest     Duration          `config:"rest,zero"`
	File     EnvFile           `config:"file"`
	Token    Secret            `config:"token,required"`
	Command  Words             `config:"command,required,alias=cmd" doc:"what to start"`
	Mode     string            `config:"mode" values:"true,false,auto" default:"auto"`
	Fixed    string            `config:"fixed" values:"one"`
	Folder   string            `config:"folder,path"`
	Name     string            `config:"name" default:"7"`
	On       bool              `config:"on" default:"true"`
	Off      bool              `config:"off" default:"false"`
	Share    float64           `config:"share" default:"0.5"`
	Size     uint              `config:"size"`
	Count    int               `config:"count" default:"3"`
	Maybe    *int              `config:"maybe"`
	List     []string          `config:"list" default:"a,b"`
	Map      map[string]string `config:"map"`
	Anything any               `config:"anything"`
	Items    []struct {
		Key string `config:"key"`
	} `config:"items"`
	Group struct {
		Inner int `config:"inner"`
	} `config:"group" doc:"a group"`
}

// moreOfGroup adds to a group that another struct has, and repeats a key.
type moreOfGroup struct {
	Name  bool `config:"name"`
	Group struct {
		Outer int `config:"outer"`
	} `config:"group"`
}

// The schema of each kind of key, of types with and without keys, and of what must
// be there. Editors show it, so that it is compared as it is written.
func TestSchemaOfEveryKind(t *testing.T) {
	for name, make := range map[string]func() ([]byte, error){
		"every_kind": func() ([]byte, error) {
			return Schema([]any{struct {
				Common string `config:"common"`
			}{}}, SchemaType{Name: "full", Keys: []any{everyKind{}, moreOfGroup{}}}, SchemaType{Name: "open"}, SchemaType{Name: "little", Keys: []any{struct {
				Only int `config:"only"`
			}{}}})
		},
		"closed": func() ([]byte, error) {
			return Schema(nil, SchemaType{Name: "one", Keys: []any{struct{}{}}})
		},
		"nothing": func() ([]byte, error) { return Schema(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := make()
			require.NoError(t, err)
			want, err := os.ReadFile(filepath.Join("testdata", "schema", name+".json"))
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
}

// schemaAs reads a part of a schema, a path of keys.
func schemaAs(t *testing.T, schema []byte, path ...string) any {
	t.Helper()
	var part any
	require.NoError(t, json.Unmarshal(schema, &part))
	for _, key := range path {
		part = part.(map[string]any)[key]
	}
	return part
}

// A key that two structs of a type have does not hide those behind it.
func TestSchemaOfKeysThatAreRepeated(t *testing.T) {
	schema, err := Schema(nil, SchemaType{Name: "one", Keys: []any{struct {
		Both int `config:"both"`
	}{}, struct {
		Both int `config:"both"`
		Own  int `config:"own"`
	}{}}})
	require.NoError(t, err)
	keys := schemaAs(t, schema, "definitions", "one", "properties").(map[string]any)
	assert.Equal(t, []string{"both", "own", "type"}, slices.Sorted(maps.Keys(keys)))
}

// The types of stores have schemas of their own, in whatever order all are given: one
// with keys has those and no others, one without has any.
func TestSchemaOfStores(t *testing.T) {
	schema, err := Schema(nil,
		SchemaType{Name: "open", IsStore: true},
		SchemaType{Name: "plain", IsStore: true, Keys: []any{struct {
			Size int `config:"size"`
		}{}}},
		SchemaType{Name: "strict", IsStore: true, Keys: []any{struct {
			URL string `config:"url,required"`
		}{}}},
		SchemaType{Name: "server", Keys: []any{struct{}{}}})
	require.NoError(t, err)
	definitions := schemaAs(t, schema, "definitions").(map[string]any)
	assert.Equal(t, []string{"completeServer", "defaults", "server", "storeKeys", "storeKeys.plain", "storeKeys.strict"}, slices.Sorted(maps.Keys(definitions)))
	assert.Equal(t, []any{"open", "plain", "strict"}, schemaAs(t, schema, "definitions", "storeKeys", "properties", "type", "examples"))
	assert.NotContains(t, definitions["storeKeys.plain"], "allOf", "it would be empty, which no schema may be")
	assert.Equal(t, []any{map[string]any{"required": []any{"url"}}}, schemaAs(t, schema, "definitions", "storeKeys.strict", "allOf"))
	var refers []any
	for _, rule := range schemaAs(t, schema, "definitions", "storeKeys", "allOf").([]any) {
		refers = append(refers, rule.(map[string]any)["then"].(map[string]any)["$ref"])
	}
	assert.Equal(t, []any{"#/definitions/storeKeys.plain", "#/definitions/storeKeys.strict", nil}, refers)
}

// A struct whose tags cannot be read has no schema.
func TestSchemaOfWrongTags(t *testing.T) {
	wrong := struct {
		A int `config:"a,nonsense"`
	}{}
	_, err := Schema([]any{wrong})
	require.ErrorContains(t, err, "nonsense")
	for _, isStore := range []bool{false, true} {
		_, err = Schema(nil, SchemaType{Name: "a", Keys: []any{wrong}, IsStore: isStore})
		require.ErrorContains(t, err, "nonsense")
	}
}

// What the options leave out, or set to nothing, has these values.
func TestWatchDefaults(t *testing.T) {
	defaults := WatchOptions{Debounce: 200 * time.Millisecond, Grace: defaultGrace, Poll: 30 * time.Second}
	for name, test := range map[string]struct{ given, want WatchOptions }{
		"nothing":   {WatchOptions{}, defaults},
		"negative":  {WatchOptions{Debounce: -1, Grace: -1}, defaults},
		"no poll":   {WatchOptions{Poll: -1}, WatchOptions{Debounce: defaults.Debounce, Grace: defaults.Grace, Poll: -1}},
		"all given": {WatchOptions{Debounce: 1, Grace: 2, Poll: 3}, WatchOptions{Debounce: 1, Grace: 2, Poll: 3}},
	} {
		got := test.given.withDefaults()
		assert.Equal(t, test.want.Debounce, got.Debounce, name)
		assert.Equal(t, test.want.Grace, got.Grace, name)
		assert.Equal(t, test.want.Poll, got.Poll, name)
	}
	assert.Equal(t, 5*time.Second, pollWithoutEvents)
}
