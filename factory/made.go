package factory

import (
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Made is what serves one server.
type Made struct {
	// Head is where calls enter the chain.
	Head transporters.Transporter
	// Slot is where the chain ends.
	Slot *Slot
	// Authorizer gets the server's tokens; nil if it has no section auth.
	Authorizer *auth.Authorizer

	chain chained
	next  *generation // what Take puts into the slot; nil if it is there
}

// Make builds the chain of a server. It does no I/O: bases are opened when calls
// need them. The error is a *errors.ServerConfigurationError with every fault.
func (f *TransporterFactory) Make(section *config.Section) (*Made, error) {
	return f.make(section, nil)
}

// Remake is Make for a server that the slot serves already, whose configuration
// has changed. The chain ends in the same slot, and tokens that are kept in memory
// go over, but nothing changes until Take: what is not taken is dropped.
func (f *TransporterFactory) Remake(section *config.Section, slot *Slot) (*Made, error) {
	return f.make(section, slot)
}

func (f *TransporterFactory) make(section *config.Section, slot *Slot) (*Made, error) {
	tokens := f.stores.Tokens
	if tokens == nil {
		tokens = auth.NewMemoryStore()
	}
	if slot != nil {
		tokens = slot.tokens
	}
	log := f.loggerOf(section.Server())
	common, blueprint, faults := f.readWith(section, tokens, log)
	if err := configurationError(section.Server(), faults); err != nil {
		return nil, err
	}
	generation := newGeneration(blueprint, guard(section.Server(), common.FilterConfig))
	generation.limit = f.maxPrincipalsOf(section, common.principalKeys)
	generation.idle = common.PrincipalIdleTimeout.Or(DefaultPrincipalIdleTimeout)
	made := &Made{Slot: slot, Authorizer: blueprint.Authorizer, next: generation}
	if slot == nil {
		made.Slot = slotFrom(section.Server(), generation)
		made.Slot.drain, made.Slot.tokens, made.next = f.drain, tokens, nil
		made.Slot.observing.logger = log
	}
	made.chain = f.chain(section.Server(), common, made.Slot, log)
	made.Head = made.chain.head
	if slot == nil {
		made.chain.install(made.Slot)
	}
	return made, nil
}

// Take makes calls that begin from now on use what Remake made; see
// Slot.Replace. It is called once. It returns false, and changes nothing, if the
// slot is closed.
func (m *Made) Take() bool {
	switch {
	case m.next == nil:
		return true
	case !m.Slot.replace(m.next):
		return false
	}
	m.chain.install(m.Slot)
	return true
}
