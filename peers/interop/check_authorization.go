package interop

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
)

// authorized checks that a user can authorize, and that the tool can be called
// then: by the challenge the metadata are found, a client is registered, the
// browser is sent away and comes back, and the token is for this very server.
func authorized(tool string) Feature {
	return Feature{"oauth", func(ctx context.Context, v *Visit) error {
		if err := logIn(ctx, v, ""); err != nil {
			return err
		}
		result, err := v.CallTool(ctx, tool, arguments{"name": "Ada"})
		if err != nil {
			return err
		}
		status, err := v.Authorizer().Status(ctx, "")
		if err != nil {
			return err
		}
		if !status.Authorized || status.ClientID == "" || status.Expires.IsZero() {
			return fmt.Errorf("authorized, but this is what is known of it: %+v", status)
		}
		return says(result, "Hello, Ada")
	}}
}

// principals checks that the token of one user is not another's.
func principals(tool string) Feature {
	return Feature{"oauth-principals", func(ctx context.Context, v *Visit) error {
		for _, name := range []string{"ada", "bob"} {
			theirs := mcpclient.WithPrincipal(ctx, name)
			if _, err := v.CallTool(theirs, tool, arguments{"name": name}); !errors.Is(err, errors.ErrAuthRequired) {
				return fmt.Errorf("%s: %w instead of ErrAuthRequired", name, orNone(err))
			}
			if err := logIn(theirs, v, name); err != nil {
				return err
			}
			result, err := v.CallTool(theirs, tool, arguments{"name": name})
			if err != nil {
				return err
			}
			if err := says(result, "Hello, "+name); err != nil {
				return err
			}
		}
		return nil
	}}
}

// logsOut checks that nothing can be called after the token was given back.
func logsOut(tool string) Feature {
	return Feature{"oauth-logout", func(ctx context.Context, v *Visit) error {
		if err := v.Authorizer().Revoke(ctx, ""); err != nil {
			return err
		}
		if _, err := v.CallTool(ctx, tool, arguments{"name": "Ada"}); !errors.Is(err, errors.ErrAuthRequired) {
			return fmt.Errorf("%w instead of ErrAuthRequired", orNone(err))
		}
		return nil
	}}
}

// logIn has a principal authorize, who agrees to everything.
func logIn(ctx context.Context, v *Visit, principal string) error {
	_, wanted := v.Tools(ctx)
	if !errors.Is(wanted, errors.ErrAuthRequired) {
		return fmt.Errorf("%w instead of ErrAuthRequired", orNone(wanted))
	}
	flow, err := v.Authorizer().Begin(ctx, principal, auth.Because(wanted))
	if err != nil {
		return err
	}
	query, err := consent(ctx, flow.URL)
	if err != nil {
		return err
	}
	return v.Authorizer().Finish(ctx, principal, query)
}

// consent is a browser at a server that asks its user nothing: it returns the
// query of the redirect.
func consent(ctx context.Context, target string) (url.Values, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Body.Close()
	back, err := response.Location()
	if err != nil {
		return nil, fmt.Errorf("the authorization server answered with status %d: %w", response.StatusCode, err)
	}
	return back.Query(), nil
}
