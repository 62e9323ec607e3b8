package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestEcho(t *testing.T) {
	fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.NewResult([]byte(`{"content":[{"type":"text","text":"hello"}]}`)), nil
	})
	page := httptest.NewRecorder()
	echo(mcpclient.NewConnection("demo", fake))(page, httptest.NewRequest(http.MethodGet, "/echo", nil))
	if page.Body.String() != "hello\n" {
		t.Fatalf("got %q", page.Body)
	}
}
