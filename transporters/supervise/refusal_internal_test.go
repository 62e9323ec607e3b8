package supervise

import (
	"context"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestText(t *testing.T) {
	type failure = errors.TransporterRequestError
	tests := map[string]struct {
		err  error
		want string
	}{
		"plain":             {errors.ErrPeerLost, "peer lost"},
		"kind only":         {&failure{Kind: errors.KindTransport}, "transport failure"},
		"message only":      {&failure{Message: "exit status 1"}, "exit status 1"},
		"cause only":        {&failure{Err: errors.ErrPeerLost}, "peer lost"},
		"both":              {&failure{Message: "exit status 1", Err: errors.ErrPeerLost}, "exit status 1: peer lost"},
		"both the same":     {&failure{Message: "peer lost", Err: errors.ErrPeerLost}, "peer lost"},
		"never with stderr": {&failure{Message: "exit status 1", Stderr: "line\nline"}, "exit status 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, text(test.err)) })
	}
}

// What the last peer died of is told to requests that have nothing to do with
// it, so only what holds for them as well can be matched.
func TestLastFailureMatches(t *testing.T) {
	path := &fs.PathError{Op: "exec", Path: "server", Err: fs.ErrNotExist}
	cause := fmt.Errorf("%w: %w: %w: %w: %w", path, errors.ErrNotSent, errors.ErrRedial, context.Canceled, context.DeadlineExceeded)
	err := error(lastFailure{sentinel: errors.ErrSupervisionExhausted, cause: cause})
	require.ErrorIs(t, err, errors.ErrSupervisionExhausted)
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, foreign := range []error{errors.ErrNotSent, errors.ErrRedial, context.Canceled, context.DeadlineExceeded} {
		require.NotErrorIs(t, err, foreign)
	}
	found, ok := errors.AsType[*fs.PathError](err)
	require.True(t, ok)
	require.Same(t, path, found)
}

func TestRedialledTwiceKeepsItsCause(t *testing.T) {
	err := error(redialledTwice{fmt.Errorf("%w: %w", errors.ErrRedial, errors.ErrPeerLost)})
	require.EqualError(t, err, "even when dialled again: dial again: peer lost")
	require.ErrorIs(t, err, errors.ErrStartFailed)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.NotErrorIs(t, err, errors.ErrRedial)
}
