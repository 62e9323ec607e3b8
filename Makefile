.PHONY: test unit build browser fleet field conformance conformance-proof bench bench-full bench-allocs bench-stores soak day peers trust cassettes faults models requirements fuzz corpora supply mutation spotcheck

# The whole test run: every module, race detector, static checks, real servers.
test:
	./scripts/test.sh

# The unit tests of the core module alone: seconds.
unit:
	go test ./...

build:
	go build -o bin/mcpclient ./cmd/mcpclient

# Uses the example backend's pages in headless Chromium, and keeps pictures of them
# in bin/screenshots.
browser:
	cd examples/webapp/browser && SCREENSHOTS="$(CURDIR)/bin/screenshots" GOWORK=off go test -count=1 ./...

# Three processes of the example backend on one Redis, with 64 users: a table of what
# was computed and measured (docs/scale.md). It needs redis-server.
fleet:
	cd examples/webapp && GOWORK=off go test -count=1 -v ./fleet

# Plays the field cases (field/README.md). CASES=DIR, PLAYER=BIN.
field:
	CASES="$(CASES)" PLAYER="$(PLAYER)" ./scripts/field.sh

# The official conformance suite (conformance/). ARGS goes to the runner.
conformance:
	./scripts/conformance.sh $(ARGS)

# Shows that a client that does nothing, or exits with 1, fails it.
conformance-proof:
	./scripts/conformance.sh prove

# Speed against the peers: a table, and docs/performance.md, with what policies and a
# cached list cost. bench takes about five minutes; bench-full runs all workloads and
# adds plots of growth and profiles, in about 25 minutes; bench-allocs takes seconds.
bench:
	./scripts/bench.sh quick

# What the stores that replicas share cost, alone and under a fleet; needs redis-server.
bench-stores:
	./scripts/bench.sh stores

bench-full:
	./scripts/bench.sh full

bench-allocs:
	./scripts/bench.sh allocs

# The integration matrix: servers that others wrote (peers/). ARGS goes to the
# runner.
peers:
	./scripts/peers.sh $(ARGS)

# Hostile servers and faulty networks (trust/faults): about a minute.
faults:
	./scripts/tally.sh trust ./faults

# Random histories against models (trust/models), deeper than make test does.
models:
	./scripts/tally.sh trust ./models -rapid.checks=20000

# Each requirement is held by a test, or has the reason why not (docs/coverage.md).
requirements:
	./scripts/tally.sh . . -run "Requirement|ThreatModel"

# Every fuzz target for 20 seconds, or FUZZ_TIME.
fuzz:
	./scripts/fuzz.sh

# Keeps some of what fuzzing has found interesting for go test to run.
corpora:
	./scripts/corpora.sh

# Vulnerabilities, licences, API, builds for every system, the same command twice.
supply:
	./scripts/supply.sh

# Changes the code and looks whether a test notices: a quarter of an hour.
mutation:
	./scripts/mutation.sh

# Breaks the code of requirements chosen by chance; their tests must fail.
spotcheck:
	./scripts/spotcheck.sh

# Runs all of the above that is no benchmark and writes docs/trust.md: more than an hour.
# ONLY="faults models" runs some of it.
trust:
	./scripts/trust.sh

# Server processes that die under many callers (soak/doc.go): about 3 minutes.
# SOAK=10m runs longer.
soak:
	./scripts/soak.sh

# A day in the life of the example backend (soak/day/doc.go): half an hour, or DAY=2m.
day:
	./scripts/day.sh

# Records the calls to server-everything that mcptest replays (mcptest/testdata).
# It needs Node and npm.
cassettes:
	./scripts/cassettes.sh
