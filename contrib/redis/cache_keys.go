package redis

import (
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The generations of a result: the last are those of its subject, and of whom it is
// for.
const (
	ofSubject = 2
	ofWhom    = 3
)

// place is where a result is, and what it depends on: the generations of the server,
// the method, the subject, and whom it is for. What is in braces makes a cluster keep
// all of a server on one node.
type place struct {
	generations [4]string
	result      string
	claims      string // begins the keys of claims of the result
	isPublic    bool
}

// place takes a key of the cache apart. What it finds it remembers: names are hashes.
func (c *Cache) place(key string) (place, error) {
	if at, known := c.places.Get(key); known {
		return at, nil
	}
	at, err := c.locate(key)
	if err == nil {
		c.places.Add(key, at)
	}
	return at, err
}

// mostPlaces bounds what is remembered.
const mostPlaces = 4096

func (c *Cache) locate(key string) (place, error) {
	parts := strings.SplitN(key, ":", 5)
	if len(parts) < 5 {
		return place{}, fmt.Errorf("%q is not a key of the cache", errors.PeerText(key, 80))
	}
	server, method, subject, whom, params := parts[0], parts[1], parts[2], parts[3], parts[4]
	word, _, _ := strings.Cut(whom, ".")
	base, name := c.base(server), method+":"+c.seal.resultName(method, subject, whom, params)
	return place{
		generations: c.generations(server, method, subject, word),
		result:      base + "r:" + name, claims: base + "c:" + name + ":", isPublic: whom == public,
	}, nil
}

// public is whom a result is for that all may have.
const public = "public"

func (c *Cache) base(server string) string {
	return c.db.prefix + "cache:{" + strings.NewReplacer("{", "(", "}", ")").Replace(server) + "}:"
}

// generations are the keys of the generations of a server, its method, a subject of
// that, and those that a word stands for.
func (c *Cache) generations(server, method, subject, word string) [4]string {
	base := c.base(server) + "g"
	if word != public {
		word = c.seal.resultName(word)
	}
	return [4]string{base, base + ":" + method, base + ":" + method + ":" + subject, base + ":" + method + ":@" + word}
}

// words are those of a mark that the result depends on: a mark has one more, that of
// what all share.
func (p place) words(mark string) string {
	words := strings.Split(mark, ".")
	if len(words) != len(p.generations)+1 {
		return ""
	}
	if p.isPublic {
		words[ofWhom] = words[ofWhom+1]
	}
	return strings.Join(words[:ofWhom+1], ".")
}

// claim is the key of a claim with the mark.
func (p place) claim(mark string) string { return p.claims + mark }
