package httplink

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Authorizer adds credentials to requests and knows what to do when the server
// refuses them. Its methods are called from many goroutines at once.
type Authorizer interface {
	// Authorize adds credentials to the header of a request. It is called before
	// each HTTP request: POST, GET and DELETE (R268), unless the call or the
	// configuration sets Authorization themselves.
	Authorize(ctx context.Context, method, url string, header http.Header) error
	// Challenged is told of an answer of 401 or 403, and of any that carries a
	// DPoP-Nonce. attempt counts the answers to one request, from 1; sent is the
	// header that was sent. It returns true if the request is to be sent again,
	// false to leave the answer as it is. An error ends the request.
	Challenged(ctx context.Context, attempt, status int, response, sent http.Header) (again bool, err error)
}

// WithAuthorizer makes every request of the link carry credentials of the
// authorizer. The configuration's token and headers go before them.
func WithAuthorizer(authorizer Authorizer) Option {
	return func(l *Link) { l.authorizer = authorizer }
}

const (
	nonceHeader = "Dpop-Nonce"
	// maxAuthorizations bounds how often one request is sent, whatever the
	// authorizer says.
	maxAuthorizations = 6
)

// authorized sends a request with credentials, and again where the authorizer
// has new ones. The server did not take what it answered with 401 or 403, so that
// sending it again is safe.
func (l *Link) authorized(x *exchange, method, target string, frame []byte, header http.Header) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(x.values)
	defer cancel(context.Canceled)
	defer context.AfterFunc(x, func() { cancel(x.reason()) })()
	for attempt := 1; ; attempt++ {
		sent := header.Clone()
		if err := l.authorizer.Authorize(ctx, method, target, sent); err != nil {
			return nil, authorizationError(err)
		}
		l.credentials.authorized(sent)
		response, err := l.send(x, method, target, frame, sent)
		if err != nil || !wantsAuthorizer(response) {
			return response, err
		}
		if err := l.setAside(x, response); err != nil {
			return nil, err
		}
		again, err := l.authorizer.Challenged(ctx, attempt, response.StatusCode, response.Header, sent)
		if err != nil {
			return nil, authorizationError(err)
		}
		if !again || attempt == maxAuthorizations {
			return response, nil
		}
	}
}

func wantsAuthorizer(response *http.Response) bool {
	return isRefusedByAuthorization(response.StatusCode) || response.Header.Get(nonceHeader) != ""
}

func isRefusedByAuthorization(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// setAside reads the body of a refusal into memory, for the user may take minutes
// and the connection is not to wait.
func (l *Link) setAside(x *exchange, response *http.Response) error {
	if !isRefusedByAuthorization(response.StatusCode) {
		return nil
	}
	x.stall = l.readTimeout
	body, err := l.readErrorBody(x, errorBodyBytes)
	if err != nil {
		return err
	}
	_ = x.body.Close()
	x.body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// authorizationError classes what has no class of its own.
func authorizationError(err error) error {
	if _, complete := errors.AsType[*errors.TransporterRequestError](err); complete {
		return err
	}
	return failure(errors.KindAuth, errors.DeliveryNotSent, err.Error(), err, errors.ErrNotSent)
}
