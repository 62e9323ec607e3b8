package mcpclient

import (
	"context"
	"io"
	"log"
	"log/slog"
	"runtime"
	"time"

	"github.com/hashicorp/go-hclog"
)

// levelTrace is where hclog's trace goes: below slog's debug.
const levelTrace = slog.LevelDebug - 4

// WithSlog is WithLogger for a logger of the standard library. What hclog calls
// trace comes as a level of -8, one step below slog.LevelDebug; the name of a
// logger, where it has one, as the attribute "logger". nil changes nothing.
func WithSlog(logger *slog.Logger) Option {
	if logger == nil {
		return func(*settings) {}
	}
	return WithLogger(&slogLogger{handler: logger.Handler()})
}

// slogLogger is an hclog.Logger that writes to a slog.Handler. The handler
// decides which levels are written. It is immutable.
type slogLogger struct {
	handler slog.Handler
	name    string
	implied []any
}

var _ hclog.Logger = (*slogLogger)(nil)

// slogLevel maps the levels; ok is false for hclog.Off.
func slogLevel(level hclog.Level) (mapped slog.Level, ok bool) {
	switch level {
	case hclog.Trace:
		return levelTrace, true
	case hclog.Debug:
		return slog.LevelDebug, true
	case hclog.NoLevel, hclog.Info:
		return slog.LevelInfo, true
	case hclog.Warn:
		return slog.LevelWarn, true
	case hclog.Error:
		return slog.LevelError, true
	default:
		return 0, false
	}
}

// write hands a record to the handler, with the caller of the method that called
// write as its source.
func (l *slogLogger) write(level hclog.Level, message string, arguments []any) {
	mapped, ok := slogLevel(level)
	ctx := context.Background() // hclog passes none
	if !ok || !l.handler.Enabled(ctx, mapped) {
		return
	}
	var caller [1]uintptr
	runtime.Callers(3, caller[:]) // runtime.Callers, write, the method
	record := slog.NewRecord(time.Now(), mapped, message, caller[0])
	if l.name != "" {
		record.AddAttrs(slog.String("logger", l.name))
	}
	record.Add(l.implied...)
	record.Add(arguments...)
	_ = l.handler.Handle(ctx, record) // a log that cannot be written is nowhere to be reported
}

func (l *slogLogger) Log(level hclog.Level, message string, arguments ...any) {
	l.write(level, message, arguments)
}
func (l *slogLogger) Trace(message string, arguments ...any) {
	l.write(hclog.Trace, message, arguments)
}
func (l *slogLogger) Debug(message string, arguments ...any) {
	l.write(hclog.Debug, message, arguments)
}
func (l *slogLogger) Info(message string, arguments ...any) { l.write(hclog.Info, message, arguments) }
func (l *slogLogger) Warn(message string, arguments ...any) { l.write(hclog.Warn, message, arguments) }
func (l *slogLogger) Error(message string, arguments ...any) {
	l.write(hclog.Error, message, arguments)
}

func (l *slogLogger) IsTrace() bool { return l.writes(hclog.Trace) }
func (l *slogLogger) IsDebug() bool { return l.writes(hclog.Debug) }
func (l *slogLogger) IsInfo() bool  { return l.writes(hclog.Info) }
func (l *slogLogger) IsWarn() bool  { return l.writes(hclog.Warn) }
func (l *slogLogger) IsError() bool { return l.writes(hclog.Error) }

func (l *slogLogger) writes(level hclog.Level) bool {
	mapped, ok := slogLevel(level)
	return ok && l.handler.Enabled(context.Background(), mapped)
}

// GetLevel returns the lowest level that the handler writes.
func (l *slogLogger) GetLevel() hclog.Level {
	for _, level := range []hclog.Level{hclog.Trace, hclog.Debug, hclog.Info, hclog.Warn, hclog.Error} {
		if l.writes(level) {
			return level
		}
	}
	return hclog.Off
}

// SetLevel does nothing: the handler decides.
func (l *slogLogger) SetLevel(hclog.Level) {}

func (l *slogLogger) ImpliedArgs() []any { return l.implied }

func (l *slogLogger) With(arguments ...any) hclog.Logger {
	with := *l
	with.implied = append(l.implied[:len(l.implied):len(l.implied)], arguments...)
	return &with
}

func (l *slogLogger) Name() string { return l.name }

func (l *slogLogger) Named(name string) hclog.Logger {
	if l.name != "" {
		name = l.name + "." + name
	}
	return l.ResetNamed(name)
}

func (l *slogLogger) ResetNamed(name string) hclog.Logger {
	named := *l
	named.name = name
	return &named
}

// StandardLogger writes lines at level info; the options are hclog's own matter.
func (l *slogLogger) StandardLogger(options *hclog.StandardLoggerOptions) *log.Logger {
	return log.New(l.StandardWriter(options), "", 0)
}

// StandardWriter takes each write for one message of level info.
func (l *slogLogger) StandardWriter(*hclog.StandardLoggerOptions) io.Writer {
	return slog.NewLogLogger(l.handler, slog.LevelInfo).Writer()
}
