// Package factory turns a server's section of the configuration into something
// that makes calls. It is the only place that knows concrete types, and the only
// one that knows in which order policies stand.
//
// A TransporterFactory maps the key `type` to a constructor, which decodes the
// rest of the section strictly and says how a base, a live relation with the
// server, is opened. Nothing is opened yet: a Slot does that when a call needs
// it, one base for each principal.
//
//	wrappers of the user, filter, deadline -> slot -> a base per principal
//
// A type of your own is registered on the value:
//
//	transporters := factory.New()
//	err := transporters.Register("websocket", newWebSocket, Config{})
//	client, err := mcpclient.New(cfg, mcpclient.WithFactory(transporters))
package factory
