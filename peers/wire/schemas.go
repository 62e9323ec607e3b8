package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yosida95/uritemplate/v3"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// ErrNoSchemas is returned where the folder of schemas is not there.
var ErrNoSchemas = errors.New("the specification's schemas are not there")

// Schemas holds the JSON schema of each revision. It is not safe for concurrent
// use: definitions are compiled when they are first needed.
type Schemas struct {
	revisions map[mcp.Version]*revision
}

// revision is the schema of one revision.
type revision struct {
	location    string // of the document, for references
	key         string // "$defs" or "definitions"
	definitions map[string]json.RawMessage
	byMethod    map[string]string // method to the name of its definition
	compiler    *jsonschema.Compiler
	compiled    map[string]*jsonschema.Schema
}

// OpenSchemas reads FOLDER/REVISION/schema.json of every revision that the
// client speaks. It returns ErrNoSchemas if the folder is not there.
func OpenSchemas(folder string) (*Schemas, error) {
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoSchemas, folder)
	}
	s := &Schemas{revisions: map[mcp.Version]*revision{}}
	for _, version := range append(mcp.LegacyVersions(), mcp.ModernVersions()...) {
		r, err := openRevision(filepath.Join(folder, string(version), "schema.json"))
		if err != nil {
			return nil, err
		}
		s.revisions[version] = r
	}
	return s, nil
}

func openRevision(path string) (*revision, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	root, _ := document.(map[string]any)
	r := &revision{location: "file:///schema.json", key: "$defs", byMethod: map[string]string{}, compiled: map[string]*jsonschema.Schema{}, definitions: map[string]json.RawMessage{}}
	if root["$defs"] == nil {
		r.key = "definitions"
	}
	definitions, _ := root[r.key].(map[string]any)
	if len(definitions) == 0 {
		return nil, fmt.Errorf("%s: has neither $defs nor definitions", path)
	}
	for name, definition := range definitions {
		if r.definitions[name], err = json.Marshal(definition); err != nil {
			return nil, err
		}
		if method := methodOf(definition); method != "" && name != "ClientNotification" && name != "ServerNotification" {
			r.byMethod[method] = name
		}
	}
	mend(definitions)
	r.compiler = jsonschema.NewCompiler()
	r.compiler.AssertFormat()
	r.compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: isURITemplate})
	return r, r.compiler.AddResource(r.location, document)
}

// isURITemplate checks a format. (The library's own check takes a template for
// a URI, in which a host may have no braces.)
func isURITemplate(value any) error {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	_, err := uritemplate.New(text)
	return err
}

// methodOf returns the method that a definition is for, or "".
func methodOf(definition any) string {
	at := definition
	for _, key := range []string{"properties", "method", "const"} {
		object, ok := at.(map[string]any)
		if !ok {
			return ""
		}
		at = object[key]
	}
	method, _ := at.(string)
	return method
}

// mend undoes an error of the published files: where the specification says
// number, they say integer, in the content of an ElicitResult and in
// NumberSchema.
func mend(definitions map[string]any) {
	reach := func(path ...string) map[string]any {
		at := definitions
		for _, key := range path {
			at, _ = at[key].(map[string]any)
		}
		return at
	}
	for _, place := range []map[string]any{
		reach("ElicitResult", "properties", "content", "additionalProperties"),
		reach("NumberSchema", "properties", "minimum"),
		reach("NumberSchema", "properties", "maximum"),
		reach("NumberSchema", "properties", "default"),
	} {
		widen(place)
	}
}

// widen makes a schema that allows integers allow numbers.
func widen(schema map[string]any) {
	switch kind := schema["type"].(type) {
	case string:
		if kind == "integer" {
			schema["type"] = "number"
		}
	case []any:
		for i := range kind {
			if kind[i] == "integer" {
				kind[i] = "number"
			}
		}
	}
	choices, _ := schema["anyOf"].([]any)
	for _, choice := range choices {
		if choice, ok := choice.(map[string]any); ok {
			widen(choice)
		}
	}
}

// Knows reports whether there is a schema of that revision.
func (s *Schemas) Knows(version mcp.Version) bool { return s.revisions[version] != nil }

// Definition returns the name of the definition for a method in a revision.
func (s *Schemas) Definition(version mcp.Version, method string) (string, bool) {
	name, ok := s.revisions[version].byMethod[method]
	return name, ok
}

// Has reports whether a revision has a definition of that name.
func (s *Schemas) Has(version mcp.Version, name string) bool {
	return s.revisions[version] != nil && s.revisions[version].definitions[name] != nil
}

// Check validates a JSON text against a definition of a revision. The error
// says what is wrong and where.
func (s *Schemas) Check(version mcp.Version, name string, text []byte) error {
	if !s.Has(version, name) {
		return fmt.Errorf("revision %s has no definition %s", version, name)
	}
	schema, err := s.revisions[version].schema(name)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(value); errors.As(err, &invalid) {
		return fmt.Errorf("not a %s of %s: %s", name, version, strings.Join(describe(invalid), "; "))
	} else if err != nil {
		return err
	}
	return nil
}

func (r *revision) schema(name string) (*jsonschema.Schema, error) {
	if schema := r.compiled[name]; schema != nil {
		return schema, nil
	}
	schema, err := r.compiler.Compile(r.location + "#/" + r.key + "/" + name)
	if err != nil {
		return nil, err
	}
	r.compiled[name] = schema
	return schema, nil
}

// describe returns what is wrong at the places where it is wrong, at most six.
func describe(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		return []string{"/" + strings.Join(e.InstanceLocation, "/") + ": " + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, describe(cause)...)
	}
	return all[:min(len(all), 6)]
}
