package mcpclient

import (
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// WithStoreType adds a type of stores for the top-level key store of the
// configuration, or replaces one: where tokens, cached results, pins, verdicts and
// the turns of shared rates are kept. keys describe it to editors. See
// factory.StoreConstructor and RegisterStore. New opens the store, which does no I/O,
// and Close closes it.
func WithStoreType(name string, construct factory.StoreConstructor, keys ...any) Option {
	return building(factory.WithStoreType(name, construct, keys...))
}

// storePrint tells whether two configurations have the same store. In memory is
// what there is without one.
func storePrint(cfg *config.Config) (print [32]byte) {
	section, configured := cfg.Store()
	if !configured {
		return print
	}
	if name, _ := section.String("type"); name == factory.StoreMemory {
		return print
	}
	return section.Fingerprint()
}

// faultsOfStore returns what is wrong with the store of a configuration that is to
// be applied: that it is another one than that of New.
func (c *Client) faultsOfStore(cfg *config.Config) []errors.Fault {
	faults := c.factory.CheckStore(cfg)
	if len(faults) > 0 || storePrint(cfg) == c.storeSection {
		return faults
	}
	fault := errors.Fault{File: cfg.Source(), Key: "store", Message: storeIsKept}
	if section, configured := cfg.Store(); configured {
		fault = section.Fault("", storeIsKept)
	}
	return []errors.Fault{fault}
}

const storeIsKept = "the store cannot be changed while the program runs: what is shared would be in two places; start it again"
