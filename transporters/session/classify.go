package session

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// outcomeKind is what an answer to the probe says of the peer.
type outcomeKind uint8

const (
	outcomeFailed outcomeKind = iota // no verdict; err says why
	outcomeModern                    // modern, with version and discovered
	outcomeRetry                     // modern, but to be asked in version
	outcomeLegacy                    // legacy; version if the peer named one
	outcomeSilent                    // no answer within probe_timeout
	outcomeExited                    // the peer ended
)

// outcome is one row of the decision tables.
type outcome struct {
	kind       outcomeKind
	version    mcp.Version
	discovered *mcp.DiscoverResult
	err        error
	// candidate: legacy is only a guess; if the handshake is refused as well,
	// the refusal is what is to be reported (H13).
	candidate bool
}

func failed(err error) outcome { return outcome{kind: outcomeFailed, err: err} }

// classify implements the tables S1-S10 and H1-H19 for an answer to
// server/discover.
func classify(reply transporters.Reply) outcome {
	if reply.Status == 0 || isSuccess(reply.Status) {
		if reply.Message.IsZero() {
			return failed(statusFailure(reply)) // H19
		}
		return classifyMessage(reply) // S1-S10, H1-H4
	}
	failure := reply.Message.Failure()
	if failure != nil && mcp.IsModernCode(failure.Code) {
		return classifyMessage(reply) // H6-H9, H12
	}
	switch reply.Status {
	case http.StatusBadRequest:
		return outcome{kind: outcomeLegacy} // H10
	case http.StatusNotFound:
		if failure != nil && failure.Code == mcp.CodeMethodNotFound {
			return outcome{kind: outcomeLegacy} // H11
		}
		return outcome{kind: outcomeLegacy, candidate: true} // H13
	case http.StatusMethodNotAllowed:
		return outcome{kind: outcomeLegacy, candidate: true} // H13
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden,
		http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
		http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusRequestHeaderFieldsTooLarge, http.StatusUnavailableForLegalReasons:
		return failed(statusFailure(reply)) // H14, H15, H16, H18
	}
	if reply.Status >= 400 && reply.Status < 500 {
		return outcome{kind: outcomeLegacy} // H17
	}
	return failed(statusFailure(reply)) // H18, H22
}

// describe tells in a few words what came back.
func describe(reply transporters.Reply) string {
	text := ""
	if reply.Status != 0 && !isSuccess(reply.Status) {
		text = fmt.Sprintf("HTTP status %d", reply.Status)
	}
	if failure := reply.Message.Failure(); failure != nil {
		if text != "" {
			text += ", "
		}
		text += "error " + strconv.Itoa(failure.Code) + ": " + errors.PeerText(failure.Message, maxSnippet)
	}
	return text
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// classifyMessage judges a JSON-RPC answer to the probe (S1-S10).
func classifyMessage(reply transporters.Reply) outcome {
	if failure := reply.Message.Failure(); failure != nil {
		return classifyError(failure, reply)
	}
	discovered, err := mcp.ParseDiscoverResult(mcp.NewResult(reply.Message.Result))
	if err != nil {
		return outcome{kind: outcomeLegacy} // S10, H4
	}
	theirs := discovered.SupportedVersions
	if version, ok := mcp.NewestCommon(mcp.ModernVersions(), theirs); ok {
		return outcome{kind: outcomeModern, version: version, discovered: discovered} // S1
	}
	if version, ok := mcp.NewestCommon(mcp.LegacyVersions(), theirs); ok {
		return outcome{kind: outcomeLegacy, version: version} // S2
	}
	return failed(versionMismatch(theirs)) // S3
}

func classifyError(failure *mcp.Error, reply transporters.Reply) outcome {
	switch failure.Code {
	case mcp.CodeUnsupportedProtocolVersion:
		theirs := supportedVersions(failure)
		if version, ok := mcp.NewestCommon(mcp.ModernVersions(), theirs); ok {
			return outcome{kind: outcomeRetry, version: version} // S4
		}
		if version, ok := mcp.NewestCommon(mcp.LegacyVersions(), theirs); ok {
			return outcome{kind: outcomeLegacy, version: version} // S5
		}
		if len(theirs) > 0 {
			return failed(versionMismatch(theirs)) // S6
		}
		told := peerFailure(failure, reply)
		told.Kind = errors.KindVersion
		told.Err = fmt.Errorf("%w; it does not say which it speaks: pin one with the key protocol", errors.ErrVersionMismatch)
		return failed(told) // S7
	case mcp.CodeMissingClientCapability, mcp.CodeHeaderMismatch:
		return failed(peerFailure(failure, reply)) // S8
	default:
		return outcome{kind: outcomeLegacy} // S9
	}
}

// supportedVersions reads data.supported of a version error, or nil.
func supportedVersions(failure *mcp.Error) []mcp.Version {
	var data struct {
		Supported []mcp.Version `json:"supported"`
	}
	if failure == nil || json.Unmarshal(failure.Data, &data) != nil {
		return nil
	}
	return data.Supported
}

func versionMismatch(theirs []mcp.Version) error {
	ours := append(mcp.ModernVersions(), mcp.LegacyVersions()...)
	return &errors.TransporterRequestError{
		Kind:     errors.KindVersion,
		Delivery: errors.DeliveryRefused,
		Message:  fmt.Sprintf("the server speaks %s, this client %s", errors.PeerText(fmt.Sprint(theirs), 200), fmt.Sprint(ours)),
		Err:      errors.ErrVersionMismatch,
	}
}
