package supervise_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// reporter is a link that tells what it cannot use.
type reporter struct {
	*fakeLink
	report func(error)
}

func (r *reporter) OnFault(report func(error)) { r.report = report }

// Each connection that can tell of faults is given the listener, before it starts;
// one that cannot is served as well, and no link is given a listener that is none.
func TestFaultsOfEachConnection(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.scripted(func(number int, _ context.Context) (transporters.Link, error) {
			if number == 2 {
				return w.fresh(), nil
			}
			r := &reporter{fakeLink: w.fresh()}
			r.onStart = func(context.Context) error {
				require.NotNil(t, r.report)
				r.report(errBroken)
				return nil
			}
			return r, nil
		})
		var told []error
		w.OnFault(func(err error) { told = append(told, err) })
		prepared(t, w)
		require.Equal(t, []error{errBroken}, told)
		w.killAndReplace(1)
		require.Len(t, told, 1)
		w.killAndReplace(2)
		require.Len(t, told, 2)
	})
}

// Without a listener no link is asked to report.
func TestFaultsThatNobodyAskedFor(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		asked := false
		w.scripted(func(int, context.Context) (transporters.Link, error) {
			return onFault{w.fresh(), func() { asked = true }}, nil
		})
		prepared(t, w)
		require.False(t, asked)
	})
}

type onFault struct {
	*fakeLink
	asked func()
}

func (o onFault) OnFault(func(error)) { o.asked() }

// Before the first start there is nobody to forward to.
func TestForwardingBeforeTheStart(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		require.NotPanics(t, func() { w.SetVersion(mcp.Version20250326) })
	})
}
