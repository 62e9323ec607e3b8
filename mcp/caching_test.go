package mcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// R230: without ttlMs a result says nothing; what is no duration is 0.
func TestCachingOf(t *testing.T) {
	for text, want := range map[string]Caching{
		`{"tools":[{"ttlMs":5}],"ttlMs":1500,"cacheScope":"public"}`: {1500 * time.Millisecond, CachePublic},
		`{"cacheScope":"private","ttlMs":0}`:                         {0, CachePrivate},
		`{"ttlMs":-1}`:                                               {},
		`{"ttlMs":"1"}`:                                              {},
		`{"ttlMs":null,"cacheScope":7}`:                              {},
	} {
		caching, ok := CachingOf(NewResult([]byte(text)))
		assert.True(t, ok, text)
		assert.Equal(t, want, caching, text)
	}
	for _, r := range []Result{NewResult([]byte(`{"cacheScope":"public"}`)), NewResult([]byte(`[]`)), EnvelopeResult([]byte(`{"ttlMs":1}`)), {}} {
		_, ok := CachingOf(r)
		assert.False(t, ok, string(r.Raw()))
	}
}
