package mcpclient

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

type item struct{ name, note string }

func nameOf(i item) string { return i.name }

func sample() Collection[item] {
	return NewCollection([]item{{"b", "1"}, {"a", "2"}, {"c", "3"}}, nameOf)
}

func TestCollectionKeepsOrderAndFindsByKey(t *testing.T) {
	c := sample()
	assert.Equal(t, 3, c.Len())
	assert.Equal(t, []string{"b", "a", "c"}, c.Keys())
	assert.Equal(t, []item{{"b", "1"}, {"a", "2"}, {"c", "3"}}, slices.Collect(c.Values()))
	assert.Equal(t, map[string]item{"a": {"a", "2"}, "b": {"b", "1"}, "c": {"c", "3"}}, maps.Collect(c.All()))

	found, ok := c.Get("a")
	assert.True(t, ok)
	assert.Equal(t, "2", found.note)
	_, ok = c.Get("A")
	assert.False(t, ok, "keys compare exactly")
}

func TestCollectionFilters(t *testing.T) {
	for name, test := range map[string]struct {
		got  Collection[item]
		want []string
	}{
		"only keeps the collection's order":      {sample().Only("c", "b"), []string{"b", "c"}},
		"only ignores unknown keys":              {sample().Only("x", "a"), []string{"a"}},
		"only of nothing is empty":               {sample().Only(), nil},
		"except drops":                           {sample().Except("b"), []string{"a", "c"}},
		"except of nothing is everything":        {sample().Except(), []string{"b", "a", "c"}},
		"filter sees keys and values":            {sample().Filter(func(k string, v item) bool { return k == "a" || v.note == "3" }), []string{"a", "c"}},
		"filters chain":                          {sample().Except("b").Only("b", "c"), []string{"c"}},
		"the zero collection can be filtered":    {Collection[item]{}.Except("a"), nil},
		"the zero collection has nothing to get": {Collection[item]{}.Only("a"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, slices.Collect(keysOf(test.got)))
			for key := range test.got.All() {
				value, ok := test.got.Get(key)
				assert.True(t, ok)
				assert.Equal(t, key, value.name)
			}
		})
	}
}

func keysOf(c Collection[item]) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range c.All() {
			if !yield(key) {
				return
			}
		}
	}
}

func TestCollectionIsImmutable(t *testing.T) {
	values := []item{{"a", "1"}, {"b", "2"}}
	c := NewCollection(values, nameOf)
	values[0] = item{"z", "9"}
	c.Keys()[0] = "z"
	_ = c.Only("b")
	_ = Map(c, func(i item) string { return i.note })

	assert.Equal(t, []string{"a", "b"}, c.Keys())
	found, _ := c.Get("a")
	assert.Equal(t, "1", found.note)
}

func TestCollectionLastOfOneKeyCountsInTheFirstPlace(t *testing.T) {
	c := NewCollection([]item{{"a", "old"}, {"b", "2"}, {"a", "new"}}, nameOf)
	assert.Equal(t, []item{{"a", "new"}, {"b", "2"}}, slices.Collect(c.Values()))
}

func TestCollectionIterationStopsEarly(t *testing.T) {
	var seen []string
	for key := range sample().All() {
		seen = append(seen, key)
		if key == "a" {
			break
		}
	}
	assert.Equal(t, []string{"b", "a"}, seen)
}

func TestMapKeepsKeysAndOrder(t *testing.T) {
	upper := Map(sample(), func(i item) string { return strings.ToUpper(i.name) + i.note })
	assert.Equal(t, []string{"b", "a", "c"}, upper.Keys())
	assert.Equal(t, []string{"B1", "A2", "C3"}, slices.Collect(upper.Values()))
	value, ok := upper.Only("c").Get("c")
	assert.True(t, ok)
	assert.Equal(t, "C3", value)
}
