package redact

import (
	"slices"
	"strings"
)

// NameSuggestsSecret reports whether a flag, variable, header or field of this name
// is likely to hold a secret.
func NameSuggestsSecret(name string) bool {
	name = strings.ToLower(name)
	if slices.Contains([]string{"p", "pw", "pat", "auth", "psk", "sas", "jwt", "dsn"}, name) {
		return true
	}
	return slices.ContainsFunc([]string{
		"token", "secret", "pass", "pwd", "key", "credential", "authorization", "bearer", "cookie", "signature",
	}, func(part string) bool { return strings.Contains(name, part) })
}

// IsKnownToken reports whether a word begins as the tokens of well-known services
// do.
func IsKnownToken(word string) bool {
	if len(word) < 16 {
		return false
	}
	return slices.ContainsFunc([]string{
		"ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "sk-", "sk_", "rk_", "pk_",
		"xoxb-", "xoxp-", "xoxa-", "xapp-", "eyJ", "AKIA", "ASIA", "AIza", "npm_", "pypi-", "hf_", "ntn_", "secret_",
	}, func(beginning string) bool { return strings.HasPrefix(word, beginning) })
}
