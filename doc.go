// Package mcpclient is a client for servers of the Model Context Protocol, made
// for web backends: many goroutines, one connection per server, each call with
// its own context, identity and deadline.
//
//	cfg, err := config.Load("mcp.yaml")
//	client, err := mcpclient.New(cfg, mcpclient.WithLogger(logger))
//	defer client.Close()
//
//	github, err := client.Connect("github")
//	tools, err := github.Tools(ctx)
//	result, err := github.CallTool(ctx, "create_issue", arguments)
//	issue, err := mcpclient.Decode[Issue](result)
//
// # Client and connections
//
// New and Connect do no I/O. The handshake happens with the first call, once,
// however many goroutines make it; Connection.Start begins it earlier. A server
// whose configuration is wrong does not keep the others from working: see
// Client.Problems.
//
// The servers of a running client can be changed: Client.Apply puts another
// configuration in force and touches nothing that it does not change, Client.Watch
// does so whenever the files change, Client.AddServer and Client.RemoveServer change
// one server. Connections that were handed out follow.
//
// A Group (Client.Group) makes many servers look like one, with names that fit the
// function calls of language models.
//
// # Calls
//
// A call is bounded by its context, by the longest silence and by its whole life
// (WithTimeout, WithMaxTimeout; the configuration has their defaults). OnProgress
// and OnEvent see what belongs to it while it runs. WithPrincipal, WithToken and
// WithHeader say whom it is for: principals never share a session.
//
// Errors are those of package errors: failures of calls are always
// *errors.TransporterRequestError, faults of the configuration are
// *errors.ServerConfigurationError. A tool result with isError set is a result.
//
// What a server asks while it serves a call is answered by Handlers (WithHandlers);
// of what changes on it Connection.Listen tells.
//
// # Fakes and wrappers
//
// Code that needs a server best takes what it needs of it: a ToolCaller, a
// ResourceReader, a PromptGetter. A *Connection is all of these, and so is a fake of
// three lines.
//
// Two interfaces of package transporters are the seams. A Transporter makes
// calls: implement it, or use a transporters.TransporterFunc, to fake a server in
// a test (NewConnection, WithTransporter) or to wrap all calls (Use). A Link moves
// messages: implement it to write a transport, and register it with package
// factory (WithFactory). Package mcptest has fakes of both.
//
// # What happens
//
// What happens is told by listeners of one connection, which come and go
// (Connection.OnError, OnState, OnClose and their like), by hooks for all that a
// client does (WithHooks), and in numbers (Connection.Stats, Client.Health).
//
// The pages of the folder docs tell more: of calls, the configuration, transports,
// authorization, supervision and deadlines.
package mcpclient
