package jsonrpc

import (
	"unsafe"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Move returns the message, which was scanned in from, with its slices in to,
// which must be a copy of from: it becomes the owner of its bytes without being
// scanned again.
func Move(m mcp.Message, from, to []byte) mcp.Message {
	m.Raw = move(m.Raw, from, to)
	m.ID = mcp.ID(move(m.ID, from, to))
	m.Params = move(m.Params, from, to)
	m.Result = move(m.Result, from, to)
	m.Error = move(m.Error, from, to)
	return m
}

// move returns the part of to that corresponds to part, a slice of from. What is
// no slice of from stays what it is.
func move(part, from, to []byte) []byte {
	if len(part) == 0 {
		return part
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(from)))
	if at > uintptr(len(from)) || at+uintptr(len(part)) > uintptr(len(to)) {
		return part
	}
	return to[at : at+uintptr(len(part)) : at+uintptr(len(part))]
}
