package bearer

import (
	"context"
	"fmt"
	"io"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/process"
)

// maxOutputBytes bounds what the command may print.
const maxOutputBytes = 64 << 10

// obtain has the command run, once however many callers want it, unless
// satisfied. Callers wait within their own contexts; the run goes on without
// them, for others may wait.
func (s *Source) obtain(ctx context.Context, satisfied func() bool) error {
	r, err := s.join(satisfied)
	if r == nil {
		return err
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// join returns the run that is under way, or starts one; nil if there is nothing
// to wait for.
func (s *Source) join(satisfied func() bool) (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running != nil:
		return s.running, nil
	case satisfied():
		return nil, nil
	case s.closed:
		return nil, errors.ErrTransportClosed
	case s.failed != nil && s.now().Before(s.pausedTo):
		return nil, s.failed
	}
	s.running = &run{done: make(chan struct{})}
	s.working.Add(1)
	go s.perform(s.running)
	return s.running, nil
}

func (s *Source) perform(r *run) {
	defer s.working.Done()
	made, err := s.ask()
	if err != nil {
		err = fmt.Errorf("%w: auth.token_command: %w", errors.ErrTokenRequest, err)
	} else {
		s.current.Store(made)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.failed, s.pausedTo = nil, err, s.now().Add(failurePause)
	r.err = err
	close(r.done)
}

// ask runs the command and reads the token that it prints.
func (s *Source) ask() (*token, error) {
	limit := s.cfg.Timeout.Or(DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(s.life, limit, fmt.Errorf("not done within %s (auth.token_timeout)", limit))
	defer cancel()
	text, err := s.output(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	made, err := parse(text, now)
	if err != nil {
		return nil, err
	}
	if length, ok := s.cfg.Lifetime.Value(); ok && made.expires.IsZero() {
		made.expires = now.Add(length)
	}
	return made, nil
}

// output runs the command. What it prints to stderr is dropped, and shows in no
// error: it may hold secrets.
func (s *Source) output(ctx context.Context) ([]byte, error) {
	environment := make(map[string]string, len(s.cfg.Env))
	for name, value := range s.cfg.Env {
		text, err := value.Reveal()
		if err != nil {
			return nil, fmt.Errorf("token_env.%s: %w", name, err)
		}
		environment[name] = text
	}
	parent := process.Environ()
	child, err := s.start(ctx, process.Spec{
		Command: s.cfg.Command,
		Env:     process.Environment(process.InheritSafe, environment, parent),
		Secrets: process.Secrets(environment, s.secrets, parent),
	})
	if err != nil {
		return nil, err
	}
	kill := func() { // the whole group, at once
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = child.Shutdown(ended, 0)
	}
	defer context.AfterFunc(ctx, kill)()
	_ = child.Stdin().Close()
	text, err := io.ReadAll(io.LimitReader(child.Stdout(), maxOutputBytes+1))
	_ = child.Stdout().Close()
	if err != nil || len(text) > maxOutputBytes {
		kill()
	}
	<-child.Done()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case len(text) > maxOutputBytes:
		return nil, fmt.Errorf("it printed more than %d bytes", maxOutputBytes)
	case err != nil:
		return nil, errors.New("its output could not be read")
	case child.ExitState() != "exit status 0":
		return nil, fmt.Errorf("it ended with %s; run it to see why (what it prints is not shown here, since it may hold secrets)", child.ExitState())
	}
	return text, nil
}
