package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// How a group names things. A name is a function of server and entry alone as far
// as possible: it must be the same after a restart, whatever else is there, since
// a model's conversation may outlive both. What is changed to fit gets a hash of
// both for that reason, even where nothing collides now: "get.user" must not become
// "get_user", which may be there tomorrow. Cutting alone is not enough either:
// names that are alike at the head, or at both ends, would meet.

const (
	// maxName is what providers of models allow.
	maxName = 64
	// separator stands between server and entry.
	separator = "__"
	// hashDigits are hexadecimal; with "_" before them they end a name.
	hashDigits = 8
	// minPrefix is what at least is left of a server's name that has to be cut.
	minPrefix = 16
)

// Collisions says what a group does about entries of several servers that have the
// same name.
type Collisions uint8

const (
	// CollisionPrefix gives all of them the name of their server as a prefix, where
	// they do not have it; what is the same even then gets a hash. Nothing is left
	// out.
	CollisionPrefix Collisions = iota
	// CollisionFirstWins lets the first one in the order of the members have the
	// name. The others are left out; Listing.Collisions tells.
	CollisionFirstWins
	// CollisionError makes the listing fail, with an error that wraps
	// errors.ErrNameCollision and names all of them.
	CollisionError
)

// Collision tells of entries that have the same name.
type Collision struct {
	// Name is what all of them would have been called.
	Name string
	// Servers are those that have it, in the order of the members. With
	// CollisionFirstWins the first one is in the list, the others are not. With
	// CollisionPrefix there is only ever one where a server's name for an entry is
	// what another's got for its hash; then only that other's is in the list.
	Servers []string
}

// String names them all.
func (c Collision) String() string {
	return fmt.Sprintf("%q of %s", errors.PeerText(c.Name, maxShownName), shownServers(c.Servers))
}

// shownServers lists servers, whose names may be a user's of the program.
func shownServers(names []string) string {
	var shown []string
	for _, name := range names[:min(len(names), maxFaults)] {
		shown = append(shown, errors.PeerText(name, maxShownName))
	}
	if more := len(names) - maxFaults; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, ", ")
}

// maxShownName bounds what of a name goes into an error.
const maxShownName = 200

// naming is the rules of one group.
type naming struct {
	unprefixed bool
	collisions Collisions
}

// claim is an entry that needs a name.
type claim struct{ server, key string }

// assign returns the names of the entries, "" for one that is left out.
func (n naming) assign(k kind, claims []claim) (names []string, collisions []Collision, err error) {
	names = make([]string, len(claims))
	for i, c := range claims {
		names[i] = n.name(k, c, false)
	}
	if n.collisions == CollisionPrefix {
		for _, rename := range []func(claim) string{
			func(c claim) string { return n.name(k, c, true) },
			func(c claim) string { return hashed(k, c) },
		} {
			for _, same := range clashes(names) {
				for _, i := range same {
					names[i] = rename(claims[i])
				}
			}
		}
	}
	for _, same := range clashes(names) {
		collision := Collision{Name: names[same[0]]}
		for _, i := range same {
			collision.Servers = append(collision.Servers, claims[i].server)
		}
		collisions = append(collisions, collision)
		kept := n.keeper(k, claims, names, same)
		for _, i := range same {
			if i != kept {
				names[i] = ""
			}
		}
	}
	if n.collisions == CollisionError && len(collisions) > 0 {
		return nil, nil, collisionError(k, collisions)
	}
	return names, collisions, nil
}

// keeper returns which of those with the same name has it, or -1 for none: the first
// one where that is the rule, else the one whose hash it is, so that a server takes no
// name from another by imitating its hash.
func (n naming) keeper(k kind, claims []claim, names []string, same []int) int {
	if n.collisions == CollisionFirstWins {
		return same[0]
	}
	kept := -1
	for _, i := range same {
		if names[i] != hashed(k, claims[i]) {
			continue
		}
		if kept >= 0 {
			return -1
		}
		kept = i
	}
	return kept
}

func collisionError(k kind, collisions []Collision) error {
	var told []string
	for _, collision := range collisions[:min(len(collisions), maxFaults)] {
		told = append(told, collision.String())
	}
	return fmt.Errorf("%w: %s of several servers: %s", errors.ErrNameCollision, k.plural(), strings.Join(told, "; "))
}

// clashes returns the indices of equal names, in order.
func clashes(names []string) (all [][]int) {
	holders := make(map[string][]int, len(names))
	for i, name := range names {
		if name != "" {
			holders[name] = append(holders[name], i)
		}
	}
	for i, name := range names {
		if same := holders[name]; len(same) > 1 && same[0] == i {
			all = append(all, same)
		}
	}
	return all
}

// name returns what an entry is called as long as nothing collides.
func (n naming) name(k kind, c claim, collides bool) string {
	if k.hasURI() {
		if collides {
			return c.server + separator + c.key
		}
		return c.key
	}
	plain := c.key
	if !n.unprefixed || collides {
		plain = c.server + separator + c.key
	}
	if fits(plain) {
		return plain
	}
	if n.unprefixed && !collides {
		return shortened("", c)
	}
	return hashed(k, c)
}

// hashed returns a name that ends in the hash of what it stands for.
func hashed(k kind, c claim) string {
	if k.hasURI() {
		return c.server + separator + c.key + "_" + hashOf(c)
	}
	return shortened(c.server, c)
}

// shortened makes a server, if there is one, and a key fit, followed by the hash.
func shortened(server string, c claim) string {
	server, key, between := allowed(server), allowed(c.key), ""
	if server != "" {
		between = separator
	}
	room := maxName - len(between) - 1 - hashDigits
	if over := len(server) + len(key) - room; over > 0 {
		server = server[:min(len(server), max(minPrefix, len(server)-over))]
		key = key[:min(len(key), room-len(server))]
	}
	return server + between + key + "_" + hashOf(c)
}

func hashOf(c claim) string {
	sum := sha256.Sum256([]byte(c.server + "\x00" + c.key))
	return hex.EncodeToString(sum[:])[:hashDigits]
}

func fits(name string) bool { return len(name) <= maxName && allowed(name) == name }

// allowed returns the name with "_" in place of each character that is not
// allowed.
func allowed(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, name)
}
