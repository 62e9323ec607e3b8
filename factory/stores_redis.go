package factory

import "github.com/mcp-client-go/mcpclient/config"

// The store that comes as a module of its own, since it needs a client library.
const (
	storeRedis   = "redis"
	redisPackage = "github.com/mcp-client-go/mcpclient/contrib/redis"
)

// RedisKeys are the keys of the store redis. The store itself is in the module
// contrib/redis; what its keys are is known here, so that programs without it can
// tell whether a configuration is right, and editors too.
type RedisKeys struct {
	Type string `config:"type,required" values:"redis" doc:"redis"`
	// URL may hold a password.
	URL    config.Secret `config:"url,required" doc:"redis://[user:password@]host[:port][/database], rediss:// with TLS, unix:///path; ?addr=host:port adds nodes, which makes it a cluster, or sentinels of master_set=name"`
	Prefix string        `config:"prefix" default:"mcpclient:" doc:"begins the name of every key; programs that are not to share have different ones"`
	Key    config.Secret `config:"key,required" doc:"32 bytes in base64 or hex, the same for all replicas, that encrypt tokens and results, and sign pins"`
	// Timeout bounds what can be done without, and the making of a connection;
	// TokenTimeout what decides whether a call fails.
	Timeout        config.Duration `config:"timeout" default:"500ms" doc:"longest wait for what calls can do without, such as a cached result, and for a connection to be made"`
	TokenTimeout   config.Duration `config:"token_timeout" default:"3s" doc:"longest wait for a token or a pin"`
	NearCache      bool            `config:"near_cache" default:"true" doc:"keep cached results in the program's memory too, for as long as Redis does not say that they have changed (client-side caching)"`
	NearCacheBytes int             `config:"near_cache_bytes" default:"67108864" doc:"their bytes together, about"`
	TokensWhenDown string          `config:"tokens_when_down" default:"error" values:"error,local" doc:"what renews tokens while the store is down: error, nothing; local, each replica for itself with what it has seen: two may renew one token, which strict authorization servers take for theft"`
}
