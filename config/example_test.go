package config_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcp-client-go/mcpclient/config"
)

// A file of another program becomes one of this program's own.
func ExampleConvert() {
	cfg, err := config.Parse("claude_desktop_config.json", []byte(`{
  "mcpServers": {
    "github": {"command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "${TOKEN}"}, "colour": "red"}
  }
}`))
	if err != nil {
		log.Fatal(err)
	}
	for _, warning := range cfg.Warnings() {
		fmt.Println("#", warning)
	}
	text, err := config.Convert(cfg, config.YAML)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// # claude_desktop_config.json:3:90: server "github": colour: this key has no meaning here, and is passed over
	// servers:
	//   github:
	//     type: stdio
	//     command:
	//       - npx
	//     args:
	//       - -y
	//       - server
	//     env:
	//       TOKEN: ${TOKEN}
}

// The program goes on with what it has while a file is wrong.
func ExampleWatch() {
	run := func(ctx context.Context) error {
		cfg, err := config.Load("mcp.yaml")
		if err != nil {
			return err
		}
		watcher, err := config.Watch(ctx, cfg, config.WatchOptions{}, func(update config.Update) {
			if update.Err != nil {
				log.Print("the configuration stays as it was: ", update.Err)
				return
			}
			log.Print("servers that differ: ", update.Added, update.Changed, update.Removed)
		})
		if err != nil {
			return err
		}
		defer watcher.Close()
		<-ctx.Done()
		return nil
	}
	_ = run
}
