// Command cold-gosdk makes one call and leaves; see package cold.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/gosdk"
	"github.com/mcp-client-go/mcpclient/bench/cold"
)

func main() { cold.Main(gosdk.Driver{}) }
