package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	// catalogAge is how long a catalog is used without asking.
	catalogAge = 5 * time.Minute
	// maxCatalog bounds the file of one, in bytes.
	maxCatalog = 8 << 20
)

// catalog is what a server has, for completion. It is kept in a file, so that
// not every press of the key starts a server. It holds what anybody who may use
// the server may list, readable for its user only, and no secrets.
type catalog struct {
	Written   time.Time              `json:"written"`
	Tools     []mcp.Tool             `json:"tools"`
	Prompts   []mcp.Prompt           `json:"prompts"`
	Resources []mcp.Resource         `json:"resources"`
	Templates []mcp.ResourceTemplate `json:"templates"`
}

// catalog returns what the server has: from the file if that is young enough,
// else from the server, and from an old file if the server cannot be asked.
func (p *program) catalog(ctx context.Context, server string) catalog {
	file := p.catalogFile(server)
	kept := readCatalog(file)
	if age := time.Since(kept.Written); age >= 0 && age < catalogAge {
		return kept
	}
	fresh := catalog{Written: time.Now()}
	err := p.withinCompletionTime(ctx, server, func(ctx context.Context, connection *mcpclient.Connection) error {
		return fresh.ask(ctx, connection)
	})
	if err != nil {
		return kept
	}
	writeCatalog(file, fresh)
	return fresh
}

// ask lists all kinds, side by side. One that fails is empty: the server need not
// have it. The error is that of the handshake.
func (c *catalog) ask(ctx context.Context, connection *mcpclient.Connection) error {
	info, err := connection.ServerInfo(ctx)
	if err != nil {
		return err
	}
	announced := mcp.ParseServerCapabilities(info.Capabilities)
	var asking sync.WaitGroup
	if announced.Tools != nil {
		asking.Go(func() {
			tools, _ := connection.Tools(ctx)
			c.Tools = listed(tools)
		})
	}
	if announced.Prompts != nil {
		asking.Go(func() {
			prompts, _ := connection.Prompts(ctx)
			c.Prompts = listed(prompts)
		})
	}
	if announced.Resources != nil {
		asking.Go(func() {
			resources, _ := connection.Resources(ctx)
			c.Resources = listed(resources)
		})
		asking.Go(func() {
			templates, _ := connection.ResourceTemplates(ctx)
			c.Templates = listed(templates)
		})
	}
	asking.Wait()
	return nil
}

// catalogFile names the file for a server as it is configured now; "" where there
// is no place for it.
func (p *program) catalogFile(server string) string {
	folder, err := p.userCacheDir()
	if err != nil {
		return ""
	}
	cfg, err := p.configuration()
	if err != nil {
		return ""
	}
	section, found := cfg.Server(server)
	if !found {
		return ""
	}
	executable, _ := p.executable() // which tells one version's demo server from another's
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%s\n%s\n%s\n", server, cfg.Source(), executable)
	if absolute, err := filepath.Abs("."); err == nil {
		_, _ = fmt.Fprintln(hash, absolute)
	}
	for _, entry := range section.Explain() { // secrets are hidden
		_, _ = fmt.Fprintf(hash, "%s=%s\n", entry.Key, entry.Value)
	}
	return filepath.Join(folder, "mcpclient", "catalog-"+hex.EncodeToString(hash.Sum(nil))[:32]+".json")
}

func (p *program) userCacheDir() (string, error) {
	if p.cacheDir != nil {
		return p.cacheDir()
	}
	return os.UserCacheDir()
}

// readCatalog reads a catalog; one that is not there is empty and old.
func readCatalog(file string) catalog {
	if file == "" {
		return catalog{}
	}
	opened, err := os.Open(file)
	if err != nil {
		return catalog{}
	}
	defer func() { _ = opened.Close() }()
	read, err := io.ReadAll(io.LimitReader(opened, maxCatalog))
	var kept catalog
	if err != nil || json.Unmarshal(read, &kept) != nil {
		return catalog{}
	}
	return kept
}

// writeCatalog writes it whole or not at all. That it may fail only costs time at
// the next press of the key.
func writeCatalog(file string, kept catalog) {
	encoded, err := json.Marshal(kept)
	if file == "" || err != nil || len(encoded) > maxCatalog || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	draft, err := os.CreateTemp(filepath.Dir(file), "catalog-*.tmp") // readable for its owner only
	if err != nil {
		return
	}
	_, err = draft.Write(encoded)
	if closing := draft.Close(); err == nil {
		err = closing
	}
	if err != nil || os.Rename(draft.Name(), file) != nil {
		_ = os.Remove(draft.Name())
	}
}
