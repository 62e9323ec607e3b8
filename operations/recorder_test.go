package operations

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// play has the recorder see a call from begin to end.
func play(r *Recorder, name string, began time.Time, outcome transporters.RequestOutcome) {
	request := &transporters.RequestInfo{Source: transporters.Source{Server: "s"}, Action: "tools/call", Name: name, Began: began}
	r.OnRequestStart(context.Background(), request)
	r.OnRequestEnd(context.Background(), request, &outcome)
}

func names(calls []Call) []string {
	found := make([]string, len(calls))
	for i, call := range calls {
		found[i] = call.Name
	}
	return found
}

func TestTheSlowestCallsAreKept(t *testing.T) {
	var r Recorder
	began := time.Now()
	for i := range 3 * keptSlowest {
		play(&r, fmt.Sprint(i), began, transporters.RequestOutcome{Duration: time.Duration((i*7)%(3*keptSlowest)) * time.Millisecond})
	}
	slowest := r.calls(began).Slowest
	require.Len(t, slowest, keptSlowest)
	for i, call := range slowest {
		assert.Equal(t, time.Duration(3*keptSlowest-1-i)*time.Millisecond, call.Duration)
	}

	later := began.Add(slowestWindow + time.Second)
	assert.Empty(t, r.calls(later).Slowest, "they are older than an hour")
	play(&r, "quick", later, transporters.RequestOutcome{Duration: time.Microsecond})
	assert.Equal(t, []string{"quick"}, names(r.calls(later).Slowest), "what is too old keeps no place")
}

func TestTheLatestFailuresAreKept(t *testing.T) {
	var r Recorder
	for i := range keptFailing + 3 {
		play(&r, fmt.Sprint(i), time.Now(), transporters.RequestOutcome{Err: errors.New("no")})
	}
	failing := r.calls(time.Now()).Failing
	require.Len(t, failing, keptFailing)
	assert.Equal(t, fmt.Sprint(keptFailing+2), failing[0].Name)
	assert.Equal(t, "3", failing[keptFailing-1].Name)
}

func TestWhatCountsAsFailed(t *testing.T) {
	var r Recorder
	play(&r, "cancelled", time.Now(), transporters.RequestOutcome{Err: fmt.Errorf("call: %w", context.Canceled)})
	play(&r, "well", time.Now(), transporters.RequestOutcome{})
	assert.Empty(t, r.calls(time.Now()).Failing)

	play(&r, "tool", time.Now(), transporters.RequestOutcome{ToolError: true})
	timeout := &errors.TransporterRequestError{Server: "s", Action: "tools/call", Kind: errors.KindTimeout, Err: errors.ErrRequestTimeout}
	play(&r, "timeout", time.Now(), transporters.RequestOutcome{Err: timeout})
	r.OnError(transporters.Source{Server: "s"}, errors.New("died\x1b[31m"+strings.Repeat("x", 2*maxErrorText)))
	failing := r.calls(time.Now()).Failing
	require.Equal(t, []string{"", "timeout", "tool"}, names(failing))
	assert.Equal(t, []string{"unknown", errors.KindTimeout.String(), "tool"}, []string{failing[0].Kind, failing[1].Kind, failing[2].Kind})
	assert.NotContains(t, failing[0].Error, "\x1b")
	assert.LessOrEqual(t, len(failing[0].Error), maxErrorText+len("..."))
}

// Who holds a token can be told from others, but the page does not help to guess
// it.
func TestDigestsOfCredentialsAreCutShort(t *testing.T) {
	var r Recorder
	ctx := mcpclient.WithToken(t.Context(), "hunter2")
	principal := transporters.CallOptionsOf(ctx).Principal
	r.OnError(transporters.Source{Principal: principal}, errors.New("x"))
	r.OnError(transporters.Source{Principal: "ada\x00x-key=0123456789abcdef"}, errors.New("x"))
	failing := r.calls(time.Now()).Failing
	assert.Equal(t, "ada", failing[0].Principal)
	assert.Equal(t, principal[:len("token:")+shownDigest], failing[1].Principal)
}

func TestCallsInFlightAreBounded(t *testing.T) {
	var r Recorder
	var running []*transporters.RequestInfo
	now := time.Now()
	for i := range keptInFlight + 2 {
		request := &transporters.RequestInfo{Action: "ping", Name: fmt.Sprint(i), Began: now.Add(-time.Duration(i) * time.Second)}
		assert.Nil(t, r.OnRequestStart(context.Background(), request))
		running = append(running, request)
	}
	calls := r.calls(now)
	require.Len(t, calls.InFlight, keptInFlight)
	assert.Equal(t, 2, calls.NotListed)
	assert.Equal(t, fmt.Sprint(keptInFlight-1), calls.InFlight[0].Name, "the longest first")
	assert.Equal(t, time.Duration(keptInFlight-1)*time.Second, calls.InFlight[0].Duration)
	for _, request := range running {
		r.OnRequestEnd(context.Background(), request, &transporters.RequestOutcome{})
	}
	calls = r.calls(now)
	assert.Empty(t, calls.InFlight)
	assert.Zero(t, calls.NotListed)
}
