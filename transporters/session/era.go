package session

import (
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// era is what differs between the two ways of speaking the protocol, chosen
// once per peer. Implementations are immutable and safe for concurrent use.
type era interface {
	// version is the negotiated version.
	version() mcp.Version
	// meta returns the members, without braces, that every request carries in
	// its _meta.
	meta() []byte
	// header returns the complete protocol headers of an HTTP message, shared
	// and read-only.
	header(method, name string) http.Header
	// translate maps an action to what this era knows it by, or refuses it.
	translate(action string) (method string, err error)
	// notifiesCancel reports whether abandoning a request is told to the peer
	// by a notification, rather than by ending the exchange.
	notifiesCancel(traits transporters.Traits) bool
	// answersRequests reports whether requests of the server are answered.
	answersRequests() bool
	// sessionLost reports whether the reply says that the server no longer
	// knows the session, and did not take the request.
	sessionLost(reply transporters.Reply) bool
	// checkResult judges a result's resultType.
	checkResult(method string, result mcp.Result) error
}

// refuse is the error of an action that this era does not have.
func refuse(action, why string) error {
	return &errors.TransporterRequestError{
		Kind:     errors.KindParams,
		Delivery: errors.DeliveryNotSent,
		Message:  "cannot request " + action + ": " + why,
		Err:      errors.ErrInvalidParams,
	}
}

// baseHeader returns what every POST carries (R072, P11: one Accept line).
func baseHeader() http.Header {
	return http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"application/json, text/event-stream"},
	}
}
