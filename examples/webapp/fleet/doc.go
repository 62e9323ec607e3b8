// Package fleet scales the example backend out: its test builds the program, runs
// three replicas of it with ../fleet.yaml on one real Redis, and has 64 users, each
// with a login of their own, use them over HTTP while tokens end, lists change,
// Redis is killed and the replicas are replaced. What it sees is compared with what
// docs/scale.md computes, and with what that page says was measured;
//
//	go test ./fleet -update
//
// writes the latter. A machine without redis-server (scripts/install-redis.sh) skips
// the test; with REQUIRE_ALL it fails.
package fleet
