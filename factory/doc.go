// Package factory turns a server's section of the configuration into something
// that makes calls. It is the only place that knows concrete types, and the only
// one that knows in which order policies stand.
//
// A TransporterFactory maps the key `type` to a constructor, which decodes the
// rest of the section strictly and says how a base, a live relation with the
// server, is opened. Nothing is opened yet: a Slot does that when a call needs
// it, one base for each principal.
//
//	wrappers of the user, policies -> slot -> a base per principal
//
// The order of the policies is that of package policy.
//
// The words: a Build is what a Constructor is given beside its section, such as
// the common settings and the logger. A Blueprint is what it returns: how to
// open a base. A Caller is whom a base is opened for, with the credentials of
// that principal. A Slot opens bases by its blueprint, holds one for each
// principal, and ends the chain. A Made is a finished chain: its head, where
// calls enter, and its slot.
//
// A type of your own is registered on the value:
//
//	types := factory.New()
//	err := types.Register("websocket", newWebSocket, Config{})
//	client, err := mcpclient.New(cfg, mcpclient.WithFactory(types))
//
// where newWebSocket decodes its keys and returns
//
//	factory.Blueprint{Open: func(caller factory.Caller) (transporters.Base, error) {
//		return session.New(build.Server, build.Settings, newLink(cfg), build.Session...), nil
//	}}
package factory
