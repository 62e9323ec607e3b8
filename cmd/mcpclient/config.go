package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

func (p *program) configCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Convert and explain configuration files",
		Long: "Convert and explain configuration files. They may be YAML, TOML or JSON, and they may be other programs': Claude,\n" +
			"Cursor, Windsurf, Cline, Gemini, VS Code, Zed, Codex and OpenCode are told by what their files look like.",
		Args: noSubcommand,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.configConvertCommand(), p.configExplainCommand(), p.configSchemaCommand())
	return command
}

func (p *program) configConvertCommand() *cobra.Command {
	var to string
	command := &cobra.Command{
		Use:   "convert [FILE...]",
		Short: "Write any configuration file in this program's own keys",
		Long: "Write a configuration file, of this program or of another one, in this program's own keys, to stdout. Several files\n" +
			"become one. References such as ${TOKEN} stay what they are; nothing is resolved, and environment variables override\n" +
			"nothing. What has no meaning here, and secrets that stand in the file itself, are told on stderr. The result belongs\n" +
			"into the folder of the file that it was made of: paths in it are relative to that.",
		Example: "  mcpclient config convert claude_desktop_config.json > mcp.yaml\n" +
			"  mcpclient config convert .vscode/mcp.json --to toml > .vscode/mcp.toml",
		RunE: func(_ *cobra.Command, files []string) error { return p.convert(files, config.Format(to)) },
	}
	command.Flags().StringVar(&to, "to", string(config.YAML), "the `format`: yaml, toml or json")
	return command
}

func (p *program) convert(files []string, to config.Format) error {
	switch to {
	case config.YAML, config.TOML, config.JSON:
	default:
		return usage("--to takes yaml, toml or json; found %q", to)
	}
	if len(files) == 0 {
		files = p.configFiles
	}
	if len(files) == 0 {
		if found := p.findConfiguration(); found != "" {
			files = []string{found}
		}
	}
	if len(files) == 0 {
		return usage("there is no file to convert: name one")
	}
	cfg, err := config.LoadWith(config.Options{NoOverrides: true, Input: withoutAsking}, files...)
	if err != nil {
		return err
	}
	converted, err := config.Convert(cfg, to)
	if err != nil {
		return err
	}
	p.warnOf(cfg.Warnings())
	p.warnOf(cfg.LiteralSecrets())
	if err := p.printLine(string(converted)); err != nil {
		return err
	}
	return p.tellReport("the configuration", reportOn(cfg))
}

// warnOf tells what does no harm.
func (p *program) warnOf(warnings []errors.Fault) {
	for _, line := range texts(warnings) {
		p.complain("mcpclient: warning: " + line)
	}
}

// tellReport writes what is wrong with a configuration, and fails if anything is.
func (p *program) tellReport(what string, report serversReport) error {
	p.complainAll(report.Faults)
	for _, line := range report.Servers {
		p.complainAll(line.Faults)
	}
	if count := report.count(); count > 0 {
		return fmt.Errorf("%s has %s", what, counted(count, "fault"))
	}
	return nil
}

func (p *program) configSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Write the JSON Schema of configuration files, for editors",
		Long: "Write the JSON Schema (draft-07) of this program's configuration files, for editors. In VS Code: \"yaml.schemas\" or\n" +
			"\"json.schemas\" in the settings, or a first line in the file:\n\n" +
			"  # yaml-language-server: $schema=./mcp.schema.json        in YAML\n" +
			"  \"$schema\": \"./mcp.schema.json\",                        in JSON\n" +
			"  #:schema ./mcp.schema.json                             in TOML",
		Example: "  mcpclient config schema > mcp.schema.json",
		Args:    arguments(cobra.NoArgs, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			schema, err := newTypes().Schema()
			if err != nil {
				return err
			}
			return p.printLine(string(schema))
		},
	}
}
