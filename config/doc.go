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
// Load reads YAML (.yaml, .yml), TOML (.toml) and JSON (.json, .jsonc); a file with
// another extension is read as what it looks like. JSON may have comments and a
// comma behind the last item. Of several files a later one wins, key by key: maps
// merge, everything else replaces. FromKoanf, FromMap and FromServers take what a
// program already holds. None of them checks a server: they fail only for the file
// itself (missing, not readable, not well-formed, a key given twice, more than 16
// MiB or 200,000 values), with its place.
//
// Top-level keys are servers, defaults, inputs, strict and store; another one is a
// fault of the Config, unless it begins with x-, which makes it a place for YAML's
// anchors, or is $schema. The keys under defaults are merged under each server.
//
// # Other programs' files
//
// The files of Claude (Desktop and Code), Cursor, Windsurf, Cline, Roo Code, Gemini,
// Copilot, VS Code, Zed, Codex, OpenCode and the like are told by their shape,
// whatever their name: mcpServers, context_servers, mcp_servers, mcp.servers, or, in
// JSON, servers without a type or with a list of inputs. They become sections with
// our keys: command and args, env, envFile, cwd, url (serverUrl, httpUrl), headers,
// type in all its spellings, timeout, lists of tools to include and exclude,
// ${workspaceFolder} and ${userHome}. A server that is switched off there is left
// out. What concerns only the other program's screens is passed over; what else has
// no meaning here is among Warnings, with its place, and so is a timeout, which some
// programs count in seconds and some in milliseconds (it is read as seconds up to
// 3600). Keys of ours are added by a file that is loaded after theirs.
//
// Convert writes any configuration in our own keys.
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
// # References
//
// These are replaced in strings, not in keys, when a section is decoded; what was
// put in is not looked at again:
//
//	${VAR}           an environment variable
//	${VAR:-default}  default where it is unset or empty
//	${env:VAR}       another spelling of both
//	${file:path}     a file of 1 MiB at most, without one line end at its end
//	${input:id}      what the user answers, where there is one (Options.Input)
//	$${              a literal ${
//
// A variable that is unset, or a file that cannot be read, is a fault. A fault shows
// the reference, never what it stands for. Secret keeps the reference and resolves it
// at each Reveal, so that a rotated file is seen. inputs declares what is asked for:
//
//	inputs:
//	  key: {description: API key, password: true}
//
// # Paths
//
// A path (cwd, env_file, tls.ca_file, ${file:...} and so on) that is relative is
// taken from the folder of the file that it stands in, and ~ is the home folder. In a
// Go value or an environment variable it is taken from the working directory.
//
// # Environment variables that override keys
//
// Above all files stand environment variables whose names begin with MCPCLIENT_:
//
//	MCPCLIENT_SERVERS__GITHUB__REQUEST_TIMEOUT=90s   servers.github.request_timeout
//	MCPCLIENT_SERVERS__MY_SERVER__TOOLS__ALLOW=a*,b  servers.my-server.tools.allow
//	MCPCLIENT_SERVERS__MEMORY__ENV__API_KEY=...      servers.memory.env.API_KEY
//	MCPCLIENT_DEFAULTS__REQUEST_TIMEOUT=90s          defaults.request_timeout
//	MCPCLIENT_STRICT=true                            strict
//
// Two underscores go one level down. A part of the name is the key that is the same
// but for case, and but for _ where the key has another character than a letter or a
// digit; a new key is in lower case, but under env as it is, and under headers with -
// for _. A value has the type of its key: a list is JSON or words separated by
// commas, a map is JSON, and ${ has no meaning. A server must be in a file: a name
// that fits none is a warning, one that fits two a fault. The key's origin is the
// variable, and a fault names the variable, never its value. Load, Parse and their
// like look for them; Options.NoOverrides keeps them out.
//
// # Watching
//
// Watch calls back when the files of a loaded configuration change, or what their
// values refer to; Section.Fingerprint tells which servers are another than before.
package config
