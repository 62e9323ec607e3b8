package interop

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
)

// This file holds the features that the client gets later. Each says what
// belongs there. Once it is filled in, the lines of known-failures that work
// make the run fail until they are removed.

// errNotSupported is the failure of a check whose feature has no API yet.
var errNotSupported = errors.New("not supported by the client")

// task is the feature of a tool that has to be called as a task. FILL IN: the
// client's tasks API; the result's text has to contain want.
func task(tool string, _ arguments, _ string) Feature {
	return Feature{"task", func(context.Context, *Visit) error {
		return fmt.Errorf("calling %s as a task: %w", tool, errNotSupported)
	}}
}
