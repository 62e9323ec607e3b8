package policy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// CacheConfig says what is cached. The zero value caches nothing.
type CacheConfig struct {
	Enabled bool `config:"enabled" doc:"keep results for as long as the server says that they may be kept (ttlMs and cacheScope of 2026-07-28)"`
	// MaxEntries and MaxBytes bound the memory of the default store. Nothing
	// larger than a quarter of MaxBytes is kept.
	MaxEntries int             `config:"max_entries" default:"1000" doc:"results that are kept; the one that was not asked for longest goes first"`
	MaxBytes   int             `config:"max_bytes" default:"67108864" doc:"their bytes together; none larger than a quarter of it is kept"`
	MaxTTL     config.Duration `config:"max_ttl" default:"24h" doc:"longest time that a result is kept, whatever the server says"`
	// TTL is for results of which the server does not say how long they may be
	// kept: those of every legacy server.
	TTL   map[string]config.Duration `config:"ttl" doc:"how long to keep results of which the server does not say it, by method, such as {tools/list: 5m}; shared with nobody"`
	Watch bool                       `config:"watch" doc:"subscribe to changes of lists with the first one that is fetched, for each principal, so that changes are noticed at once; lists are kept once that is done"`
}

// Check returns a fault for every value that makes no sense. section gives them
// their place, under the key cache.
func (c CacheConfig) Check(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	for _, bound := range []struct {
		key   string
		value int
	}{{"cache.max_entries", c.MaxEntries}, {"cache.max_bytes", c.MaxBytes}} {
		if bound.value < 1 {
			fault := section.Fault(bound.key, "a cache needs room")
			fault.Found, fault.Allowed = strconv.Itoa(bound.value), "1 or more; enabled: false switches the cache off"
			faults = append(faults, fault)
		}
	}
	if c.MaxTTL.IsOff() {
		faults = append(faults, neverOff(section, "cache.max_ttl"))
	}
	for method := range c.TTL {
		if !mcp.IsStateReading(method) {
			fault := section.Fault("cache.ttl."+method, "results of this method cannot be cached")
			fault.Allowed = strings.Join(readingMethods(), ", ")
			fault.Nearest = config.Nearest(method, readingMethods())
			faults = append(faults, fault)
		}
	}
	return faults
}

// readingMethods are the methods whose results may be kept.
func readingMethods() []string {
	return []string{
		mcp.MethodDiscover, mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodGetPrompt,
		mcp.MethodListResources, mcp.MethodListResourceTemplates, mcp.MethodReadResource, mcp.MethodComplete,
	}
}

// isHinted reports whether results of the method say how long they may be kept.
func isHinted(method string) bool {
	return method != mcp.MethodGetPrompt && method != mcp.MethodComplete && slices.Contains(readingMethods(), method)
}

// isKept reports whether a result of the method may ever be kept.
func (c *CacheConfig) isKept(method string) bool {
	return mcp.IsStateReading(method) && (isHinted(method) || c.TTL[method].Or(0) > 0)
}

// defaultMaxTTL is for a configuration made by hand.
const defaultMaxTTL = 24 * time.Hour
