// Command peerserver is the neutral MCP server of the benchmark.
//
//	peerserver -stdio [-options tools=1000]
//	peerserver -http 127.0.0.1:0     (prints the address; options are in the URL's query)
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/mcp-client-go/mcpclient/bench/peer"
)

func main() {
	stdio := flag.Bool("stdio", false, "serve on standard input and output")
	address := flag.String("http", "", "serve HTTP on this `address`")
	options := flag.String("options", "", "of stdio, as a URL's `query`")
	flag.Parse()
	if *stdio {
		if err := peer.ServeStdio(os.Stdin, os.Stdout, peer.ParseOptions(*options)); err != nil {
			log.Fatal(err)
		}
		return
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(peer.ServeHTTP(listener))
}
