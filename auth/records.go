package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/auth/dpop"
)

// hidden, embedded, keeps a struct from showing its fields when it is printed or
// logged by mistake. Only its JSON form, which goes to the store, shows them.
type hidden struct{}

// Format prints *** for every verb.
func (hidden) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "***") }

// LogValue makes log/slog print ***.
func (hidden) LogValue() slog.Value { return slog.StringValue("***") }

// token is what an authorization server issued, with what is needed to use and
// renew it. It is immutable.
type token struct {
	hidden
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token,omitempty"`
	// Expires is by our own clock, counted from the answer on; zero: unknown.
	Expires time.Time `json:"expires,omitzero"`
	// Lifetime is how long it was good for at first.
	Lifetime time.Duration `json:"lifetime,omitempty"`
	Issuer   string        `json:"issuer"`
	Resource string        `json:"resource"`
	ClientID string        `json:"client_id"`
	// Requested is what was asked for in all, Granted what was given.
	Requested []string `json:"requested,omitempty"`
	Granted   []string `json:"granted,omitempty"`
	// DPoPKey is the key it is bound to (PKCS #8), if it is.
	DPoPKey []byte `json:"dpop_key,omitempty"`
	// Assumed: the issuer publishes no metadata (R244).
	Assumed bool `json:"assumed,omitempty"`
	// Born is when it came, by the clock of the process that it came to.
	Born time.Time `json:"born,omitzero"`

	prover  *dpop.Prover // of DPoPKey
	renewed bool         // it came from a refresh, by this process
	issued  bool         // it came from a grant, by this process
	kept    bool         // the store has it, unless somebody removed it
}

// registration is a client that was registered dynamically.
type registration struct {
	hidden
	ClientID string    `json:"client_id"`
	Secret   string    `json:"client_secret,omitempty"`
	Method   Method    `json:"token_endpoint_auth_method,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`
	Redirect string    `json:"redirect_uri,omitempty"` // that it was registered with
}

// binding says where a server's tokens come from.
type binding struct {
	Issuer string `json:"issuer"`
}

// pending is an authorization that a user has begun (R258).
type pending struct {
	hidden
	Principal string            `json:"principal"`
	Verifier  string            `json:"code_verifier"`
	Redirect  string            `json:"redirect_uri"`
	Client    registration      `json:"client"`
	Scopes    []string          `json:"scopes,omitempty"`
	Resource  string            `json:"resource"`
	Server    *discovery.Server `json:"server"`
	Assumed   bool              `json:"assumed,omitempty"`
	DPoPKey   []byte            `json:"dpop_key,omitempty"`
	Expires   time.Time         `json:"expires"`
}

// read gets and decodes a record. raw is what Delete compares.
func read[T any](ctx context.Context, store Store, key Key) (record *T, raw []byte, err error) {
	raw, found, err := store.Get(ctx, key)
	if err != nil {
		return nil, nil, &unread{key.Kind, err}
	}
	if !found {
		return nil, nil, nil
	}
	record = new(T)
	if json.Unmarshal(raw, record) != nil { // its error might show the value
		return nil, nil, fmt.Errorf("the %s in the store is not one of ours", key.Kind)
	}
	return record, raw, nil
}

// unread is the failure of a store to read a record.
type unread struct {
	kind Kind
	err  error
}

func (u *unread) Error() string {
	return fmt.Sprintf("reading the %s from the store: %v", u.kind, u.err)
}

func (u *unread) Unwrap() error { return u.err }

func write(ctx context.Context, store Store, key Key, record any, expires time.Time) error {
	raw, err := encode(key, record)
	if err != nil {
		return err
	}
	if err := store.Put(ctx, key, raw, expires); err != nil {
		return fmt.Errorf("writing the %s to the store: %w", key.Kind, err)
	}
	return nil
}

// swap writes a record that does not expire in the place of old.
func swap(ctx context.Context, store Store, key Key, old []byte, record any) (swapped bool, err error) {
	raw, err := encode(key, record)
	if err != nil {
		return false, err
	}
	if swapped, err = store.Swap(ctx, key, old, raw, time.Time{}); err != nil {
		return false, fmt.Errorf("writing the %s to the store: %w", key.Kind, err)
	}
	return swapped, nil
}

func encode(key Key, record any) ([]byte, error) {
	raw, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("encoding the %s: %w", key.Kind, err)
	}
	return raw, nil
}
