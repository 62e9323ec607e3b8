package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/peers/wire"
)

// progresses checks that a call reports progress, rising, at least so often,
// that nothing is lost of what the server sent, and that the call ends well.
// (Some servers lose reports themselves, those that come close to the end.)
func progresses(tool string, args arguments, atLeast int) Feature {
	return Feature{"progress", func(ctx context.Context, v *Visit) error {
		before, err := v.Server.Records()
		if err != nil {
			return err
		}
		var reports []float64
		result, err := v.CallTool(ctx, tool, args, mcpclient.OnProgress(func(p mcp.Progress) { reports = append(reports, p.Progress) }))
		if err != nil {
			return err
		}
		after, err := v.Server.Records()
		if err != nil {
			return err
		}
		own, elsewhere := sentProgress(after[len(before):])
		if len(reports) < own || len(reports) > own+elsewhere || len(reports) < atLeast {
			return fmt.Errorf("the server sent %d reports and %d on other streams, at least %d were expected, and %d arrived", own, elsewhere, atLeast, len(reports))
		}
		if elsewhere == 0 && !slices.IsSorted(reports) {
			return fmt.Errorf("progress does not rise: %v", reports)
		}
		return says(result, "")
	}}
}

// sentProgress counts the progress reports on the stream of the first answer,
// before it, and those on other streams (mcp-go uses whichever is free).
func sentProgress(records []wire.Record) (own, elsewhere int) {
	byExchange := map[int]int{}
	all := 0
	for _, r := range records {
		var m struct {
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
		}
		if r.Kind != wire.FromServer || json.Unmarshal(r.Message, &m) != nil {
			continue
		}
		if m.Result != nil {
			own = byExchange[r.Exchange]
			return own, all - own
		}
		if m.Method == mcp.NotificationProgress {
			byExchange[r.Exchange]++
			all++
		}
	}
	return 0, all
}

// logs checks that a call's log messages arrive: with the call's own events, or
// at the client's handler, which is where they come where they cannot be told
// to belong to a call.
func logs(tool string, args arguments, atLeast int) Feature {
	return Feature{"logs", func(ctx context.Context, v *Visit) error {
		before := v.Heard.count(mcp.NotificationMessage)
		own := 0
		result, err := v.CallTool(ctx, tool, args,
			mcpclient.WithMeta(map[string]any{mcp.MetaLogLevel: "debug"}),
			mcpclient.OnEvent(func(m mcp.Message) {
				if m.Method == mcp.NotificationMessage {
					own++
				}
			}))
		if err != nil {
			return err
		}
		if err := says(result, ""); err != nil {
			return err
		}
		waiting, cancel := context.WithTimeout(ctx, notificationTimeout)
		defer cancel()
		return until(waiting, fmt.Sprintf("%d log messages", atLeast), func() bool {
			return own+v.Heard.count(mcp.NotificationMessage)-before >= atLeast
		})
	}}
}

// cancels checks that a call that is cancelled after its first progress report
// returns at once with context.Canceled and that the connection still works.
// Where evidence is not empty, the server has to print it: it got the notice.
func cancels(tool string, args arguments, evidence string) Feature {
	return Feature{"cancel", func(ctx context.Context, v *Visit) error {
		calling, cancel := context.WithCancel(ctx)
		defer cancel()
		var canceled time.Time
		_, err := v.CallTool(calling, tool, args, mcpclient.OnProgress(func(mcp.Progress) {
			if canceled.IsZero() {
				canceled = time.Now()
				cancel()
			}
		}))
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w instead of context.Canceled", orNone(err))
		}
		if waited := time.Since(canceled); waited > 2*time.Second {
			return fmt.Errorf("the call returned %s after it was cancelled", waited)
		}
		if evidence != "" {
			err := until(ctx, fmt.Sprintf("the server to print %q", evidence), func() bool { return strings.Contains(v.Server.Output(), evidence) })
			if err != nil {
				return err
			}
		}
		return v.Ping(ctx)
	}}
}

// deadline checks that the ceiling of a call ends it, and not the connection.
func deadline(tool string, args arguments) Feature {
	return Feature{"deadline", func(ctx context.Context, v *Visit) error {
		_, err := v.CallTool(ctx, tool, args, mcpclient.WithMaxTimeout(200*time.Millisecond))
		if !errors.Is(err, errors.ErrRequestTimeout) {
			return fmt.Errorf("%w instead of ErrRequestTimeout", orNone(err))
		}
		return v.Ping(ctx)
	}}
}

// streamLost checks that a call whose stream ends without an answer and without
// an event id to resume from fails, and soon.
func streamLost(tool string) Feature {
	return Feature{"stream-lost", func(ctx context.Context, v *Visit) error {
		began := time.Now()
		_, err := v.CallTool(ctx, tool, nil)
		if err == nil {
			return errors.New("the call succeeded, although its stream was lost")
		}
		if waited := time.Since(began); waited > 5*time.Second {
			return fmt.Errorf("it took %s to fail: %w", waited, err)
		}
		return v.Ping(ctx)
	}}
}

// mirrors checks that an argument that the tool's schema wants in a header is
// sent there as well, and that the tool is called.
func mirrors(tool, argument, value, header string) Feature {
	return Feature{"header-mirror", func(ctx context.Context, v *Visit) error {
		if _, err := v.Tools(ctx); err != nil {
			return err
		}
		result, err := v.CallTool(ctx, tool, arguments{argument: value})
		if err != nil {
			return err
		}
		if err := says(result, value); err != nil {
			return err
		}
		records, err := v.Server.Records()
		if err != nil {
			return err
		}
		for _, r := range slices.Backward(records) {
			if r.Kind == wire.Request && r.Header.Get(mcp.HeaderMethod) == mcp.MethodCallTool {
				if found := r.Header.Get(mcp.HeaderParamPrefix + header); found != value {
					return fmt.Errorf("header %s%s is %q instead of %q", mcp.HeaderParamPrefix, header, found, value)
				}
				return nil
			}
		}
		return errors.New("no call was recorded")
	}}
}

// challenge checks that a server that wants authorization is told apart.
func challenge() Feature {
	return Feature{"challenge", func(ctx context.Context, v *Visit) error {
		_, err := v.Tools(ctx)
		if !errors.Is(err, errors.ErrAuthRequired) {
			return fmt.Errorf("%w instead of ErrAuthRequired", orNone(err))
		}
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		if !ok || !strings.Contains(strings.Join(failure.Challenge, " "), "resource_metadata=") {
			return fmt.Errorf("the challenge does not name the resource's metadata: %w", err)
		}
		return nil
	}}
}
