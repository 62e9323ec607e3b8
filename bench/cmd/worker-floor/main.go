// Command worker-floor runs one workload with one client; see package workload.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/floor"
	"github.com/mcp-client-go/mcpclient/bench/workload"
)

func main() { workload.Main(floor.Driver{}) }
