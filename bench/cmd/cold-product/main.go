// Command cold-product makes one call and leaves; see package cold.
package main

import (
	"github.com/mcp-client-go/mcpclient/bench/clients/product"
	"github.com/mcp-client-go/mcpclient/bench/cold"
)

func main() { cold.Main(product.Driver{}) }
