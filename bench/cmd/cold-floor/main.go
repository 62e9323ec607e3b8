// Command cold-floor makes one call and leaves; see package cold.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/floor"
	"github.com/mcp-client-go/mcpclient/bench/cold"
)

func main() { cold.Main(floor.Driver{}) }
