// Package peers tests mcpclient against MCP servers that others wrote: those
// of the official Go SDK (in the folder gosdkserver) and those published on npm
// (pinned in the folder servers). It is a module of its own, so that their
// dependencies stay out of mcpclient's.
package peers
