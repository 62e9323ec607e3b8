package operations

import (
	"encoding/json"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Snapshot is how a client is at one moment: what the page shows, as a value.
type Snapshot struct {
	// At is when it was taken.
	At time.Time `json:"at"`
	// Servers are in the order of Client.Servers.
	Servers []Server `json:"servers"`
	// Problems are the faults outside any server, and why a configuration was
	// refused as a whole.
	Problems []string `json:"problems,omitempty"`
	// Calls are what the Recorder remembers; empty without one.
	Calls
}

// Server is one server.
type Server struct {
	// Name is the configured name.
	Name string `json:"name"`
	// State is that of the connection; "faulty" if there is none, since the
	// configuration has faults.
	State string `json:"state"`
	// Era is that of the newest handshake; empty before the first.
	Era string `json:"era,omitempty"`
	// Stats are its counters, of all principals.
	Stats transporters.Stats `json:"stats"`
	// Faults are what is wrong with its section. A server that has a State goes on
	// as it was configured before.
	Faults []string `json:"faults,omitempty"`
	// Config is what is in force, secrets masked.
	Config []Setting `json:"config"`
}

// Setting is one key of the configuration.
type Setting struct {
	Key string `json:"key"`
	// Value is as it was written, *** for a secret.
	Value string `json:"value"`
	// Origin is the file and line, or the environment variable; empty for a value
	// of the program.
	Origin string `json:"origin,omitempty"`
	// Default: nothing was written.
	Default bool `json:"default,omitempty"`
}

// Calls are calls that are worth looking at.
type Calls struct {
	// InFlight are running, the longest first; NotListed is how many more there
	// are.
	InFlight  []Call `json:"in_flight"`
	NotListed int    `json:"in_flight_not_listed,omitempty"`
	// Slowest are of the last hour, the slowest first.
	Slowest []Call `json:"slowest"`
	// Failing are the latest that failed, the latest first.
	Failing []Call `json:"failing"`
}

// Call is one call. Its texts are bounded, and fit for a terminal.
type Call struct {
	Server string
	// Principal is whom it is for; empty is the client itself.
	Principal string
	// Action is the method; empty if something went wrong that was no call.
	Action string
	// Name is the tool, the prompt, the resource's uri.
	Name string
	// Began is when it began, or went wrong.
	Began time.Time
	// Duration is how long it took, or has taken until now.
	Duration time.Duration
	// Attempts is how often a request was sent for it; 0 for one in flight.
	Attempts int
	// Kind is the errors.Kind of its error, or "tool" for a result with isError;
	// empty if it did not fail.
	Kind string
	// Error is the beginning of the error's text.
	Error string
}

// MarshalJSON writes an object, with the duration in seconds.
func (c Call) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Server    string    `json:"server"`
		Principal string    `json:"principal,omitempty"`
		Action    string    `json:"action,omitempty"`
		Name      string    `json:"name,omitempty"`
		Began     time.Time `json:"began"`
		Seconds   float64   `json:"seconds"`
		Attempts  int       `json:"attempts,omitempty"`
		Kind      string    `json:"kind,omitempty"`
		Error     string    `json:"error,omitempty"`
	}{c.Server, c.Principal, c.Action, c.Name, c.Began, c.Duration.Seconds(), c.Attempts, c.Kind, c.Error})
}

// stateFaulty stands for the state of a server without a connection.
const stateFaulty = "faulty"

// Snapshot takes a snapshot, without I/O.
func (s *Site) Snapshot() Snapshot {
	now := time.Now()
	snapshot := Snapshot{At: now, Servers: []Server{}, Calls: s.recorder.calls(now)}
	faults := make(map[string][]string)
	for _, problem := range s.client.Problems() {
		for _, fault := range problem.Faults {
			text := errors.PeerText(fault.String(), maxErrorText)
			if problem.Server == "" {
				snapshot.Problems = append(snapshot.Problems, text)
			} else {
				faults[problem.Server] = append(faults[problem.Server], text)
			}
		}
	}
	for _, name := range s.client.Servers() {
		snapshot.Servers = append(snapshot.Servers, serverOf(s.client, name, faults[name]))
	}
	return snapshot
}

func serverOf(client *mcpclient.Client, name string, faults []string) Server {
	server := Server{Name: name, State: stateFaulty, Faults: faults, Config: []Setting{}}
	if connection, err := client.Connect(name); err == nil {
		server.State, server.Stats = connection.State().String(), connection.Stats()
		if server.Stats.Era != mcp.EraUnknown {
			server.Era = server.Stats.Era.String()
		}
	}
	entries, _ := client.Explain(name) // of one that was removed meanwhile there is none
	for _, entry := range entries {
		server.Config = append(server.Config, settingOf(entry))
	}
	return server
}

func settingOf(entry config.Entry) Setting {
	setting := Setting{Key: entry.Key, Value: entry.Value, Default: entry.Default}
	if !entry.Default && entry.Origin != (config.Origin{}) {
		setting.Origin = entry.Origin.String()
	}
	return setting
}
