package mcpclient

import (
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Apply puts a configuration in force, in place of that of New or of the latest
// Apply. It does no I/O and waits for no call.
//
//   - A server whose section says the same as before (config.Section.Fingerprint)
//     keeps everything: its process or session, calls, subscriptions, the state of
//     its policies.
//   - One whose section differs is replaced: calls that begin after Apply use the
//     new section, through the connections that were handed out before as well.
//     Calls that run finish on the old process or session, which is closed with
//     the last of them, or after the drain timeout (WithDrainTimeout). Its
//     subscriptions end with that: Listen again. Policies start anew.
//   - One that is no longer there is removed: calls that run may finish, within the
//     drain timeout; later ones through old connections fail with
//     ErrTransportClosed.
//   - New ones are added.
//
// A section with faults is refused alone: a server that was there before goes on
// as it was, and Problems says so. Faults outside any server, which could concern
// all of them, refuse the whole configuration, and so does any fault if it says
// `strict: true`: nothing changes then, the error has every
// *errors.ServerConfigurationError joined, and Problems tells why.
//
// The store is that of New: a configuration with another one is refused as a whole.
//
// Servers of WithTransporter and of AddServer stay as they are. A section for a
// name that AddServer added is refused, unless it says the same; then the server
// belongs to the configuration from now on. cfg must not be nil. After Close,
// Apply fails with ErrTransportClosed. Applies at the same time take effect one
// after the other.
func (c *Client) Apply(cfg *config.Config) (Change, error) {
	if cfg == nil {
		return Change{}, errors.New("apply a configuration: it is nil")
	}
	c.changing.Lock()
	defer c.changing.Unlock()
	next := c.compare(cfg)
	if refusal := c.refuses(cfg, next); refusal != nil {
		return c.decline(cfg.Source(), refusal)
	}
	if err := c.commit(next); err != nil {
		return Change{}, err
	}
	c.warn(cfg)
	c.report(next.change)
	return next.change, nil
}

// warn logs what of a configuration is passed over without being wrong.
func (c *Client) warn(cfg *config.Config) {
	for _, warning := range cfg.Warnings() {
		c.log.Warn("a part of the configuration is passed over", "warning", warning.String())
	}
}

// decline leaves everything as it is, and has Problems tell why.
func (c *Client) decline(source string, refusal []*errors.ServerConfigurationError) (Change, error) {
	declined := *c.servers.Load()
	declined.refusal, declined.superseded = refusal, make(chan struct{})
	if err := c.put(&declined, "apply "+source); err != nil {
		return Change{}, err
	}
	change := Change{Source: source, Refused: refusal}
	c.report(change)
	return change, joined(refusal)
}

// put has the client go on with other servers, none of which needs more than
// that.
func (c *Client) put(servers *roster, action string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refuse(action); err != nil {
		return err
	}
	c.store(servers)
	return nil
}

// store has everybody see other servers. c.mu is held.
func (c *Client) store(servers *roster) {
	before := c.servers.Swap(servers)
	close(before.superseded)
}

// commit puts a difference in force.
func (c *Client) commit(next *difference) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refuse("apply " + next.change.Source); err != nil {
		return err
	}
	for _, changed := range next.changed {
		if changed.made.Take() {
			changed.connection.follower.made.Store(changed.made)
		}
	}
	for _, connection := range next.gone {
		c.leave(connection)
	}
	servers := next.roster // without what was needed to get there
	c.store(&servers)
	return nil
}

// report logs what has changed.
func (c *Client) report(change Change) {
	for _, problem := range change.Refused {
		c.log.Warn("a part of the configuration is refused", "source", change.Source, "server", problem.Server, "problem", problem.Error())
	}
	switch {
	case change.isRefused():
		c.log.Warn("the configuration is refused as a whole", "source", change.Source)
	case change.IsEmpty():
		c.log.Debug("the configuration changes nothing", "source", change.Source)
	default:
		c.log.Info("the configuration has changed", "source", change.Source, "change", change.String())
	}
}

// difference is what a configuration changes.
type difference struct {
	roster
	change  Change
	changed []changed
	gone    []*Connection
}

// changed is a server that is to be served by what was made.
type changed struct {
	connection *Connection
	made       *factory.Made
}

