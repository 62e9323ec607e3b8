package httplink

import (
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/sse"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// feed reads the messages of a stream that is no single exchange's.
type feed struct {
	link     *Link
	reader   *sse.Reader
	name     string            // what logs call the stream
	take     func(mcp.Message) // gets messages that own their bytes
	position position
	messages int // that were read
	faults   faultLog
}

// run reads until the stream ends and returns why: io.EOF, or the reader's error.
func (f *feed) run() error {
	for {
		event, err := f.reader.Next()
		if err != nil {
			return err
		}
		f.position.note(&event)
		if isMessage(&event) {
			f.takeEvent(f.reader.Take())
		}
	}
}

func (f *feed) takeEvent(data []byte) {
	message, err := jsonrpc.Scan(data)
	switch {
	case err == nil:
		f.messages++
		f.take(message)
	case errors.Is(err, jsonrpc.ErrBatch) && f.link.batches.Load():
		messages, err := jsonrpc.ScanBatch(data)
		if err != nil {
			f.faults.note(f.link, f.name, err)
		}
		for _, message := range messages {
			f.messages++
			f.take(message)
		}
	default:
		f.faults.note(f.link, f.name, err)
	}
}
