// Package config reads the configuration of MCP servers and checks it.
//
// A file, or several in layers, names the servers:
//
//	defaults: {request_timeout: 60s}
//	servers:
//	  github:
//	    type: http
//	    base_url: https://api.example.com/mcp
//	    token: ${GITHUB_TOKEN}
//	  memory:
//	    type: stdio
//	    command: [npx, -y, "@modelcontextprotocol/server-memory"]
//
// # Loading
//
// Load reads YAML (.yaml, .yml), TOML (.toml) and JSON (.json); of several
// files a later one wins, key by key: maps merge, everything else replaces.
// FromKoanf, FromMap and FromServers take what a program already holds. None of
// them checks a server: they fail only for the file itself (missing, not
// readable, not well-formed, a key given twice), with its place.
//
// Top-level keys are servers, defaults, strict and store; another one is a
// fault of the Config, unless it begins with x-, which makes it a place for
// YAML's anchors. The keys under defaults are merged under each server.
//
// # Checking
//
// Each server is a Section: its keys, and the file, line and column of each.
// The owner of a group of keys decodes them into a struct with Take, the owner
// of the rest with Decode, which reports every unknown key with the nearest
// known one. Faults are collected, never returned one at a time; nothing is
// built and nothing is connected to. Case matters in every key.
//
// A struct describes its keys with tags:
//
//	type Config struct {
//		BaseURL     string          `config:"base_url,required,alias=url" doc:"the endpoint, used as written"`
//		ReadTimeout config.Duration `config:"read_timeout" default:"30s" doc:"longest stall within a body"`
//		Token       config.Secret   `config:"token" doc:"bearer token"`
//		TLS         *TLS            `config:"tls" doc:"absent: the system's certificate pool"`
//	}
//
// The options after the name are required (present and not empty), alias=other
// (may be repeated), zero (a Duration may be 0) and path (of a string: relative to
// the file, ~ is the home folder). The tag values lists the words that a value may
// be, separated by commas, for the schema; the owner of the key checks them. A field without the tag is
// not part of the configuration. An embedded struct without a tag is flattened,
// a struct field is a nested group with dotted keys, a pointer to a struct is
// nil unless its key is there. The same tags make Fields, from which
// documentation is generated.
//
// # Values
//
// null is the same as a key that is not there; above a default it removes the
// default. A number, a boolean or a date where a string is wanted is taken as it
// was written: 1.10 stays "1.10", 2025-11-25 stays "2025-11-25". A string where a
// number or a boolean is wanted is accepted if it is one, because a variable can
// only be a string. A list of strings never accepts a string. An integer with a
// leading zero, which YAML would read as octal, is a fault where a number is
// wanted. Integers keep all their digits.
//
// # Interpolation
//
// ${VAR}, ${VAR:-default} and ${file:/path} are replaced in strings, not in
// keys, when a section is decoded; what was put in is not looked at again.
// $${ stands for a literal ${. Default is used where the variable is unset or
// empty. A variable that is unset, or a file that cannot be read, is a fault.
// A file may have 1 MiB and loses one line end at its end. A fault shows the
// reference, never what it stands for. Secret keeps the reference and resolves
// it at each Reveal, so that a rotated file is seen.
package config