// compare makes what a configuration needs, beside what is in force. Nothing
// takes effect yet.
func (c *Client) compare(cfg *config.Config) *difference {
	current := c.servers.Load()
	next := &difference{roster: *newRoster(), change: Change{Source: cfg.Source()}}
	for _, name := range cfg.Names() {
		if was := current.byName[name]; was != nil && was.source == fromInjection {
			next.add(was)
			continue
		}
		section, _ := cfg.Server(name)
		next.add(c.become(next, current.byName[name], section))
	}
	for _, name := range current.names {
		was := current.byName[name]
		if _, stays := next.byName[name]; stays {
			continue
		}
		if was.source != fromConfig {
			next.add(was)
			continue
		}
		next.change.Removed = append(next.change.Removed, name)
		if was.connection != nil {
			next.gone = append(next.gone, was.connection)
		}
	}
	return next
}

// become returns what a server is by its section. was is nil if there was none.
func (c *Client) become(next *difference, was *server, section *config.Section) *server {
	is := &server{name: section.Server(), section: section, fingerprint: section.Fingerprint()}
	if was == nil || was.connection == nil {
		return c.begin(next, is, section, &next.change.Added)
	}
	is.connection, is.slot = was.connection, was.slot
	if is.fingerprint == was.fingerprint {
		next.change.Unchanged = append(next.change.Unchanged, is.name)
		return is
	}
	if was.connection.State() == transporters.StateClosed { // by its user
		return c.begin(next, is, section, &next.change.Changed)
	}
	made, err := c.remake(was, section)
	if err != nil {
		kept := *was
		kept.problem = problemOf(is.name, err)
		kept.problem.Faults = append(kept.problem.Faults, section.Fault("", keptAsBefore))
		next.change.Refused = append(next.change.Refused, kept.problem)
		return &kept
	}
	next.changed = append(next.changed, changed{is.connection, made})
	next.change.Changed = append(next.change.Changed, is.name)
	return is
}

// begin makes a server that has no connection to go on with.
func (c *Client) begin(next *difference, is *server, section *config.Section, list *[]string) *server {
	made, err := c.factory.Make(section)
	if err != nil {
		is.connection, is.slot, is.problem = nil, nil, problemOf(is.name, err)
		next.change.Refused = append(next.change.Refused, is.problem)
		return is
	}
	is.connection, is.slot = follow(is.name, made), made.Slot
	*list = append(*list, is.name)
	return is
}

const (
	keptAsBefore  = "the section is refused: the server goes on as it was configured before"
	wholeRefused  = "the configuration is refused as a whole: the client goes on with the one before"
	strictRefused = "strict is true, so that the fault of one server refuses the whole configuration"
)

func (c *Client) remake(was *server, section *config.Section) (*factory.Made, error) {
	if was.source == fromProgram {
		fault := section.Fault("", "the program has added a server of this name with other settings")
		fault.Allowed = "another name, or this one once the program has removed its server"
		return nil, &errors.ServerConfigurationError{Server: was.name, Faults: []errors.Fault{fault}}
	}
	return c.factory.Remake(section, was.slot)
}

func problemOf(name string, err error) *errors.ServerConfigurationError {
	if problem, isFault := errors.AsType[*errors.ServerConfigurationError](err); isFault {
		return problem
	}
	return &errors.ServerConfigurationError{Server: name, Faults: []errors.Fault{{Server: name, Message: err.Error()}}}
}

// refuses returns why a configuration is refused as a whole, nil if it is not.
func (c *Client) refuses(cfg *config.Config, next *difference) []*errors.ServerConfigurationError {
	faults := append(c.faultsOutside(cfg), c.faultsOfStore(cfg)...)
	if len(faults) > 0 {
		faults = append(faults, errors.Fault{File: cfg.Source(), Message: wholeRefused})
		return []*errors.ServerConfigurationError{{Faults: faults}}
	}
	if !cfg.Strict() || len(next.change.Refused) == 0 {
		return nil
	}
	first := &errors.ServerConfigurationError{Faults: []errors.Fault{
		{File: cfg.Source(), Message: strictRefused}, {File: cfg.Source(), Message: wholeRefused},
	}}
	return append([]*errors.ServerConfigurationError{first}, next.change.Refused...)
}
