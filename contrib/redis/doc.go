// Package redis keeps what the replicas of a program share in Redis or Valkey:
// tokens and logins under way, cached results, eras of servers, pinned tools, and
// the turns of shared rates. A program registers it, and its configuration names it:
//
//	client, err := mcpclient.New(cfg, redis.Register())
//
//	store:
//	  type: redis
//	  url: rediss://user:${REDIS_PASSWORD}@redis.internal:6379/0
//	  prefix: "backend:"
//	  key: ${file:/run/secrets/store.key}
//
// Redis 6.2 or later, or any Valkey. A replica has one connection to each node,
// which it dials when it first needs it, and which is dialed again when it is lost.
// Every operation is bounded (timeout), and after three that failed on their way
// those of the next second fail at once, so that a store that is down costs calls
// next to nothing:
//
//   - a cached result is a miss, and what a server notifies meanwhile is obeyed by
//     the replica that hears it once the store is back, at the latest when the result
//     expires;
//   - a token that a replica has in memory is used until it ends. What needs the
//     store, which is a renewal or a principal that the replica has not seen, fails
//     with ErrDown, or goes on with what the replica has seen (tokens_when_down);
//   - a shared rate holds for each replica alone;
//   - pins that cannot be read make lists of tools fail where tools.pin is refuse;
//   - an era is found out again.
//
// Tokens, registrations, logins and cached results are encrypted with AES-256-GCM under
// a key that Redis never sees, bound to what they are for; pins are signed with it. A
// result that does not open is a miss, and a pin that was not signed one that nothing
// fits. Eras are in the clear. Use TLS, and a user or a database of the program's own.
package redis
