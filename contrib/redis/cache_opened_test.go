package redis

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What was opened counts for the same bytes of memory, not for equal ones, and its
// room is bounded.
func TestOpened(t *testing.T) {
	o := newOpened(100)
	text := []byte("sealed")
	o.add("k", text, []byte("value"))
	assert.Equal(t, "value", string(o.get("k", text)))
	assert.Nil(t, o.get("k", bytes.Clone(text)))
	assert.Nil(t, o.get("k", text[:3]))
	assert.Nil(t, o.get("other", text))
	o.add("k", text, make([]byte, 101))
	assert.Equal(t, "value", string(o.get("k", text)), "there is no room for the other")
	for i := range 50 {
		o.add(fmt.Sprint(i%30), text, make([]byte, 7))
		assert.LessOrEqual(t, o.bytes, 100)
	}
	assert.Nil(t, o.get("k", text), "it was asked for longest ago")
	assert.NotNil(t, o.get("19", text))
	assert.Equal(t, 14*7, o.bytes)

	none := newOpened(0)
	none.add("k", text, text)
	assert.Nil(t, none.get("k", text))
}
