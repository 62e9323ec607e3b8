package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonschema"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	// handshakeTimeout bounds the handshake: a program may have to be downloaded.
	handshakeTimeout = 2 * time.Minute
	// pings is how often the server is asked for a sign of life.
	pings = 5
	// slow is how long an answer may take without a warning.
	slow = time.Second
	// maxName bounds a server's word, in bytes.
	maxName = 100
)

// protocol checks what the server says.
func (e *examination) protocol(patient Patient) {
	connection, err := patient.Connect()
	if err != nil {
		e.check("handshake", checkTimeout, func(context.Context) finding { return failed("", "%v", err) })
		return
	}
	var announced mcp.ServerCapabilities
	healthy := e.check("handshake", handshakeTimeout, func(ctx context.Context) finding {
		info, err := connection.ServerInfo(ctx)
		if err != nil {
			return failed(advice(err, patient), "%v", err)
		}
		announced = mcp.ParseServerCapabilities(info.Capabilities)
		return fine("%s %s, protocol %s (%v)", errors.PeerText(info.Implementation.Name, maxName),
			errors.PeerText(info.Implementation.Version, maxName), info.Version, info.Era)
	})
	if !healthy || !e.check("latency", checkTimeout, func(ctx context.Context) finding { return latency(ctx, connection) }) {
		return
	}
	if announced.Tools != nil {
		e.check("tools", checkTimeout, func(ctx context.Context) finding { return tools(ctx, connection, patient) })
	}
}

func latency(ctx context.Context, connection *mcpclient.Connection) finding {
	var took []time.Duration
	for range pings {
		begun := time.Now()
		err := connection.Ping(ctx)
		failure, answered := errors.AsType[*errors.TransporterRequestError](err)
		if err != nil && (!answered || failure.Kind != errors.KindPeer) { // an error answer is a sign of life, too
			return failed("it answered the handshake and nothing after it: see what it logs (-v)", "%v", err)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	text := fmt.Sprintf("%s (of %d, %s to %s)", milliseconds(took[pings/2]), pings, milliseconds(took[0]), milliseconds(took[pings-1]))
	if took[pings/2] > slow {
		return warning("it is slow: is it far away, or busy?", "%s", text)
	}
	return fine("%s", text)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func tools(ctx context.Context, connection *mcpclient.Connection, patient Patient) finding {
	found, err := connection.Tools(ctx)
	if err != nil {
		return failed(advice(err, patient), "%v", err)
	}
	unusable := 0
	for tool := range found.Values() {
		if _, err := jsonschema.Compile(tool.InputSchema); err != nil {
			unusable++
		}
	}
	switch faults := found.Faults(); {
	case len(faults) > 0:
		return warning("tell the server's author", "%d listed, %d could not be read: %v", found.Len(), len(faults), faults[0])
	case unusable > 0:
		return warning("tell the server's author: arguments cannot be checked", "%d listed, %d of them with a schema that cannot be used", found.Len(), unusable)
	default:
		return fine("%d listed", found.Len())
	}
}

// advice says what helps against an error.
func advice(err error, patient Patient) string {
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	switch {
	case errors.Is(err, errors.ErrAuthRequired) && patient.Login != "":
		return "authorize with '" + patient.Login + "', or set token"
	case errors.Is(err, errors.ErrAuthRequired):
		return "set token, or configure the section auth"
	case errors.Is(err, errors.ErrStartFailed) && errors.Is(err, fs.ErrNotExist):
		return "a file it needs is not there: run the command by hand in the working directory"
	case errors.Is(err, errors.ErrStartFailed):
		return "run the command by hand, and read what it writes to stderr (above)"
	case errors.Is(err, errors.ErrVersionMismatch):
		return "the server speaks no version that this program does: see protocol, and 'mcpclient version'"
	case errors.Is(err, errors.ErrConnectTimeout), errors.Is(err, context.DeadlineExceeded):
		return "it started and did not answer: does it speak MCP over this transport? A first start that downloads may need a longer connect_timeout"
	case errors.Is(err, errors.ErrNotMCP):
		return "something else answers there: check the path of base_url (often /mcp)"
	case errors.Is(err, errors.ErrPeerLost):
		return "it went away: read what it wrote to stderr, or its own log"
	case errors.Is(err, fs.ErrNotExist):
		return "the socket is not there: is the server running, and is the path in base_url right?"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens there: is the server running?"
	case failure != nil && failure.Status == 404:
		return "check the path of base_url (often /mcp)"
	case failure != nil && failure.Status >= 500:
		return "the server is in trouble, or what stands before it: see its own log"
	default:
		return ""
	}
}
