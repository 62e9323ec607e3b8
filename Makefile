.PHONY: test unit build

# The whole test run: every module, race detector, static checks, real servers.
test:
	./scripts/test.sh

# The unit tests of the core module alone: seconds.
unit:
	go test ./...

build:
	go build -o bin/mcpclient ./cmd/mcpclient
