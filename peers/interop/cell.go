package interop

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/peers/wire"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// The bounds of a visit.
const (
	featureTimeout = 30 * time.Second // of one check
	startTimeout   = 60 * time.Second // of a server's start, on a slow machine
	closeTimeout   = 10 * time.Second // of the client's Close
	// of a notification; some servers send every five seconds
	notificationTimeout = 12 * time.Second
)

// NoRevision stands for the revision of a cell whose server is expected to
// refuse the client: there is no handshake to check and no wire to judge.
const NoRevision mcp.Version = "none"

// Place names one line of the report.
type Place struct {
	Server, Transport string
	Revision          mcp.Version
	Feature           string
}

// String returns the place as it stands in the report and in known-failures.
func (p Place) String() string {
	return fmt.Sprintf("%s %s %s %s", p.Server, p.Transport, p.Revision, p.Feature)
}

// Outcome is what became of one feature.
type Outcome struct {
	Place
	// Err is nil if it works.
	Err error
	// Details may be said of one that works.
	Details string
}

// Cell is one server over one transport in one revision.
type Cell struct {
	Server    string
	Transport string // stdio, http or sse, and what is special about it
	// Revision is the one that has to be agreed on.
	Revision mcp.Version
	// Start starts the server and says how it is reached.
	Start func(ctx context.Context, w *Workshop) (*Server, error)
	// Settings are further keys of the client's configuration.
	Settings map[string]any
	// Features are checked one after the other, on one connection.
	Features []Feature
}

// Feature is something that a server can do, and the check that it works with
// this client.
type Feature struct {
	Name  string
	Check func(ctx context.Context, v *Visit) error
}

// Visit is what a check may use.
type Visit struct {
	*mcpclient.Connection
	Cell   *Cell
	Server *Server
	// Heard is what the client's handlers got.
	Heard *Heard
}

// Name returns the cell's name, as lines of the report begin.
func (c *Cell) Name() string { return fmt.Sprintf("%s %s %s", c.Server, c.Transport, c.Revision) }

// Places returns the lines that the cell will give, the one of the wire
// included if it can be judged.
func (c *Cell) Places(judged bool) []Place {
	var names []string
	if c.Revision != NoRevision {
		names = append(names, "connect")
	}
	for _, feature := range c.Features {
		names = append(names, feature.Name)
	}
	names = append(names, "close")
	if judged && c.Revision != NoRevision {
		names = append(names, "wire")
	}
	var places []Place
	for _, name := range names {
		places = append(places, Place{c.Server, c.Transport, c.Revision, name})
	}
	return places
}

// Result is what a visit of a cell gives.
type Result struct {
	Outcomes []Outcome
	// Verdict is the judgement of the wire; nil without schemas.
	Verdict *wire.Verdict
	// Log is what the server wrote to stderr and stdout, for those who look into
	// a failure.
	Log string
}

// Visit starts the server, checks every feature and ends everything. Without
// schemas the wire is not judged. If there is no connection, every feature
// fails with the reason.
func (c *Cell) Visit(ctx context.Context, w *Workshop, schemas *wire.Schemas) Result {
	places := c.Places(schemas != nil)
	var result Result
	record := func(err error, details string) {
		result.Outcomes = append(result.Outcomes, Outcome{places[len(result.Outcomes)], err, details})
	}
	fail := func(err error) Result {
		for len(result.Outcomes) < len(places) {
			record(fmt.Errorf("no connection: %w", err), "")
		}
		return result
	}

	starting, cancel := context.WithTimeout(ctx, startTimeout)
	server, err := c.Start(starting, w)
	cancel()
	if err != nil {
		return fail(fmt.Errorf("the server did not start: %w", err))
	}
	defer func() {
		server.Stop()
		result.Log = server.Output()
	}()
	visit, client, err := c.connect(server)
	if err != nil {
		return fail(err)
	}
	if c.Revision != NoRevision {
		info, err := c.handshake(ctx, visit)
		if err != nil {
			_ = closeWithin(client.Close)
			return fail(err)
		}
		record(nil, fmt.Sprintf("%s %s", info.Implementation.Name, info.Implementation.Version))
	}
	for _, feature := range c.Features {
		checking, cancel := context.WithTimeout(ctx, featureTimeout)
		record(feature.Check(checking, visit), "")
		cancel()
	}
	record(c.close(client, server), "")
	if len(result.Outcomes) == len(places) { // the wire is not judged
		return result
	}
	records, err := server.Records()
	if err != nil {
		record(err, "")
		return result
	}
	verdict := wire.Judge(schemas, records)
	result.Verdict = &verdict
	record(judgement(verdict), fmt.Sprintf("%d messages", verdict.ClientMessages))
	return result
}

// judgement is the feature wire: every message of the client is valid.
func judgement(verdict wire.Verdict) error {
	switch {
	case len(verdict.Problems) > 0:
		return fmt.Errorf("%d problems in %d messages: %s", len(verdict.Problems), verdict.ClientMessages, verdict.Problems[0])
	case verdict.ClientMessages == 0:
		return errors.New("no message was recorded")
	}
	return nil
}

// connect makes a client of the server. Nothing is sent yet.
func (c *Cell) connect(server *Server) (*Visit, *mcpclient.Client, error) {
	section := map[string]any{}
	for key, value := range server.Section {
		section[key] = value
	}
	for key, value := range c.Settings {
		section[key] = value
	}
	cfg, err := config.FromServers(map[string]any{"peer": section})
	if err != nil {
		return nil, nil, err
	}
	heard := &Heard{}
	client, err := mcpclient.New(cfg, mcpclient.WithHandlers(handlers(heard)))
	if err != nil {
		return nil, nil, err
	}
	connection, err := client.Connect("peer")
	if err != nil {
		_ = closeWithin(client.Close)
		return nil, nil, err
	}
	return &Visit{connection, c, server, heard}, client, nil
}

// handshake is the feature connect: the revision is the one expected.
func (c *Cell) handshake(ctx context.Context, v *Visit) (transporters.ServerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	info, err := v.ServerInfo(ctx)
	switch {
	case err != nil:
		return info, err
	case info.Version != c.Revision:
		return info, fmt.Errorf("agreed on revision %s instead of %s", info.Version, c.Revision)
	case info.Implementation.Name == "":
		return info, errors.New("the server's name is not known")
	}
	return info, nil
}

// close is the feature close: Close returns in time and without an error, a
// process has ended by then, and an HTTP session was given back.
func (c *Cell) close(client *mcpclient.Client, server *Server) error {
	if err := closeWithin(client.Close); err != nil {
		return err
	}
	records, err := server.Records()
	if err != nil {
		return err
	}
	var session, deleted, exited bool
	for _, r := range records {
		switch r.Kind {
		case wire.Request:
			session = session || r.Header.Get(mcp.HeaderSessionID) != ""
			deleted = deleted || r.Method == "DELETE"
		case wire.Exit:
			exited = true
		}
	}
	switch {
	case server.tee != "" && !exited:
		return errors.New("the server's process has not ended")
	case session && !deleted:
		return errors.New("the session was not ended with a DELETE")
	}
	return nil
}

// closeWithin calls a Close that must not hang.
func closeWithin(closeClient func() error) error {
	closed := make(chan error, 1)
	go func() { closed <- closeClient() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTimeout):
		return fmt.Errorf("the client's Close has not returned after %s", closeTimeout)
	}
}
