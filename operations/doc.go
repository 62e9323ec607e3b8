// Package operations shows the people who run a web backend how its MCP servers
// are: three http.Handlers on the public interface of a Client.
//
//	recorder := &operations.Recorder{}
//	client, err := mcpclient.New(cfg, mcpclient.WithHooks(recorder))
//	site, err := operations.New(client, operations.WithRecorder(recorder), operations.Required("github"))
//
//	mux.Handle("GET /healthz", site.Healthz())
//	mux.Handle("GET /readyz", site.Readyz())
//	mux.Handle("GET /debug/mcp", onlyOperators(site.Page()))
//	...
//	site.Close() // before http.Server.Shutdown, which waits for the page's streams
//
// Healthz and Readyz say nothing that strangers must not know: names of servers,
// their state, the kind of a failure. Page says more: whom calls are for, the names
// of tools, texts of errors, the configuration with its secrets masked. It only
// reads, but it belongs behind the backend's own access control.
package operations
