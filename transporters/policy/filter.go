package policy

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// The filter has two halves. What a request asks for is refused before it
// reaches the next transporter; what a list answers loses the entries that are
// not allowed (filter_list.go). The first half is what protects: a name that was
// never listed can still be called.

// Filter returns the policy that keeps calls within rules: a denied tool,
// prompt or resource is neither listed nor usable. A refused request fails with
// ErrToolDenied, kind KindDenied, delivery DeliveryNotSent.
//
// Looked at are tools/call and prompts/get (name), resources/read, subscribe and
// unsubscribe (uri), completion/complete (the prompt or template it refers to),
// subscriptions/listen (every resource), and the four lists, of which the
// remaining entries keep their bytes. Rules for tools do not look at tasks that
// a tool call made.
func Filter(server string, cfg FilterConfig) transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		if cfg.Tools.isZero() && cfg.Prompts.isZero() && cfg.Resources.isZero() {
			return next
		}
		return &filter{server: server, cfg: cfg, next: next}
	}
}

type filter struct {
	server string
	cfg    FilterConfig
	next   transporters.Transporter
}

// Request refuses what is denied and passes on the rest.
func (f *filter) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	if list, isList := f.listOf(action); isList {
		return list.request(ctx, f.next, action, params, onEvent)
	}
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, unencodable(f.server, action, err)
	}
	for _, subject := range f.subjects(action, encoded) {
		if reason := subject.rules.refusal(subject.group, subject.name); reason != "" {
			return mcp.Result{}, &errors.TransporterRequestError{
				Server: f.server, Action: action, Kind: errors.KindDenied, Delivery: errors.DeliveryNotSent,
				Message: fmt.Sprintf("%s %q %s", subject.noun, errors.PeerText(subject.name, maxShown), reason),
				Err:     errors.ErrToolDenied,
			}
		}
	}
	return f.next.Request(ctx, action, encoded, onEvent)
}

// subject is one thing that a request wants to use.
type subject struct {
	rules       Rules
	group, noun string
	name        string
}

func (f *filter) tool(name string) subject {
	return subject{f.cfg.Tools.Rules, "tools", "tool", name}
}

func (f *filter) prompt(name string) subject {
	return subject{f.cfg.Prompts, "prompts", "prompt", name}
}

func (f *filter) resource(uri string) subject {
	return subject{f.cfg.Resources, "resources", "resource", uri}
}

// subjects returns what the request wants to use.
func (f *filter) subjects(action string, params *mcp.Params) []subject {
	switch action {
	case mcp.MethodCallTool:
		return []subject{f.tool(params.Name())}
	case mcp.MethodGetPrompt:
		return []subject{f.prompt(params.Name())}
	case mcp.MethodReadResource, mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		return []subject{f.resource(params.URI())}
	case mcp.MethodComplete:
		return f.completionSubjects(params)
	case mcp.MethodListen:
		return f.listenSubjects(params)
	default:
		return nil
	}
}

// completionSubjects reads ref, which names a prompt or gives a URI.
func (f *filter) completionSubjects(params *mcp.Params) []subject {
	var subjects []subject
	reference, _ := jsonscan.Find(params.Raw(), "ref")
	if name, ok := findString(reference, "name"); ok {
		subjects = append(subjects, f.prompt(name))
	}
	if uri, ok := findString(reference, "uri"); ok {
		subjects = append(subjects, f.resource(uri))
	}
	return subjects
}

// listenSubjects reads notifications.resourceSubscriptions.
func (f *filter) listenSubjects(params *mcp.Params) []subject {
	notifications, _ := jsonscan.Find(params.Raw(), "notifications")
	uris, _ := jsonscan.Find(notifications, "resourceSubscriptions")
	var subjects []subject
	cursor := jsonscan.TrustedCursor(uris)
	if cursor.Array() {
		for cursor.Element() {
			uri, _ := cursor.Text()
			subjects = append(subjects, f.resource(uri))
		}
	}
	return subjects
}

func findString(object []byte, key string) (string, bool) {
	value, found := jsonscan.Find(object, key)
	if !found {
		return "", false
	}
	return jsonscan.String(value)
}
