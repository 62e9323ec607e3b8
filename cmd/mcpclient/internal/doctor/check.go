package doctor

import (
	"context"
	"fmt"
	"time"
)

// Status is how a check went.
type Status string

// The ways a check may go. A warning is worth knowing and fails nothing.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Failed  Status = "failed"
)

// Check is one thing that was looked at.
type Check struct {
	Name    string  `json:"check"`
	Status  Status  `json:"status"`
	Detail  string  `json:"detail"`
	Advice  string  `json:"advice,omitempty"`
	Seconds float64 `json:"seconds"`
}

// checkTimeout bounds a check, except for the handshake.
const checkTimeout = 5 * time.Second

// examination collects checks.
type examination struct {
	ctx    context.Context
	checks []Check
}

// finding is what a check found.
type finding struct {
	status         Status
	detail, advice string
}

func fine(format string, arguments ...any) finding {
	return finding{OK, fmt.Sprintf(format, arguments...), ""}
}

func warning(advice, format string, arguments ...any) finding {
	return finding{Warning, fmt.Sprintf(format, arguments...), advice}
}

func failed(advice, format string, arguments ...any) finding {
	return finding{Failed, fmt.Sprintf(format, arguments...), advice}
}

// check looks at something, for at most so long, and reports whether to go on.
func (e *examination) check(name string, limit time.Duration, look func(ctx context.Context) finding) bool {
	ctx, cancel := context.WithTimeout(e.ctx, limit)
	defer cancel()
	begun := time.Now()
	found := look(ctx)
	e.checks = append(e.checks, Check{
		Name: name, Status: found.status, Detail: found.detail, Advice: found.advice,
		Seconds: time.Since(begun).Round(100 * time.Microsecond).Seconds(),
	})
	return found.status != Failed
}

// IsAnyFailed reports whether a check failed.
func IsAnyFailed(checks []Check) bool {
	for _, check := range checks {
		if check.Status == Failed {
			return true
		}
	}
	return false
}
