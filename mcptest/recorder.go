package mcptest

import (
	"context"
	"net/http"
	"sync"

	"github.com/mcp-client-go/mcpclient/internal/redact"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Recorder records calls into a cassette: what was asked, every event, and the
// result or error, as the caller got it. It stands where a wrapper of the user
// stands, above the transport, so that a cassette is the same for every
// transport and era. Subscriptions, which are no calls, are not recorded.
//
// Secrets are taken out when the cassette is written. These become ***:
//
//   - string members whose name suggests a secret (password, apiKey, requestState)
//   - words that look like the tokens of well-known services
//   - the token and the secret headers of the call's context
//   - what WithSecrets and WithSecretMembers name
//
// and wherever else the same values occur, encoded ones included. Everything
// else is kept byte for byte. Headers and principals of calls are not recorded:
// record one server, on behalf of one user, into one cassette.
//
// It is safe for concurrent use.
type Recorder struct {
	path    string
	secrets secretRules

	mu     sync.Mutex
	clock  int // counts beginnings and ends of calls
	calls  []*recordedCall
	tokens map[string]struct{} // what callers brought to prove who they are
}

// CassetteOption says what of a recording is secret.
type CassetteOption func(*secretRules)

// WithSecrets names values that must not get into a cassette. Those shorter
// than 6 bytes are not looked for.
func WithSecrets(values ...string) CassetteOption {
	return func(r *secretRules) { r.values = append(r.values, values...) }
}

// WithSecretMembers names members of JSON objects whose values, of whatever
// type, must not get into a cassette. Case does not matter.
func WithSecretMembers(names ...string) CassetteOption {
	return func(r *secretRules) { r.members = append(r.members, names...) }
}

// Record returns a wrapper that records every call, and writes the cassette when
// the test has ended, as Recorder.Save does. It is for one server: calls to
// several would be mixed.
func Record(t TB, path string, options ...CassetteOption) transporters.Wrapper {
	t.Helper()
	recorder := NewRecorder(path, options...)
	t.Cleanup(func() {
		if err := recorder.Save(); err != nil {
			t.Errorf("%v", err)
		}
	})
	return recorder.Wrap
}

// NewRecorder returns a recorder that Save makes write the file. It writes
// nothing before.
func NewRecorder(path string, options ...CassetteOption) *Recorder {
	r := &Recorder{path: path, tokens: map[string]struct{}{}}
	for _, option := range options {
		option(&r.secrets)
	}
	return r
}

// Wrap is a transporters.Wrapper: calls go through to next and are recorded. Calls
// whose params cannot be encoded are not.
func (r *Recorder) Wrap(next transporters.Transporter) transporters.Transporter {
	return transporters.TransporterFunc(func(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
		encoded, err := mcp.ParamsOf(params)
		if err != nil {
			return next.Request(ctx, action, params, onEvent)
		}
		call := r.begin(ctx, action, encoded)
		var events []mcp.Message
		result, err := next.Request(ctx, action, encoded, func(m mcp.Message) {
			events = append(events, m)
			if onEvent != nil {
				onEvent(m)
			}
		})
		r.end(call, events, result, err)
		return result, err
	})
}

// Save writes the calls that have ended so far, all of them each time. The file
// is replaced at once: nobody reads half of it. Folders that are missing are
// made. Calls stand in the order in which they began; those that ran at the same
// time have no order, so they are sorted, and a recording made again differs only
// where the calls do.
func (r *Recorder) Save() error {
	r.mu.Lock()
	calls := make([]recordedCall, 0, len(r.calls))
	for _, call := range r.calls {
		if call.ended != 0 {
			calls = append(calls, *call)
		}
	}
	secrets := r.secrets
	for token := range r.tokens {
		secrets.values = append(secrets.values[:len(secrets.values):len(secrets.values)], token)
	}
	r.mu.Unlock()
	return writeCassette(r.path, secrets.hide(inOrder(calls)))
}

func (r *Recorder) begin(ctx context.Context, action string, params *mcp.Params) *recordedCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock++
	call := &recordedCall{action: action, params: params.Raw(), began: r.clock}
	r.calls = append(r.calls, call)
	options := transporters.CallOptionsOf(ctx)
	if options.Token != "" {
		r.tokens[options.Token] = struct{}{}
	}
	r.learn(options.Header)
	return call
}

// learn remembers the values of headers that are secret.
func (r *Recorder) learn(header http.Header) {
	for name, values := range header {
		for _, value := range values {
			if redact.NameSuggestsSecret(name) {
				r.tokens[value] = struct{}{}
			}
		}
	}
}

func (r *Recorder) end(call *recordedCall, events []mcp.Message, result mcp.Result, err error) {
	failure := recordError(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock++
	call.events, call.result, call.failure, call.ended = events, result, failure, r.clock
}
