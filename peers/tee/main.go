// Command tee stands between a client and a server's process and records what
// they say: `tee FILE COMMAND [ARGUMENT...]`. See package wire.
package main

import (
	"fmt"
	"os"

	"github.com/mcp-client-go/mcpclient/peers/wire"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: tee FILE COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	code, err := wire.Tee(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tee:", err)
		code = 2
	}
	os.Exit(code)
}
