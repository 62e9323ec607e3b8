package redis

import (
	"sync"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// opened remembers what results of the near cache are when they are opened, so that a
// hit costs no decryption. As long as the near cache has a result it returns the same
// bytes of memory; others, even if they are equal, are opened anew.
type opened struct {
	mostBytes int

	mu      sync.Mutex
	results *simplelru.LRU[string, openedResult] // by the key of Redis
	bytes   int
}

type openedResult struct {
	text  []byte // as it was kept, which is never changed
	value []byte
}

// newOpened returns nil, which remembers nothing, for no bytes.
func newOpened(mostBytes int) *opened {
	if mostBytes <= 0 {
		return nil
	}
	o := &opened{mostBytes: mostBytes}
	o.results, _ = simplelru.NewLRU(mostPlaces, func(_ string, gone openedResult) { o.bytes -= len(gone.value) }) // fails only for a size below 1
	return o
}

func (o *opened) get(key string, text []byte) []byte {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	known, found := o.results.Get(key)
	if !found || len(known.text) != len(text) || unsafe.SliceData(known.text) != unsafe.SliceData(text) {
		return nil
	}
	return known.value
}

func (o *opened) add(key string, text, value []byte) {
	if o == nil || len(value) > o.mostBytes {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.results.Remove(key)
	o.results.Add(key, openedResult{text, value})
	for o.bytes += len(value); o.bytes > o.mostBytes; {
		o.results.RemoveOldest()
	}
}
