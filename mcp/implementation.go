package mcp

import (
	"encoding/json"
	"runtime/debug"
)

// modulePath is how this module is found in the build information.
const modulePath = "github.com/mcp-client-go/mcpclient"

// fallbackVersion is announced where the build information does not tell one,
// for example in a test binary or a build from a checkout.
const fallbackVersion = "0.1.0-dev"

// Implementation describes a client or a server.
type Implementation struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Version     string          `json:"version"`
	Description string          `json:"description,omitempty"`
	WebsiteURL  string          `json:"websiteUrl,omitempty"`
	Icons       json.RawMessage `json:"icons,omitempty"`
}

// ClientInfo is what this client announces of itself unless told otherwise:
// name "mcpclient" and the module's version from the build information, with a
// fallback where there is none. It is the only place that makes it.
func ClientInfo() Implementation {
	return Implementation{Name: "mcpclient", Version: moduleVersion()}
}

func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fallbackVersion
	}
	if info.Main.Path == modulePath {
		return usableVersion(info.Main.Version)
	}
	for _, dependency := range info.Deps {
		if dependency.Path != modulePath {
			continue
		}
		if dependency.Replace != nil && dependency.Replace.Version != "" {
			return usableVersion(dependency.Replace.Version)
		}
		return usableVersion(dependency.Version)
	}
	return fallbackVersion
}

func usableVersion(version string) string {
	if version == "" || version == "(devel)" {
		return fallbackVersion
	}
	return version
}
