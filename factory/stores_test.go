package factory

import (
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// shelf is a type of stores of a program's own.
type shelf struct {
	stores Stores
	opened int
	closed int
	place  string
}

func (s *shelf) construct(section *config.Section, _ hclog.Logger) (Stores, []errors.Fault) {
	var keys struct {
		Type  string        `config:"type,required"`
		Place config.Secret `config:"place,required"`
	}
	faults := section.Decode(&keys)
	s.opened++
	s.place, _ = keys.Place.Reveal()
	stores := s.stores
	stores.Close = func() error { s.closed++; return nil }
	return stores, faults
}

func parsed(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, err := config.Parse("a.yaml", []byte(text))
	require.NoError(t, err)
	require.Empty(t, cfg.Faults())
	return cfg
}

func TestCheckStore(t *testing.T) {
	own := &shelf{}
	f := New(WithStoreType("shelf", own.construct))
	require.Error(t, f.RegisterStore("", own.construct))
	require.Error(t, f.RegisterStore("x", nil))
	for text, want := range map[string]string{
		"":                              "",
		"store: memory":                 "",
		"store: {type: memory}":         "",
		"store: {type: memory, url: x}": `a.yaml:2:23: store.url: unknown key`,
		"store: {url: x}":               `a.yaml:2:1: store.type: the key is required; allowed: memory, shelf`,
		"store: shelv":                  `a.yaml:2:1: store.type: unknown type of store; found shelv; allowed: memory, shelf; did you mean "shelf"?`,
		"store: redis": `a.yaml:2:1: store.type: this store is not part of the program: it has to import ` +
			`github.com/mcp-client-go/mcpclient/contrib/redis and to give mcpclient.New the option redis.Register(); found redis; allowed: memory, shelf`,
		"store: {type: shelf, place: attic}":             "",
		"store: {type: shelf}":                           `a.yaml:2:1: store.place: the key is required; allowed: secret`,
		"store: {type: shelf, place: attic, palce: x}":   `a.yaml:2:36: store.palce: unknown key; did you mean "place"?`,
		"store: {type: shelf, place: '${NOT_SET_HERE}'}": `a.yaml:2:22: store.place: the environment variable is not set and has no default; found ${NOT_SET_HERE}`,
	} {
		var told []string
		for _, fault := range f.CheckStore(parsed(t, "servers: {}\n"+text)) {
			told = append(told, fault.String())
		}
		if want == "" {
			assert.Empty(t, told, text)
		} else {
			assert.Equal(t, []string{want}, told, text)
		}
	}
	assert.Equal(t, own.opened, own.closed, "what is only checked is closed again")
}

// The store of the configuration is used by all that is built, after what the
// program has set itself.
func TestOpenStore(t *testing.T) {
	own := &shelf{stores: Stores{
		Tokens: auth.NewMemoryStore(), Cache: policy.NewMemoryCache(9, 1<<20), Pins: &policy.MemoryPins{}, Turns: &policy.MemoryTurns{},
	}}
	f := New(WithStoreType("shelf", own.construct)).With()
	require.NotEmpty(t, f.OpenStore(parsed(t, "servers: {}\nstore: {type: shelf}")))
	require.Equal(t, 1, own.closed)
	require.NoError(t, f.CloseStore(), "there is none")
	require.Empty(t, f.OpenStore(parsed(t, "servers: {}\nstore: {type: shelf, place: attic}")))
	assert.Equal(t, "attic", own.place)
	assert.Same(t, own.stores.Pins, f.pins.choose("", f.stores.Pins))
	injected := &policy.MemoryPins{}
	with := f.With(WithPinStore(injected))
	assert.Same(t, injected, with.pins.choose("", f.stores.Pins))
	assert.Nil(t, with.stores.Cache, "a copy has no store yet")
	section, _ := parsed(t, "servers: {s: {type: http, base_url: 'https://x.example/mcp', auth: {}}}").Server("s")
	made, err := f.Make(section)
	require.NoError(t, err)
	assert.Same(t, own.stores.Tokens, made.Slot.tokens)
	require.NoError(t, made.Slot.Close())
	require.NoError(t, f.CloseStore())
	assert.Equal(t, 2, own.closed)
}
