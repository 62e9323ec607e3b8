package mcpclient

import (
	"context"
	"runtime/debug"
	"slices"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Watch applies the files that cfg was loaded from whenever they change, until ctx
// ends, the Watcher is closed, or the client is. cfg is most often the one that New
// was given. See config.Watch for what counts as a change, and Apply for what it
// does: a file that cannot be used changes nothing, and Problems tells why.
//
// told, which may be nil, hears of each change: what it did, or, with an error, why
// it did nothing. It is called in a goroutine of the Watcher, one call after the
// other, and may do anything. The same is logged, and so is its panic, which ends
// that one call only.
//
// It fails if cfg was not loaded from files, and with ErrTransportClosed after
// Close.
func (c *Client) Watch(ctx context.Context, cfg *config.Config, options config.WatchOptions, told func(Change, error)) (*config.Watcher, error) {
	if err := c.refuseWatch(); err != nil {
		return nil, err
	}
	watcher, err := config.Watch(ctx, cfg, options, func(update config.Update) {
		change, err := c.update(cfg.Source(), update)
		if told != nil && !errors.Is(err, errors.ErrTransportClosed) {
			c.tell(told, change, err)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := c.keep(watcher); err != nil { // closed meanwhile
		watcher.Close()
		return nil, err
	}
	return watcher, nil
}

func (c *Client) refuseWatch() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refuse("watch the configuration")
}

// keep has Close end the watcher. To make one takes files, for which Close does not
// wait: that is done before.
func (c *Client) keep(watcher *config.Watcher) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refuse("watch the configuration"); err != nil {
		return err
	}
	c.watchers = slices.DeleteFunc(c.watchers, hasEnded)
	c.watchers = append(c.watchers, watcher)
	return nil
}

// tell calls the program back. A panic ends that one call.
func (c *Client) tell(told func(Change, error), change Change, err error) {
	defer func() {
		if value := recover(); value != nil {
			c.log.Error("a callback panicked", "callback", "Watch", "panic", value, "stack", string(debug.Stack()))
		}
	}()
	told(change, err)
}

func hasEnded(watcher *config.Watcher) bool {
	select {
	case <-watcher.Done():
		return true
	default:
		return false
	}
}

// update takes in what a watcher found.
func (c *Client) update(source string, update config.Update) (Change, error) {
	if update.Err == nil {
		return c.Apply(update.Config)
	}
	c.changing.Lock()
	defer c.changing.Unlock()
	refusal := *problemOf("", update.Err)
	refusal.Faults = append(slices.Clone(refusal.Faults), errors.Fault{File: source, Message: wholeRefused})
	change, err := c.decline(source, []*errors.ServerConfigurationError{&refusal})
	if errors.Is(err, errors.ErrTransportClosed) {
		return change, err
	}
	return change, update.Err // which wraps what the file could not be read with
}
