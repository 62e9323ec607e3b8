package process

import (
	"context"
	"fmt"
	"time"
)

// killWait is the least time that a killed process is waited for. The kernel
// needs far less unless the process is stuck in a device.
const killWait = time.Second

// Shutdown closes stdin, waits for step, sends SIGTERM to the group, waits for
// step, and sends SIGKILL. When ctx ends it goes on to SIGKILL at once. It may
// be called by several goroutines at once, and again; SIGTERM is sent once. It
// returns nil when the process has ended (requirement R065).
//
// A process that does not even end after SIGKILL is waited for, for step but
// at least a second, or for a second if ctx has ended; then an error is
// returned.
func (p *Process) Shutdown(ctx context.Context, step time.Duration) error {
	_ = p.stdin.Close()
	if p.endsWithin(ctx, step) {
		return nil
	}
	if ctx.Err() == nil && p.terminate() && p.endsWithin(ctx, step) {
		return nil
	}
	p.kill()
	limit := killWait
	if ctx.Err() == nil {
		limit = max(step, killWait)
	}
	if p.endsWithin(context.WithoutCancel(ctx), limit) {
		return nil
	}
	return fmt.Errorf("process %d still runs %v after SIGKILL", p.pid, limit)
}

// endsWithin waits for the process to end, no longer than limit and ctx.
func (p *Process) endsWithin(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// terminate asks the group to end. It returns false where there is no way to
// ask.
func (p *Process) terminate() bool {
	p.group.Lock()
	defer p.group.Unlock()
	if p.reaped || p.terminated {
		return true
	}
	p.terminated = true
	return terminateGroup(p.pid)
}

// kill ends the whole group. The process itself is signalled as well, since it
// may have moved to another group.
func (p *Process) kill() {
	p.group.Lock()
	defer p.group.Unlock()
	if p.reaped {
		return
	}
	_ = killGroup(p.pid)
	_ = p.cmd.Process.Kill()
}
