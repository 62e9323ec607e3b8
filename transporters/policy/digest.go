package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// A digest of JSON is the same for texts that mean the same: the order of the
// members of an object, white space and the way a string is escaped do not matter.
// Numbers count as they are written. Of members that occur twice both count, since
// different readers may follow a different one. It is a tree of SHA-256, so that
// its cost grows with the length of the text and not with its depth.

type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// What is hashed begins with the kind of the value, so that values of different
// kinds never have the same digest.
const (
	kindObject = 'o'
	kindArray  = 'a'
	kindText   = 's'
	kindOther  = 'n'
)

// digestOf returns the digest of a valid JSON text.
func digestOf(text []byte) digest {
	c := jsonscan.TrustedCursor(text)
	return digestNext(&c)
}

// digestNext consumes the next value.
func digestNext(c *jsonscan.Cursor) digest {
	switch {
	case c.Kind() == '"':
		text, _ := c.Text()
		return sha256.Sum256(append([]byte{kindText}, text...))
	case c.Array():
		parts := []byte{kindArray}
		for c.Element() {
			element := digestNext(c)
			parts = append(parts, element[:]...)
		}
		return sha256.Sum256(parts)
	case c.Object():
		var members []digestedMember
		for name, ok := c.Member(); ok; name, ok = c.Member() {
			members = append(members, digestedMember{string(name), digestNext(c)})
		}
		return digestMembers(members)
	default:
		return sha256.Sum256(append([]byte{kindOther}, c.Value()...))
	}
}

type digestedMember struct {
	name  string
	value digest
}

func digestMembers(members []digestedMember) digest {
	slices.SortStableFunc(members, func(a, b digestedMember) int { return cmp.Compare(a.name, b.name) })
	parts := []byte{kindObject}
	for _, member := range members {
		parts = binary.AppendUvarint(parts, uint64(len(member.name)))
		parts = append(parts, member.name...)
		parts = append(parts, member.value[:]...)
	}
	return sha256.Sum256(parts)
}
