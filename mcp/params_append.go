package mcp

import "github.com/mcp-client-go/mcpclient/internal/jsonscan"

// AppendObject appends the object as it is sent. meta holds encoded members of
// _meta, separated by commas, without braces, on one line; it may be empty. The
// _meta sent has these, then the caller's own members, except those that meta
// has as well and those that are never the caller's: progressToken and the
// protocol's version, client info and client capabilities. An empty _meta is
// left out.
func (p *Params) AppendObject(dst, meta []byte) []byte {
	if p == nil {
		p = &Params{empty: true}
	}
	if len(meta) == 0 && p.meta == nil {
		if p.empty {
			return append(dst, "{}"...)
		}
		return append(dst, p.rest...)
	}
	start := len(dst)
	dst = append(dst, `{"_meta":{`...)
	opened := len(dst)
	dst = append(dst, meta...)
	if p.meta != nil {
		dst = appendOwnMeta(dst, p.meta, meta)
	}
	if len(dst) == opened { // nothing of the caller's _meta was left
		if p.empty {
			return append(dst[:start], "{}"...)
		}
		return append(dst[:start], p.rest...)
	}
	dst = append(dst, '}')
	if p.empty {
		return append(dst, '}')
	}
	dst = append(dst, ',')
	return append(dst, p.rest[1:]...)
}

// appendOwnMeta appends the members of the caller's _meta that may be sent.
func appendOwnMeta(dst, own, meta []byte) []byte {
	taken := make([]byte, 0, len(meta)+2)
	taken = append(append(append(taken, '{'), meta...), '}')
	first := len(meta) == 0
	cursor := jsonscan.TrustedCursor(own)
	cursor.Object()
	for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
		value := cursor.Value()
		if isReservedMeta(name) {
			continue
		}
		if _, found := jsonscan.Find(taken, string(name)); found {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendMember(dst, name, value)
	}
	return dst
}

func isReservedMeta(name []byte) bool {
	switch string(name) {
	case MetaProgressToken, MetaProtocolVersion, MetaClientInfo, MetaClientCapabilities:
		return true
	default:
		return false
	}
}

// appendMembersExcept appends an object with the members of object but one.
func appendMembersExcept(dst, object []byte, except string) []byte {
	dst = append(dst, '{')
	first := true
	cursor := jsonscan.TrustedCursor(object)
	cursor.Object()
	for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
		value := cursor.Value()
		if string(name) == except {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendMember(dst, name, value)
	}
	return append(dst, '}')
}

func appendMember(dst, name, value []byte) []byte {
	dst = jsonscan.AppendString(dst, string(name))
	dst = append(dst, ':')
	return append(dst, value...)
}
