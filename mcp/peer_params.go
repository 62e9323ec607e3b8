package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
)

// decodeParams decodes what a server asks or tells of its own accord. raw must
// be valid JSON, which every link has checked on arrival; it is aliased.
func decodeParams[T any, P interface {
	*T
	aliasing
}](raw json.RawMessage) (*T, error) {
	v := new(T)
	if err := P(v).decode(raw); err != nil {
		return nil, fmt.Errorf("%w: params, %s, do not decode into %T: %w", errors.ErrProtocol, kindOf(raw), v, err)
	}
	return v, nil
}
