package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Verdict says what a recorded conversation is worth.
type Verdict struct {
	// ClientMessages is how many messages the client sent.
	ClientMessages int
	// Problems lists what is wrong with them, in order.
	Problems []string
	// ServerProblems lists, sorted and each once, how the server's messages
	// differ from the specification. They are for information.
	ServerProblems []string
}

// Judge validates the messages of one client's conversation with one server:
// each against the schema of the revision that it was sent under.
func Judge(schemas *Schemas, records []Record) Verdict {
	j := judge{schemas: schemas, asked: map[string]call{}, askedByServer: map[string]string{}, serverProblems: map[string]bool{}}
	for _, record := range records {
		switch record.Kind {
		case FromClient:
			j.client(record)
		case FromServer:
			j.server(record)
		case Request:
			j.report(requestProblems(record))
		}
	}
	j.verdict.ServerProblems = slices.Sorted(maps.Keys(j.serverProblems))
	return j.verdict
}

// call is a request of the client that an answer will refer to.
type call struct {
	method  string
	version mcp.Version
}

type judge struct {
	schemas        *Schemas
	negotiated     mcp.Version       // by initialize; empty before it
	asked          map[string]call   // requests of the client, by id
	askedByServer  map[string]string // methods of the server's requests, by id
	verdict        Verdict
	serverProblems map[string]bool
}

// envelope is what every message is.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		ProtocolVersion mcp.Version `json:"protocolVersion"` // of initialize
		Name            string      `json:"name"`
		URI             string      `json:"uri"`
		Meta            struct {
			ProtocolVersion mcp.Version `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (j *judge) report(problems []string) {
	j.verdict.Problems = append(j.verdict.Problems, problems...)
}

// client judges a message of the client.
func (j *judge) client(record Record) {
	j.verdict.ClientMessages++
	m, err := open(record.Message)
	if err != nil {
		j.report([]string{err.Error()})
		return
	}
	version := j.version(m, record)
	name := m.Method
	if name == "" {
		name = "answer to " + j.askedByServer[string(m.ID)]
	}
	report := func(format string, arguments ...any) {
		j.report([]string{name + ": " + fmt.Sprintf(format, arguments...)})
	}
	if m.JSONRPC != "2.0" {
		report("jsonrpc is %q", m.JSONRPC)
	}
	if string(m.ID) == "null" {
		report("id is null")
	}
	for _, problem := range headerProblems(record.Header, m, version, j.negotiated != "") {
		report("%s", problem)
	}
	if !j.schemas.Knows(version) {
		report("there is no schema of revision %q", version)
		return
	}
	switch {
	case m.Method != "":
		definition, ok := j.schemas.Definition(version, m.Method)
		if !ok {
			report("revision %s has no such method", version)
		} else if err := j.schemas.Check(version, definition, record.Message); err != nil {
			report("%v", err)
		}
		if m.ID != nil {
			j.asked[string(m.ID)] = call{m.Method, version}
		}
	case m.Result != nil:
		method, ok := j.askedByServer[string(m.ID)]
		if !ok {
			report("answers the id %s, which the server did not use", m.ID)
		} else if err := j.schemas.Check(version, j.resultDefinition(version, method, m.Result), m.Result); err != nil {
			report("%v", err)
		}
	case m.Error == nil:
		report("has neither method nor result nor error")
	}
}

// version is the revision that a message of the client is sent under.
func (j *judge) version(m envelope, record Record) mcp.Version {
	if m.Method == mcp.MethodInitialize {
		return m.Params.ProtocolVersion
	}
	for _, version := range []mcp.Version{m.Params.Meta.ProtocolVersion, j.negotiated, mcp.Version(record.Header.Get(mcp.HeaderProtocolVersion))} {
		if version != "" {
			return version
		}
	}
	return mcp.Version20251125
}

// server notes what the server says and how it differs from the specification.
func (j *judge) server(record Record) {
	m, err := open(record.Message)
	if err != nil {
		j.serverProblems[err.Error()] = true
		return
	}
	version := j.negotiated
	if version == "" {
		version = mcp.Version20260728
	}
	switch {
	case m.Method != "":
		if m.ID != nil {
			j.askedByServer[string(m.ID)] = m.Method
		}
		definition, ok := j.schemas.Definition(version, m.Method)
		if !ok {
			j.serverProblems[fmt.Sprintf("%s: revision %s has no such method", m.Method, version)] = true
		} else if err := j.schemas.Check(version, definition, record.Message); err != nil {
			j.serverProblems[m.Method+": "+err.Error()] = true
		}
	case m.Result != nil:
		asked, ok := j.asked[string(m.ID)]
		if !ok {
			return // an id that was changed to a string or back; the client judges that
		}
		if asked.method == mcp.MethodInitialize {
			var result struct {
				ProtocolVersion mcp.Version `json:"protocolVersion"`
			}
			_ = json.Unmarshal(m.Result, &result)
			j.negotiated = result.ProtocolVersion
			asked.version = result.ProtocolVersion
		}
		if !j.schemas.Knows(asked.version) {
			return
		}
		if err := j.schemas.Check(asked.version, j.resultDefinition(asked.version, asked.method, m.Result), m.Result); err != nil {
			j.serverProblems["result of "+asked.method+": "+err.Error()] = true
		}
	}
}

// resultDefinition names the definition for the result of a method: that of its
// request, with another ending.
func (j *judge) resultDefinition(version mcp.Version, method string, result json.RawMessage) string {
	var kind struct {
		ResultType string `json:"resultType"`
	}
	if json.Unmarshal(result, &kind) == nil && kind.ResultType == mcp.ResultInputRequired && j.schemas.Has(version, "InputRequiredResult") {
		return "InputRequiredResult"
	}
	request, _ := j.schemas.Definition(version, method)
	if name := strings.TrimSuffix(request, "Request") + "Result"; j.schemas.Has(version, name) {
		return name
	}
	return "Result"
}

// open reads a message's envelope.
func open(message json.RawMessage) (envelope, error) {
	var m envelope
	if err := json.Unmarshal(message, &m); err != nil {
		return m, fmt.Errorf("no message: %.200s (%w)", message, err)
	}
	return m, nil
}
