package main

import (
	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// typeRedis is the type of stores of the module contrib/redis, which backends add.
const typeRedis = "redis"

// notShared is what a configuration with a store that a fleet shares is warned of.
const notShared = "the store is not used: this command shares no tokens, cached results, pins and rates with the programs that use it"

// aloneStores stand for stores that a fleet shares. This program works with the
// configuration of a backend, and by itself: it shares nothing, which it tells. Keys
// that there are not are faults; what the others hold is not looked at, since the
// secrets of a fleet are not where this program runs.
func aloneStores(tell func()) factory.StoreConstructor {
	return func(section *config.Section, _ hclog.Logger) (factory.Stores, []errors.Fault) {
		var faults []errors.Fault
		for _, fault := range section.Decode(&factory.RedisKeys{}) {
			if fault.Message == config.UnknownKey {
				faults = append(faults, fault)
			}
		}
		if len(faults) == 0 {
			tell()
		}
		return factory.Stores{}, faults
	}
}

// newTypes returns the types that configurations may name.
func newTypes() *factory.TransporterFactory {
	return factory.New(factory.WithStoreType(typeRedis, aloneStores(func() {}), factory.RedisKeys{}))
}
