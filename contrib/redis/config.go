package redis

import (
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// Type is the type of the store in configurations.
const Type = "redis"

// Config is the section store of a configuration.
type Config factory.RedisKeys

// The values of TokensWhenDown.
const (
	whenDownError = "error"
	whenDownLocal = "local"
)

// The defaults of Timeout and TokenTimeout.
const (
	defaultTimeout      = 500 * time.Millisecond
	defaultTokenTimeout = 3 * time.Second
)

// keepAlive is how long a connection that says nothing is trusted before Redis is asked
// for a sign of life. If it gives none within the longest time that operations have,
// a second at least, what is in memory is forgotten.
const keepAlive = time.Second

// askSentinels is how often sentinels are asked which node is the master.
const askSentinels = 5 * time.Second

// Register makes the type redis known to a client; see factory.StoreConstructor.
func Register() mcpclient.Option { return mcpclient.WithStoreType(Type, New, Config{}) }

// New is the constructor that Register registers: for a factory of one's own. It
// does no I/O.
func New(section *config.Section, logger hclog.Logger) (factory.Stores, []errors.Fault) {
	var cfg Config
	faults := section.Decode(&cfg)
	fault := func(key, message, allowed string) {
		f := section.Fault(key, message)
		f.Allowed = allowed
		for _, told := range faults {
			if told.Key == f.Key {
				return
			}
		}
		faults = append(faults, f)
	}
	options, err := cfg.client()
	if err != nil {
		fault("url", err.Error(), "redis://host:port/database, rediss://..., unix:///path")
	}
	seal, err := newSealer(cfg.Key)
	if err != nil {
		fault("key", err.Error(), "32 random bytes in base64 or hex")
	}
	if cfg.NearCacheBytes < 1 {
		fault("near_cache_bytes", "must be positive", "1 or more; near_cache: false turns it off")
	}
	if down := cfg.TokensWhenDown; down != whenDownError && down != whenDownLocal {
		fault("tokens_when_down", "not one of the allowed values", whenDownError+", "+whenDownLocal)
	}
	if len(faults) > 0 {
		return factory.Stores{}, faults
	}
	shared := newConnection(options, logger)
	quick, patient := shared.within(cfg.Timeout.Or(defaultTimeout), cfg.Prefix), shared.within(cfg.TokenTimeout.Or(defaultTokenTimeout), cfg.Prefix)
	openedBytes := cfg.NearCacheBytes / 2 // the other half is sealed
	if options.DisableCache {
		openedBytes = 0
	}
	cache := newCache(quick, seal, openedBytes)
	shared.dialed = cache.again
	stores := factory.Stores{
		Tokens: &Tokens{db: patient, seal: seal}, Cache: cache, Pins: &Pins{db: patient, seal: seal},
		Verdicts: &Verdicts{db: quick}, Turns: &Turns{db: quick}, Close: shared.close,
	}
	if cfg.TokensWhenDown == whenDownLocal {
		stores.Tokens = newLocal(stores.Tokens)
	}
	return stores, nil
}

// client returns the options of the client library. Its errors show no secrets.
func (c Config) client() (rueidis.ClientOption, error) {
	text, err := c.URL.Reveal()
	if err != nil {
		return rueidis.ClientOption{}, err
	}
	options, err := rueidis.ParseURL(strings.TrimSpace(text))
	if err != nil { // its error may show parts of a password
		return options, errors.New("not the URL of a Redis (in a password @, / and the like are written as %40, %2F)")
	}
	timeout := c.Timeout.Or(defaultTimeout)
	options.Dialer.Timeout = timeout
	options.Sentinel.Dialer.Timeout, options.Sentinel.TLSConfig = timeout, options.TLSConfig
	options.Sentinel.TopologyRefreshInterval = askSentinels // one may have missed who is the master now
	options.Dialer.KeepAlive = keepAlive
	options.ConnWriteTimeout = max(timeout, c.TokenTimeout.Or(defaultTokenTimeout), time.Second)
	options.DisableRetry = true
	options.DisableCache = options.DisableCache || !c.NearCache
	options.CacheSizeEachConn = max(c.NearCacheBytes/2, 1)
	options.PipelineMultiplex = -1                                                                // one connection: an invalidation comes on that of the value
	options.ForceSingleClient = len(options.InitAddress) == 1 && options.Sentinel.MasterSet == "" // nothing is guessed
	if options.ClientName == "" {
		options.ClientName = "mcpclient"
	}
	return options, nil
}
