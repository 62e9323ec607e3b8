package httplink

import (
	"net/url"
	"runtime"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// socketWanted says how the address of a socket is written.
const socketWanted = "unix:///run/mcp.sock#/mcp, the HTTP path behind #"

// A server on a Unix domain socket has no URL that everybody agrees on. Three ways
// of writing one are understood, each the habit of many programs:
//
//	unix:///run/mcp.sock#/mcp           as in the configuration of VS Code
//	http+unix://%2Frun%2Fmcp.sock/mcp   as with Docker's and Python's clients
//	unix:/run/mcp.sock:/mcp             as in nginx
//
// Without an HTTP path it is /. A socket that begins with @ is one of Linux's
// abstract ones. Requests have the host localhost.

const (
	schemeUnix     = "unix:"
	schemeHTTPUnix = "http+unix:"
	socketHost     = "localhost"
)

// isSocketAddress reports whether text means to be the address of a socket.
func isSocketAddress(text string) bool {
	return hasScheme(text, schemeUnix) || hasScheme(text, schemeHTTPUnix)
}

func hasScheme(text, scheme string) bool {
	return len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme)
}

// parseSocket reads the address of a socket. Faults show nothing of it, unless it
// could be read.
func parseSocket(text string) (endpoint, *urlFault) {
	if strings.TrimSpace(text) != text {
		return endpoint{}, &urlFault{message: "the URL has blanks around it"}
	}
	cut := cutUnix
	if hasScheme(text, schemeHTTPUnix) {
		cut = cutHTTPUnix
	}
	_, rest, _ := strings.Cut(text, ":")
	socket, target, fault := cut(rest)
	if fault != nil {
		return endpoint{}, fault
	}
	if fault := checkSocket(socket); fault != nil {
		return endpoint{}, fault
	}
	u, err := url.Parse("http://" + socketHost + target)
	switch {
	case !strings.HasPrefix(target, "/"):
		return endpoint{}, &urlFault{message: "the HTTP path of the socket has to begin with /"}
	case err != nil:
		return endpoint{}, &urlFault{message: "the HTTP path of the socket is not one"}
	case strings.Contains(target, "#"):
		return endpoint{}, &urlFault{message: "a fragment is never sent"}
	}
	shown := schemeUnix + errors.PeerText(socket, snippetBytes) + "#" + u.EscapedPath()
	return endpoint{url: u, target: u.String(), socket: socket, shown: shown}, nil
}

// cutUnix takes what follows unix: apart.
func cutUnix(rest string) (socket, target string, fault *urlFault) {
	rest = strings.TrimPrefix(rest, "//")
	socket, target, found := strings.Cut(rest, "#")
	if !found {
		if socket, target, found = strings.Cut(rest, ":/"); found {
			target = "/" + target
		}
	}
	if strings.Contains(socket, "?") {
		return "", "", &urlFault{message: "the query belongs to the HTTP path, behind #; a question mark in the socket's own path is written %3F"}
	}
	if !found {
		target = "/"
	}
	socket, err := url.PathUnescape(socket)
	if err != nil {
		return "", "", &urlFault{message: "the socket's path has a % without two digits behind it; a percent sign is written %25"}
	}
	return socket, target, nil
}

// cutHTTPUnix takes what follows http+unix: apart.
func cutHTTPUnix(rest string) (socket, target string, fault *urlFault) {
	rest, found := strings.CutPrefix(rest, "//")
	at := strings.IndexAny(rest, "/?#")
	if !found || at == 0 {
		return "", "", &urlFault{message: "the socket's path stands in the place of the host, percent-encoded, as in http+unix://%2Frun%2Fmcp.sock/mcp"}
	}
	socket, target = rest, "/"
	if at > 0 {
		socket, target = rest[:at], rest[at:]
	}
	if strings.HasPrefix(target, "?") {
		target = "/" + target
	}
	socket, err := url.PathUnescape(socket)
	if err != nil {
		return "", "", &urlFault{message: "the socket's path has a % without two digits behind it; a percent sign is written %25"}
	}
	return socket, target, nil
}

// checkSocket refuses what no system takes for a socket, or what would depend on
// where the program was started.
func checkSocket(socket string) *urlFault {
	switch {
	case socket == "" || socket == "@":
		return &urlFault{message: "the path of the socket is missing"}
	case socket[0] != '/' && socket[0] != '@':
		return &urlFault{message: "the path of a socket has to be absolute: what it is relative to would depend on where the program was started"}
	case strings.HasSuffix(socket, "/"):
		return &urlFault{message: "the path of the socket ends in /, as that of a folder"}
	case strings.ContainsRune(socket, 0):
		return &urlFault{message: "the path of the socket has a zero byte in it"}
	case len(socket) > maxSocketPath():
		return &urlFault{message: "the path of the socket is longer than the system takes, which is about 100 bytes"}
	}
	return nil
}

// maxSocketPath is what fits into the system's structure.
func maxSocketPath() int {
	if runtime.GOOS == "linux" {
		return 107
	}
	return 103
}
