package mcp

import (
	"encoding/json"
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// LoggingLevel is the severity of a log message, a level of RFC 5424. A level
// that is not listed here is the server's own. Logging is deprecated in
// 2026-07-28.
type LoggingLevel string

// The levels, the least severe first.
const (
	LevelDebug     LoggingLevel = "debug"
	LevelInfo      LoggingLevel = "info"
	LevelNotice    LoggingLevel = "notice"
	LevelWarning   LoggingLevel = "warning"
	LevelError     LoggingLevel = "error"
	LevelCritical  LoggingLevel = "critical"
	LevelAlert     LoggingLevel = "alert"
	LevelEmergency LoggingLevel = "emergency"
)

// LoggingLevels returns the levels, the least severe first.
func LoggingLevels() []LoggingLevel {
	return []LoggingLevel{
		LevelDebug, LevelInfo, LevelNotice, LevelWarning,
		LevelError, LevelCritical, LevelAlert, LevelEmergency,
	}
}

// Severity orders the levels: 0 for debug up to 7 for emergency, -1 for one that
// is not known.
func (l LoggingLevel) Severity() int { return slices.Index(LoggingLevels(), l) }

// LogMessage is the params of notifications/message: what a server logs. It is
// untrusted and may hold secrets (R171).
type LogMessage struct {
	// Level is empty if the server gave none.
	Level LoggingLevel `json:"level"`
	// Logger names the part of the server, and may be empty.
	Logger string `json:"logger,omitempty"`
	// Data is any JSON value, raw; mostly a string or an object.
	Data json.RawMessage `json:"data"`
	// Meta is the params' _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole params object as the server sent it; nil if it was built
	// here. It must not be changed.
	Raw json.RawMessage `json:"-"`
}

// ParseLogMessage decodes the params. The error wraps ErrProtocol: params are no
// object or have no data.
func ParseLogMessage(params json.RawMessage) (*LogMessage, error) {
	return decodeParams[LogMessage](params)
}

// Text returns the data if it is a string, else its JSON.
func (m LogMessage) Text() string {
	if text, ok := jsonscan.String(m.Data); ok {
		return text
	}
	return string(m.Data)
}

func (m *LogMessage) decode(raw []byte) error {
	*m = LogMessage{Raw: raw}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "level":
			m.Level = LoggingLevel(readText(c))
		case "logger":
			m.Logger = readText(c)
		case "data":
			m.Data = c.Value() // null is a value here
		case "_meta":
			m.Meta = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
	if err == nil && m.Data == nil {
		err = errors.New("has no data")
	}
	return err
}

// UnmarshalJSON decodes the params; Raw is a copy of data.
func (m *LogMessage) UnmarshalJSON(data []byte) error { return unmarshal(m, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (m LogMessage) MarshalJSON() ([]byte, error) {
	type fields LogMessage
	if m.Data == nil {
		m.Data = json.RawMessage("null")
	}
	return marshal(m.Raw, fields(m))
}
