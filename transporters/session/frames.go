package session

import (
	"sync"

	"github.com/mcp-client-go/mcpclient/internal/poison"
)

// keptFrame is the largest frame whose memory is used again.
const keptFrame = 16 << 10

// frameBuffer is the memory of one frame.
type frameBuffer struct{ bytes []byte }

// frameBuffers keeps the memory of frames that nobody reads any more, for links
// that copy what they send. The zero value is ready.
type frameBuffers struct{ unused sync.Pool }

func (f *frameBuffers) take() *frameBuffer {
	if kept, ok := f.unused.Get().(*frameBuffer); ok {
		return kept
	}
	return &frameBuffer{}
}

func (f *frameBuffers) keep(buffer *frameBuffer) {
	poison.Memory(buffer.bytes)
	if cap(buffer.bytes) <= keptFrame {
		f.unused.Put(buffer)
	}
}
