package jsonschema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// keywords reads the members of one schema object into the schema.
type keywords struct {
	c       *compiler
	s       *schema
	members map[string]any
}

func (k keywords) read() {
	k.identify()
	for _, group := range []string{"$defs", "definitions"} {
		k.schemaMap(group)
	}
	if reference, found := k.word("$ref"); found {
		k.c.refer(k.s, reference, func(target *schema, _ string) { k.s.reference = target })
		if k.c.draft07 {
			return // what stands beside it does not count
		}
	}
	if reference, found := k.word("$dynamicRef"); found && !k.c.draft07 {
		k.c.refer(k.s, reference, func(target *schema, anchor string) {
			k.s.dynamic = target
			if anchor != "" && target.resource.dynamic[anchor] == target {
				k.s.anchor = anchor
			}
		})
	}
	k.readValues()
	k.s.allOf, k.s.anyOf, k.s.oneOf = k.schemaList("allOf"), k.schemaList("anyOf"), k.schemaList("oneOf")
	k.s.not = k.schema("not")
	k.s.when, k.s.then, k.s.orElse = k.schema("if"), k.schema("then"), k.schema("else")
	k.readNumber()
	k.readText()
	k.readArray()
	k.readObject()
	if !k.c.draft07 {
		k.s.unevaluatedItems, k.s.unevaluatedProperties = k.schema("unevaluatedItems"), k.schema("unevaluatedProperties")
		k.c.collects = k.c.collects || k.s.unevaluatedItems != nil || k.s.unevaluatedProperties != nil
	}
}

// identify reads $id and the anchors.
func (k keywords) identify() {
	id, _ := k.word("$id")
	if _, refers := k.members["$ref"]; refers && k.c.draft07 {
		return
	}
	if name, isAnchor := strings.CutPrefix(id, "#"); isAnchor && k.c.draft07 {
		k.s.resource.name(name, k.s)
	} else if id != "" {
		k.identifyAs(id)
	}
	if k.c.draft07 {
		return
	}
	if name, _ := k.word("$anchor"); name != "" {
		k.s.resource.name(name, k.s)
	}
	if name, _ := k.word("$dynamicAnchor"); name != "" {
		k.s.resource.name(name, k.s)
		if k.s.resource.dynamic == nil {
			k.s.resource.dynamic = map[string]*schema{}
		}
		k.s.resource.dynamic[name] = k.s
	}
}

func (r *resource) name(anchor string, s *schema) {
	if r.anchors == nil {
		r.anchors = map[string]*schema{}
	}
	r.anchors[anchor] = s
}

func (k keywords) identifyAs(id string) {
	parsed, err := url.Parse(id)
	if err != nil {
		k.c.fail(k.s.place, "$id is no URI reference")
		return
	}
	own := &resource{uri: k.s.resource.uri.ResolveReference(parsed), place: k.s.place, raw: k.members, root: k.s}
	k.s.resource = own
	k.c.resources[withoutFragment(own.uri)] = own
}

func (k keywords) readValues() {
	switch value := k.members["type"].(type) {
	case nil:
		if _, found := k.members["type"]; found {
			k.wrong("type", "a string or an array of strings")
		}
	case string:
		k.addType(value)
	case []any:
		for _, element := range value {
			name, _ := element.(string)
			k.addType(name)
		}
	default:
		k.wrong("type", "a string or an array of strings")
	}
	if value, found := k.members["enum"]; found {
		list, isList := value.([]any)
		if !isList {
			k.wrong("enum", "an array")
		}
		k.s.enum, k.s.hasEnum = list, true
	}
	if value, found := k.members["const"]; found {
		// Beside an enum both count: what fits must be in both.
		if k.s.hasEnum && !slices.ContainsFunc(k.s.enum, func(other any) bool { return equal(value, other) }) {
			k.s.enum = nil
		} else {
			k.s.enum = []any{value}
		}
		k.s.hasEnum = true
	}
	k.s.enumSize = sizeOf(k.s.enum)
}

