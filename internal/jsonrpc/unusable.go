package jsonrpc

import (
	"iter"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// AnsweredIDs gives the ids of the answers in a text that Scan or ScanBatch has
// refused, so that those who wait for them need not wait until their timeout. It
// trusts the text: on broken JSON it may find nothing, or the id of a call that
// the text was not for, but it ends.
//
// It looks at objects that stand one behind the other, or in an array. An object
// is meant as an answer if it has a result or an error, or if it is JSON-RPC and
// no request. Ids are matched as ID.Uint64 does; others are left out.
func AnsweredIDs(text []byte) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for pos := jsonscan.SkipSpace(text, 0); pos < len(text); pos = jsonscan.SkipSpace(text, pos) {
			switch text[pos] {
			case '{':
				end := jsonscan.Skip(text, pos)
				if id, found := answeredID(text[pos:end]); found && !yield(id) {
					return
				}
				pos = end
			case '[', ',', ']':
				pos++
			default:
				return
			}
		}
	}
}

func answeredID(object []byte) (uint64, bool) {
	raw, found := jsonscan.Find(object, "id")
	if !found {
		return 0, false
	}
	id, ok := mcp.ID(raw).Uint64()
	if !ok {
		return 0, false
	}
	return id, has(object, "result") || has(object, "error") || has(object, "jsonrpc") && !has(object, "method")
}

func has(object []byte, member string) bool {
	value, found := jsonscan.Find(object, member)
	return found && !isNull(value)
}
