// Command worker-restyfloor runs one workload with one client; see package workload.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/restyfloor"
	"github.com/mcp-client-go/mcpclient/bench/workload"
)

func main() { workload.Main(restyfloor.Driver{}) }
