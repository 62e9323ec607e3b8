package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// explainedKey is one key and where its value comes from.
type explainedKey struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Source is file, defaults, environment or default.
	Source   string `json:"source"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Variable string `json:"variable,omitempty"`
}

// explainedServer is one server.
type explainedServer struct {
	Name   string         `json:"name"`
	Keys   []explainedKey `json:"keys"`
	Faults []string       `json:"faults,omitempty"`
}

// explanation is the configuration as a whole.
type explanation struct {
	Keys    []explainedKey    `json:"keys,omitempty"` // outside any server
	Servers []explainedServer `json:"servers"`
}

func (p *program) configExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [SERVER...]",
		Short: "Tell the effective value of every key, and where it comes from",
		Long: "Tell the effective value of every key, and where it comes from: a file, the defaults section, an environment variable\n" +
			"or the key's own default. Secrets are shown as ***. Nothing is started or connected to.\n\n" +
			"An environment variable overrides a key: MCPCLIENT_SERVERS__GITHUB__REQUEST_TIMEOUT=90s sets request_timeout of the\n" +
			"server github. Two underscores go one level down; case does not matter, and _ stands for every other character that\n" +
			"is no letter or digit. A list is JSON, or words separated by commas; a map is JSON.",
		Example: "  mcpclient config explain github\n" +
			"  mcpclient --config mcp.yaml config explain --json",
		ValidArgsFunction: p.completeServers,
		RunE:              func(_ *cobra.Command, names []string) error { return p.explain(names) },
	}
}

func (p *program) explain(names []string) error {
	cfg, err := p.configuration()
	if err != nil {
		return err
	}
	var result explanation
	if len(names) == 0 {
		result.Keys, names = explainedKeys(cfg.Explain()), cfg.Names()
	}
	types, faults := newTypes(), 0
	for _, name := range names {
		section, found := cfg.Server(name)
		if !found {
			return unknownServer(cfg, name)
		}
		server := explainedServer{Name: name, Keys: explainedKeys(types.Explain(section)), Faults: texts(types.Check(section))}
		faults += len(server.Faults)
		result.Servers = append(result.Servers, server)
	}
	if err := p.printExplanation(result); err != nil {
		return err
	}
	if faults > 0 {
		return fmt.Errorf("the configuration has %s", counted(faults, "fault"))
	}
	return nil
}

func unknownServer(cfg *config.Config, name string) error {
	hint := ""
	if near := config.Nearest(name, cfg.Names()); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("%w %q; configured: %s%s", errors.ErrUnknownServer, name, strings.Join(cfg.Names(), ", "), hint)
}

func explainedKeys(entries []config.Entry) []explainedKey {
	keys := make([]explainedKey, len(entries))
	for i, entry := range entries {
		origin := entry.Origin
		keys[i] = explainedKey{
			Key: entry.Key, Value: entry.Value, Source: "file", File: origin.File, Line: origin.Line, Column: origin.Column, Variable: origin.Variable,
		}
		switch {
		case entry.Default:
			keys[i].Source = "default"
		case origin.Variable != "":
			keys[i].Source = "environment"
		case origin.Defaults:
			keys[i].Source = "defaults"
		}
	}
	return keys
}

// origin is where the value comes from, for people.
func (k explainedKey) origin() string {
	place := config.Origin{File: k.File, Line: k.Line, Column: k.Column, Variable: k.Variable}.String()
	switch {
	case k.Source == "default":
		return "default"
	case k.Source == "defaults" || k.Source == "environment" && strings.HasPrefix(k.Variable, "MCPCLIENT_DEFAULTS__"):
		return place + " (defaults)"
	}
	return place
}

func (p *program) printExplanation(result explanation) error {
	if p.json {
		if result.Servers == nil {
			result.Servers = []explainedServer{}
		}
		return p.printJSON(result)
	}
	rows := [][]string{{"SERVER", "KEY", "VALUE", "ORIGIN"}}
	add := func(server string, keys []explainedKey) {
		for _, key := range keys {
			rows = append(rows, []string{server, key.Key, key.Value, key.origin()})
		}
	}
	add("", result.Keys)
	for _, server := range result.Servers {
		p.complainAll(server.Faults)
		add(server.Name, server.Keys)
	}
	return p.table(rows)
}
