package doctor

import (
	"context"
	"strings"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// Patient is a server to examine.
type Patient struct {
	Section *config.Section
	// Faults are those of its configuration.
	Faults []errors.Fault
	// Connect returns the connection to it.
	Connect func() (*mcpclient.Connection, error)
	// Login is the command that authorizes for it; empty if there is none.
	Login string
}

// Examine makes all checks of a server.
func Examine(ctx context.Context, patient Patient) []Check {
	e := &examination{ctx: ctx}
	e.examine(patient)
	return e.checks
}

func (e *examination) examine(patient Patient) {
	if !e.check("configuration", checkTimeout, func(context.Context) finding { return configuration(patient.Faults) }) {
		return
	}
	kind, _ := patient.Section.String("type")
	goesOn := true
	switch kind {
	case "stdio":
		var process stdiolink.Config
		if _, faults := patient.Section.Take(&process); len(faults) == 0 {
			goesOn = e.process(process)
		}
	case "http", "sse":
		var endpoint httplink.Config
		if _, faults := patient.Section.Take(&endpoint); len(faults) == 0 {
			goesOn = e.endpoint(endpoint)
		}
	}
	if goesOn {
		e.protocol(patient)
	}
}

func configuration(faults []errors.Fault) finding {
	if len(faults) == 0 {
		return fine("no faults")
	}
	lines := make([]string, len(faults))
	for i, fault := range faults {
		lines[i] = fault.String()
	}
	return failed("correct the configuration; 'mcpclient servers' lists all faults", "%s", strings.Join(lines, "\n"))
}
