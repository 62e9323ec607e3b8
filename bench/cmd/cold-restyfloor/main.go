// Command cold-restyfloor makes one call and leaves; see package cold.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/restyfloor"
	"github.com/mcp-client-go/mcpclient/bench/cold"
)

func main() { cold.Main(restyfloor.Driver{}) }
