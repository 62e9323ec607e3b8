package auth

import (
	"slices"
	"strings"
)

// offlineAccess is the scope that asks for a refresh token.
const offlineAccess = "offline_access"

// Limits of what is believed of a server's lists of scopes.
const (
	maxScopes     = 200
	maxScopeBytes = 256
)

// isScope reports whether text is one scope by the grammar of RFC 6749, 3.3:
// what a server wrote comes before a user's eyes on a consent page.
func isScope(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return text != "" && len(text) <= maxScopeBytes
}

// splitScopes reads a scope parameter; what is no scope is left out.
func splitScopes(text string) []string { return cleanScopes(strings.Split(text, " ")) }

// cleanScopes leaves out what is no scope, and what is there twice.
func cleanScopes(scopes []string) []string {
	var clean []string
	for _, scope := range scopes {
		if isScope(scope) && !slices.Contains(clean, scope) && len(clean) < maxScopes {
			clean = append(clean, scope)
		}
	}
	return clean
}

func joinScopes(scopes []string) string { return strings.Join(scopes, " ") }

// union returns the scopes of both, those of the first one first (R266).
func union(first, second []string) []string { return cleanScopes(slices.Concat(first, second)) }

// containsAll reports whether all of the wanted scopes are among the given.
func containsAll(given, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(scope string) bool { return !slices.Contains(given, scope) })
}

// chooseScopes decides what to ask for: what the challenge names, else what is
// configured, else all that the resource supports, else nothing (R263, R264),
// together with what was asked for before (R266). offline_access is asked for
// where the authorization server lists it, and never otherwise, nor alone, which
// would turn "whatever is usual" into "nothing but" (R272, P90).
func (c Config) chooseScopes(f *findings, challenged, before []string) []string {
	scopes := challenged
	if len(scopes) == 0 {
		scopes = c.Scopes
	}
	if len(scopes) == 0 {
		scopes = f.scopesSupported
	}
	scopes = slices.DeleteFunc(union(before, scopes), func(scope string) bool { return scope == offlineAccess })
	if len(scopes) > 0 && !c.unattended() && c.OfflineAccess && f.server.OffersScope(offlineAccess) {
		scopes = append(scopes, offlineAccess)
	}
	return scopes
}
