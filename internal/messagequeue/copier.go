package messagequeue

import (
	"bytes"
	"unsafe"
)

const (
	// sharedCopy is the largest text that shares a chunk with others.
	sharedCopy = 1 << 10
	// firstChunk and lastChunk are the sizes between which chunks double.
	firstChunk = 1 << 10
	lastChunk  = 16 << 10
)

// Copier copies the texts of messages that come in great numbers and are soon
// forgotten: short ones share chunks of memory, so that a thousand progress
// reports cost a few allocations. A chunk is kept as long as any of its texts,
// and never written twice. The zero Copier is ready; it is not safe for
// concurrent use.
type Copier struct {
	chunk []byte // its length is what is taken
	size  int    // of the last chunk
	text  string // that Text returned last
}

// Copy returns a copy of text that nobody else writes to.
func (c *Copier) Copy(text []byte) []byte {
	if len(text) > sharedCopy {
		return bytes.Clone(text)
	}
	if len(text) > cap(c.chunk)-len(c.chunk) {
		c.size = min(max(firstChunk, 2*c.size), lastChunk)
		c.chunk = make([]byte, 0, c.size)
	}
	from := len(c.chunk)
	c.chunk = append(c.chunk, text...)
	return c.chunk[from:len(c.chunk):len(c.chunk)]
}

// Text is Copy for a string. The text that it was given last costs nothing.
func (c *Copier) Text(text []byte) string {
	if c.text != string(text) {
		own := c.Copy(text)
		c.text = unsafe.String(unsafe.SliceData(own), len(own))
	}
	return c.text
}
