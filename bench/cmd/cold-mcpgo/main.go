// Command cold-mcpgo makes one call and leaves; see package cold.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/mcpgo"
	"github.com/mcp-client-go/mcpclient/bench/cold"
)

func main() { cold.Main(mcpgo.Driver{}) }
