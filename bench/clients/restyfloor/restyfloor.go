// Package restyfloor is the floor client with its HTTP exchanges made by resty,
// to see what resty costs.
package restyfloor

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-resty/resty/v2"

	"github.com/mcp-client-go/mcpclient/bench/clients/floor"
	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// Driver opens such clients, over HTTP only.
type Driver struct{}

// Name implements driver.Driver.
func (Driver) Name() string { return "restyfloor" }

// Open implements driver.Driver.
func (Driver) Open(ctx context.Context, target driver.Target) (driver.Client, error) {
	if target.URL == "" {
		return nil, errors.New("resty has no stdio")
	}
	client := resty.New()
	if target.HTTP != nil {
		client = resty.NewWithClient(target.HTTP)
	}
	return floor.OpenHTTP(ctx, target, func(ctx context.Context, method string, header http.Header, body []byte) (*http.Response, error) {
		// Only the headers tell whether the answer is JSON or an event stream, so
		// resty must leave the body unread.
		request := client.R().SetContext(ctx).SetDoNotParseResponse(true)
		request.Header = header
		if body != nil {
			request.SetBody(body)
		}
		response, err := request.Execute(method, target.URL)
		if err != nil {
			return nil, err
		}
		return response.RawResponse, nil
	})
}
