package mcpclient

import (
	"context"
	"log/slog"
	"slices"

	"github.com/hashicorp/go-hclog"
)

// SlogHandler is the way back of WithSlog: a handler for slog.New that writes to an
// hclog.Logger, so that a program whose log is hclog's has the records of code that
// knows slog alone in it. Levels between two of hclog's go to the lower one; what is
// below slog.LevelDebug is trace. The keys of groups are joined by dots. The time and
// the source are hclog's own matter. The logger must not be nil.
func SlogHandler(logger hclog.Logger) slog.Handler {
	if bridged, ok := logger.(*slogLogger); ok && bridged.name == "" && len(bridged.implied) == 0 {
		return bridged.handler // there and back
	}
	return &hclogHandler{logger: logger}
}

// hclogHandler is immutable.
type hclogHandler struct {
	logger hclog.Logger
	prefix string // of the open groups
}

// hclogLevel maps the levels.
func hclogLevel(level slog.Level) hclog.Level {
	switch {
	case level >= slog.LevelError:
		return hclog.Error
	case level >= slog.LevelWarn:
		return hclog.Warn
	case level >= slog.LevelInfo:
		return hclog.Info
	case level >= slog.LevelDebug:
		return hclog.Debug
	default:
		return hclog.Trace
	}
}

// Enabled implements slog.Handler.
func (h *hclogHandler) Enabled(_ context.Context, level slog.Level) bool {
	switch hclogLevel(level) {
	case hclog.Error:
		return h.logger.IsError()
	case hclog.Warn:
		return h.logger.IsWarn()
	case hclog.Info:
		return h.logger.IsInfo()
	case hclog.Debug:
		return h.logger.IsDebug()
	default:
		return h.logger.IsTrace()
	}
}

// Handle implements slog.Handler.
func (h *hclogHandler) Handle(_ context.Context, record slog.Record) error {
	var arguments []any
	record.Attrs(func(attribute slog.Attr) bool {
		arguments = appendArguments(arguments, h.prefix, attribute)
		return true
	})
	h.logger.Log(hclogLevel(record.Level), record.Message, arguments...)
	return nil
}

// WithAttrs implements slog.Handler.
func (h *hclogHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	var arguments []any
	for _, attribute := range attributes {
		arguments = appendArguments(arguments, h.prefix, attribute)
	}
	if len(arguments) == 0 {
		return h
	}
	return &hclogHandler{logger: h.logger.With(slices.Clip(arguments)...), prefix: h.prefix}
}

// WithGroup implements slog.Handler.
func (h *hclogHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &hclogHandler{logger: h.logger, prefix: h.prefix + name + "."}
}

// appendArguments adds an attribute, or those of a group, as hclog takes them.
func appendArguments(arguments []any, prefix string, attribute slog.Attr) []any {
	value := attribute.Value.Resolve()
	switch {
	case attribute.Equal(slog.Attr{}):
		return arguments
	case value.Kind() != slog.KindGroup:
		return append(arguments, prefix+attribute.Key, value.Any())
	}
	if attribute.Key != "" {
		prefix += attribute.Key + "."
	}
	for _, member := range value.Group() {
		arguments = appendArguments(arguments, prefix, member)
	}
	return arguments
}
