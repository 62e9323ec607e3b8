package main

import (
	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// typeRedis is the type of stores of the module contrib/redis, which backends add.
const typeRedis = "redis"

// aloneStores stand for stores that a fleet shares. This program works with the
// configuration of a backend, and by itself: it shares nothing.
func aloneStores(_ *config.Section, logger hclog.Logger) (factory.Stores, []errors.Fault) {
	logger.Info("the store is left alone: what this program keeps, it keeps for itself", "type", typeRedis)
	return factory.Stores{}, nil
}

// newTypes returns the types that configurations may name.
func newTypes() *factory.TransporterFactory {
	return factory.New(factory.WithStoreType(typeRedis, aloneStores))
}