func (k keywords) addType(name string) {
	kind, known := typeOf(name)
	if !known {
		k.c.fail(k.s.place, "the type %s is not known; allowed: %s", strconv.Quote(shown(name)), strings.Join(typeNames[:], ", "))
	}
	k.s.types |= kind
}

func (k keywords) readNumber() {
	rules := numberRules{
		minimum: k.rational("minimum"), maximum: k.rational("maximum"),
		above: k.rational("exclusiveMinimum"), below: k.rational("exclusiveMaximum"),
		multipleOf: k.rational("multipleOf"),
	}
	if rules.multipleOf != nil && rules.multipleOf.Sign() <= 0 {
		k.c.fail(k.s.place, "multipleOf must be more than 0")
	}
	if rules != (numberRules{}) {
		k.s.number = &rules
	}
}

func (k keywords) readText() {
	rules := textRules{length: k.bounds("minLength", "maxLength", 0)}
	if text, found := k.word("pattern"); found {
		rules.pattern = k.pattern(text)
	}
	if rules != (textRules{length: noBounds()}) {
		k.s.text = &rules
	}
}

func (k keywords) readArray() {
	rules := &arrayRules{length: k.bounds("minItems", "maxItems", 0)}
	if k.c.draft07 {
		if _, isList := k.members["items"].([]any); isList {
			rules.prefix, rules.items = k.schemaList("items"), k.schema("additionalItems")
		} else {
			rules.items = k.schema("items")
		}
		rules.contains, rules.matches = k.schema("contains"), bounds{1, -1}
	} else {
		rules.prefix, rules.items = k.schemaList("prefixItems"), k.schema("items")
		rules.contains, rules.matches = k.schema("contains"), k.bounds("minContains", "maxContains", 1)
	}
	rules.unique, _ = k.members["uniqueItems"].(bool)
	if rules.prefix != nil || rules.items != nil || rules.contains != nil || rules.unique || rules.length != noBounds() {
		k.s.array = rules
	}
}

func (k keywords) readObject() {
	rules := &objectRules{
		length:        k.bounds("minProperties", "maxProperties", 0),
		required:      k.words("required"),
		properties:    k.schemaMap("properties"),
		additional:    k.schema("additionalProperties"),
		propertyNames: k.schema("propertyNames"),
	}
	rules.names = slices.Sorted(maps.Keys(rules.properties))
	patterns := k.schemaMap("patternProperties")
	for _, text := range slices.Sorted(maps.Keys(patterns)) {
		rules.patterns = append(rules.patterns, patternRule{k.pattern(text), patterns[text]})
	}
	k.readDependencies(rules)
	if len(rules.required)+len(rules.names)+len(rules.patterns)+len(rules.dependentRequired)+len(rules.dependentSchemas) > 0 ||
		rules.additional != nil || rules.propertyNames != nil || rules.length != noBounds() {
		k.s.object = rules
	}
}

func (k keywords) readDependencies(rules *objectRules) {
	if k.c.draft07 {
		for _, name := range k.names("dependencies") {
			value := k.members["dependencies"].(map[string]any)[name]
			inner := keywords{k.c, k.s, map[string]any{name: value}}
			if _, isList := value.([]any); isList {
				rules.dependentRequired = append(rules.dependentRequired, dependency{name: name, required: inner.words(name)})
				continue
			}
			place := below(below(k.s.place, "dependencies"), name)
			rules.dependentSchemas = append(rules.dependentSchemas, dependency{name: name, schema: k.c.compile(value, place, k.s.resource)})
		}
		return
	}
	for _, name := range k.names("dependentRequired") {
		inner := keywords{k.c, k.s, k.members["dependentRequired"].(map[string]any)}
		rules.dependentRequired = append(rules.dependentRequired, dependency{name: name, required: inner.words(name)})
	}
	schemas := k.schemaMap("dependentSchemas")
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		rules.dependentSchemas = append(rules.dependentSchemas, dependency{name: name, schema: schemas[name]})
	}
}
