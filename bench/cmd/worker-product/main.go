// Command worker-product runs one workload with one client; see package workload.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/product"
	"github.com/mcp-client-go/mcpclient/bench/workload"
)

func main() { workload.Main(product.Driver{}) }
