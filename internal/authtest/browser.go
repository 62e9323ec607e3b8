package authtest

import (
	"context"
	"net/http"
	"net/url"
)

// Consent is a user who agrees: it asks the authorization URL and returns the
// query of the redirect.
func (w *World) Consent(ctx context.Context, target string) (url.Values, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	response, err := w.Client.Transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	back, err := response.Location()
	if err != nil {
		return nil, err
	}
	return back.Query(), nil
}

// Credentials is what a caller needs of an authorizer.
type Credentials interface {
	Authorize(ctx context.Context, method, url string, header http.Header) error
	Challenged(ctx context.Context, attempt, status int, response, sent http.Header) (again bool, err error)
}

// Call makes a request to a path of the resource as a link does: with
// credentials, and again as long as these say so. It returns the last status.
func (w *World) Call(ctx context.Context, credentials Credentials, path string) (int, error) {
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.Resource.URL+path, nil)
		if err != nil {
			return 0, err
		}
		if err := credentials.Authorize(ctx, http.MethodPost, request.URL.String(), request.Header); err != nil {
			return 0, err
		}
		response, err := w.Client.Do(request)
		if err != nil {
			return 0, err
		}
		_ = response.Body.Close()
		again, err := credentials.Challenged(ctx, attempt, response.StatusCode, response.Header, request.Header)
		if err != nil || !again {
			return response.StatusCode, err
		}
	}
}
