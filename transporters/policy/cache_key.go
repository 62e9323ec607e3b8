package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// What a result is kept under (P66): the server with everything that is configured
// of it, the method, for a resource its uri, whom it is for, and what of the params
// affects it. Whom it is for is the principal, and within it the token and the
// headers of the call: another token is another authorization (R233). Of _meta what
// speaks of the request itself does not count.

// request is a request whose result may be kept.
type request struct {
	ctx       context.Context
	action    string
	params    *mcp.Params
	options   *transporters.CallOptions
	principal string
	epoch     uint64 // counts how often what was kept for the principal became void
	isWatched bool   // changes of lists are heard of, or nobody is to hear of them

	own, shared string // keys
	mark        string // of the store, before the fetch
}

// public is whom a result is for that may be shared by all.
const public = "public"

// newRequest returns the request with its keys. ok is false for one that has no
// key: its _meta cannot be compared.
func (c *Cache) newRequest(ctx context.Context, action string, params *mcp.Params) (r *request, ok bool) {
	options := transporters.CallOptionsOf(ctx)
	affecting, ok := paramsKey(params, options.Meta)
	if !ok {
		return nil, false
	}
	r = &request{ctx: ctx, action: action, params: params, options: options, principal: c.principal(options)}
	r.epoch, r.isWatched = c.observe(r.principal)
	prefix := c.prefix(action)
	if action == mcp.MethodReadResource {
		prefix = c.subject(action, params.URI())
	} else {
		prefix += "-:"
	}
	r.own = prefix + r.whom() + ":" + affecting
	r.shared = prefix + public + ":" + affecting
	return r, true
}

// prefix is that of all keys of a method.
func (c *Cache) prefix(method string) string { return c.server() + ":" + method + ":" }

// subject is the prefix of all keys of a resource.
func (c *Cache) subject(method, uri string) string { return c.prefix(method) + hashed(uri) + ":" }

// serverKey is the first part of all keys: the name, for people, and a hash of
// what tells servers of one name apart.
func serverKey(name, identity string) string {
	const enough = 32
	return strings.ReplaceAll(errors.PeerText(name, maxShown), ":", "_") + "-" + hashed(name, identity)[:enough]
}

// hashed is a hash of the parts, with their limits.
func hashed(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		sum.Write([]byte{':'})
		sum.Write([]byte(part))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// whom names the authorization of the request: the principal, and behind a dot what
// else the call brings of it.
func (r *request) whom() string {
	own := whomOf(r.principal)
	if r.options.Token == "" && len(r.options.Header) == 0 {
		return own
	}
	parts := []string{r.options.Token}
	for _, name := range slices.Sorted(maps.Keys(r.options.Header)) {
		parts = append(parts, name, strings.Join(r.options.Header[name], "\x00"))
	}
	return own + "." + hashed(parts...)
}

// whomOf begins the whom of everything that is kept for a principal.
func whomOf(principal string) string {
	if principal == "" {
		return "self"
	}
	return hashed(principal)
}

// paramsKey stands for the params and what of _meta affects the result.
func paramsKey(params *mcp.Params, meta map[string]any) (key string, ok bool) {
	affecting := ""
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		if isAboutTheRequest(name) {
			continue
		}
		value, err := json.Marshal(meta[name])
		if err != nil {
			return "", false
		}
		d := digestOf(value)
		affecting += hashed(name, string(d[:]))
	}
	if params.IsZero() && affecting == "" {
		return noParams, true
	}
	var members []digestedMember
	cursor := jsonscan.TrustedCursor(params.Raw())
	cursor.Object()
	for name, more := cursor.Member(); more; name, more = cursor.Member() {
		if string(name) != "_meta" {
			members = append(members, digestedMember{string(name), digestNext(&cursor)})
			continue
		}
		if own, found := ownMeta(cursor.Value()); found {
			members = append(members, digestedMember{"_meta", own})
		}
	}
	if len(members) == 0 && affecting == "" {
		return noParams, true
	}
	d := digestMembers(members)
	return hashed(affecting, string(d[:])), true
}

// noParams stands for params of which there is nothing to tell.
const noParams = "-"

// ownMeta is what of a request's _meta affects the result.
func ownMeta(meta []byte) (own digest, found bool) {
	var members []digestedMember
	cursor := jsonscan.TrustedCursor(meta)
	if !cursor.Object() {
		return digestOf(meta), true
	}
	for name, more := cursor.Member(); more; name, more = cursor.Member() {
		if isAboutTheRequest(string(name)) {
			cursor.Value()
			continue
		}
		members = append(members, digestedMember{string(name), digestNext(&cursor)})
	}
	return digestMembers(members), len(members) > 0
}

// isAboutTheRequest reports whether a member of _meta speaks of the request, and
// not of what it asks for.
func isAboutTheRequest(name string) bool {
	switch name {
	case mcp.MetaProgressToken, MetaTraceparent, MetaTracestate, MetaBaggage:
		return true
	default:
		return strings.HasPrefix(name, reservedMeta)
	}
}

// reservedMeta begins the keys of _meta that the protocol has for itself.
const reservedMeta = "io.modelcontextprotocol/"
