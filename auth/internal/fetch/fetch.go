// Package fetch makes the HTTP requests of authorization: to URLs that a server
// chose, which are therefore checked, each redirect as well, and whose answers
// are bounded in size and time (R302, R303, P97). URLs are held against the guard
// by their names and literal addresses; what a name resolves to is seen only where
// it is dialled, so the client that it is given is to have the same guard.
package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Limits of one request.
const (
	Timeout      = 10 * time.Second
	MaxBodyBytes = 1 << 20
	maxRedirects = 3
)

// Client makes bounded requests. It is safe for concurrent use.
type Client struct {
	http  http.Client
	rules Rules
}

// Response is an answer of any status, its body read.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// New returns a client that sends through base, which is not changed: its cookie
// jar and its timeout are not used.
func New(base *http.Client, rules Rules) *Client {
	c := &Client{rules: rules}
	if base != nil {
		c.http.Transport = base.Transport
	}
	c.http.CheckRedirect = c.checkRedirect
	return c
}

// Rules returns what the client holds URLs against.
func (c *Client) Rules() Rules { return c.rules }

// checkRedirect follows a few redirects of GETs, each to a URL that is allowed;
// a POST carries secrets and is never redirected.
func (c *Client) checkRedirect(request *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	_, err := c.rules.Check(request.URL.String())
	return err
}

// Get fetches a document.
func (c *Client) Get(ctx context.Context, target string, header http.Header) (*Response, error) {
	return c.do(ctx, http.MethodGet, target, header, nil)
}

// Post sends a body of the given type.
func (c *Client) Post(ctx context.Context, target, contentType string, header http.Header, body []byte) (*Response, error) {
	header = header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	header.Set("Content-Type", contentType)
	return c.do(ctx, http.MethodPost, target, header, body)
}

func (c *Client) do(ctx context.Context, method, target string, header http.Header, body []byte) (*Response, error) {
	checked, err := c.rules.Check(target)
	if err != nil {
		return nil, err
	}
	if c.http.Transport == nil {
		return nil, errors.New("authorization was given no HTTP client")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, Timeout, fmt.Errorf("no answer within %s", Timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("not a URL")
	}
	if header != nil {
		request.Header = header.Clone()
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, explain(ctx, checked, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, MaxBodyBytes+1))
	switch {
	case err != nil:
		return nil, explain(ctx, checked, err)
	case len(text) > MaxBodyBytes:
		return nil, fmt.Errorf("%s: %w: the answer is longer than %d bytes", Display(checked), errors.ErrMessageTooLarge, MaxBodyBytes)
	}
	return &Response{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}

// explain takes off the *url.Error, which would show the whole URL, and names
// our own limit where that ended the request.
func explain(ctx context.Context, target *url.URL, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", Display(target), context.Cause(ctx))
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	return fmt.Errorf("%s: %w", Display(target), err)
}

// Display is a URL as errors may show it: without user, query and fragment.
func Display(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return errors.PeerText(shown.String(), 300)
}

// DisplayText is Display for text that may not be a URL at all.
func DisplayText(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return "an unreadable URL"
	}
	return Display(u)
}
