// Package field describes field cases, scenarios from public bug reports played
// by a fake server, as far as the two programs around them must know: run, which
// plays a directory of cases, and harness, which drives the client in one case.
// README.md has the whole format. What a case asks of the server and how it is
// judged is the business of the player, which reads the same files.
package field

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// The values of Case.Transport.
const (
	TransportHTTP   = "http"
	TransportStdio  = "stdio"
	TransportConfig = "config"
)

// Case is the client's side of one case. Members it does not know are passed
// over, so that cases for a newer player can be played.
type Case struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Transport string `json:"transport"`
	// Needs names features without which the case does not apply.
	Needs []string `json:"needs"`
	// Settings are for the client: keys of the server's section.
	Settings map[string]any `json:"settings"`
	// Files are written before the case is played (config).
	Files map[string]string `json:"files"`
	// Env is set for the client's process.
	Env    map[string]string `json:"env"`
	Client []Action          `json:"client"`
}

// Action is one thing for the client to do.
type Action struct {
	Step int    `json:"step"`
	Do   string `json:"do"`
	// Name is a tool; for load_config it is a file.
	Name string `json:"name"`
	URI  string `json:"uri"`
	// Server is a server of the case's configuration; empty is its only one.
	Server    string          `json:"server"`
	Arguments json.RawMessage `json:"arguments"`
	// TimeoutMS is the request's deadline in milliseconds; 0 is the client's
	// default.
	TimeoutMS int             `json:"timeout_ms"`
	Options   json.RawMessage `json:"options"`
	// Times is how often the action is done; 0 is once.
	Times int `json:"times"`
	// Parallel has all times done at once.
	Parallel bool `json:"parallel"`
	WaitMS   int  `json:"wait_ms"`
}

// Outcome is what became of one action: one line of the outcome file.
type Outcome struct {
	Step int  `json:"step"`
	OK   bool `json:"ok"`
	// Kind classes the failure: see README.md.
	Kind string `json:"kind,omitempty"`
	// Message is the error's full text.
	Message string `json:"message,omitempty"`
	// Result is the server's result as the client hands it on.
	Result    json.RawMessage `json:"result"`
	ElapsedMS int64           `json:"elapsed_ms"`
	// Note says what the harness could not do as the case asks. The player
	// passes it over.
	Note string `json:"note,omitempty"`
}

// Load reads a case.
func Load(path string) (*Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c Case
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch c.Transport {
	case TransportHTTP, TransportStdio, TransportConfig:
	default:
		return nil, fmt.Errorf("%s: transport is %q; allowed: %s, %s, %s",
			path, c.Transport, TransportHTTP, TransportStdio, TransportConfig)
	}
	if c.ID == "" || len(c.Client) == 0 {
		return nil, fmt.Errorf("%s: id and client are needed", path)
	}
	return &c, nil
}
