// Package oidc tests authorization against an OpenID provider that others wrote
// (github.com/zitadel/oidc): a real one, over loopback HTTP, with users who log
// in at its page. It is a module of its own, so that its dependencies are nobody
// else's.
package oidc
