package supervise

import (
	"fmt"
	"runtime/debug"
	"slices"
)

// announceClosed tells the close listeners; it runs on the announcer.
func (l *Link) announceClosed(cause error) {
	l.mu.Lock()
	listeners := slices.Clone(l.onClosed)
	l.mu.Unlock()
	for _, listener := range listeners {
		l.guard("OnConnectionClosed", func() { listener(cause) })
	}
}

// announceReconnect tells the reconnect listeners; it runs on the announcer.
func (l *Link) announceReconnect() {
	l.mu.Lock()
	listeners := slices.Clone(l.onReconnect)
	l.mu.Unlock()
	for _, listener := range listeners {
		l.guard("OnReconnect", listener)
	}
}

// report queues an error for the error listeners.
func (l *Link) report(err error) {
	l.announcer.post(func() { l.announceError(err) })
}

func (l *Link) announceError(err error) {
	l.mu.Lock()
	listeners := slices.Clone(l.onError)
	l.mu.Unlock()
	for _, listener := range listeners {
		if panicked := recovered(func() { listener(err) }); panicked != nil {
			l.logger.Error("a listener panicked", "server", l.server, "listener", "error", "panic", panicked, "stack", string(panicked.stack))
		}
	}
}

// guard runs a listener; its panic is reported and ends only that listener.
func (l *Link) guard(kind string, listener func()) {
	if panicked := recovered(listener); panicked != nil {
		l.logger.Error("a listener panicked", "server", l.server, "listener", kind, "panic", panicked, "stack", string(panicked.stack))
		l.announceError(fmt.Errorf("mcp server %q: %s listener: %w", l.server, kind, panicked))
	}
}

// recovered runs f and returns its panic, if any, as an error. The stack is for
// the log only.
func recovered(f func()) (err *panicError) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value: value, stack: debug.Stack()}
		}
	}()
	f()
	return nil
}

type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Unwrap returns what was thrown, if it was an error.
func (p *panicError) Unwrap() error {
	err, _ := p.value.(error)
	return err
}
