package messagequeue

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Copies are what was copied for ever, whatever is copied after them and
// whatever their owner appends to one.
func TestCopier(t *testing.T) {
	var copier Copier
	var copies [][]byte
	for i := range 5000 {
		text := bytes.Repeat([]byte{byte(i)}, i%1500)
		copies = append(copies, copier.Copy(text))
		clear(text)
		_ = append(copies[i], "behind its end"...)
	}
	for i, text := range copies {
		require.Equal(t, bytes.Repeat([]byte{byte(i)}, i%1500), append([]byte{}, text...), i)
	}
}

func TestCopierSharesMemory(t *testing.T) {
	var copier Copier
	text := bytes.Repeat([]byte("x"), 120)
	allocations := testing.AllocsPerRun(20, func() {
		for range 1000 {
			copier.Copy(text)
		}
	})
	require.LessOrEqual(t, allocations, 9.0)
}

// Texts are strings that stay what they are; one that comes again is the same.
func TestCopierText(t *testing.T) {
	var copier Copier
	var texts []string
	for i := range 300 {
		text := bytes.Repeat([]byte{byte(i)}, i%7)
		texts = append(texts, copier.Text(text), copier.Text(text))
		clear(text)
	}
	for i := range 300 {
		want := string(bytes.Repeat([]byte{byte(i)}, i%7))
		require.Equal(t, want, texts[2*i])
		require.Equal(t, want, texts[2*i+1])
	}
	repeated := bytes.Repeat([]byte("x"), 600)
	require.Zero(t, testing.AllocsPerRun(100, func() { copier.Text(repeated) }))
}
