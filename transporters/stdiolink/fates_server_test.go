//go:build unix

package stdiolink

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// fates is a server whose tool does with a call what its arguments say, and which
// sends, with most answers, what belongs to calls that are long over.
type fates struct {
	testServer
	over sync.Map // ids of calls that were answered, or are not going to be
}

type fatefulRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Over      json.RawMessage `json:"requestId"` // of a cancellation
		Arguments struct {
			Fate   string `json:"fate"`
			Secret string `json:"secret"`
		} `json:"arguments"`
	} `json:"params"`
}

func playFates() {
	server := &fates{testServer: testServer{out: bufio.NewWriter(os.Stdout)}}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var request fatefulRequest
		if err := json.Unmarshal(line, &request); err != nil {
			syscall.Exit(5)
		}
		switch request.Method {
		case "initialize":
			server.print(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fates","version":"1"}}}`+"\n", request.ID)
		case "notifications/cancelled":
			server.over.Store(string(request.Params.Over), true)
		case "tools/call":
			go server.decide(request)
		}
	}
}

func (s *fates) decide(request fatefulRequest) {
	id, secret := request.ID, request.Params.Arguments.Secret
	switch request.Params.Arguments.Fate {
	case "slow":
		time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
	case "late":
		time.Sleep(40 * time.Millisecond)
	case "silence":
		return
	case "progress", "panic", "stop":
		for i := range 1 + rand.IntN(100) {
			s.report(id, secret, i+1)
		}
	case "long":
		secret = strings.Repeat(secret+"\n", 20_000/len(secret))
	case "refuse":
		s.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q}}`+"\n", id, secret)
		s.over.Store(string(id), true)
		return
	case "die":
		syscall.Exit(3)
	}
	s.haunt()
	s.print(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`+"\n", id, secret)
	s.report(id, "a report behind the answer", 1000)
	s.over.Store(string(id), true)
}

func (s *fates) report(token json.RawMessage, text string, progress int) {
	s.print(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%q}}`+"\n", token, progress, text)
}

// haunt sends what belongs to a few calls that are over.
func (s *fates) haunt() {
	n := 0
	s.over.Range(func(id, _ any) bool {
		token := json.RawMessage(id.(string))
		s.report(token, "a report of a call that is over", 1000)
		s.print(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"an answer to a call that is over"}]}}`+"\n", token)
		s.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"a refusal of a call that is over"}}`+"\n", token)
		s.print(`{"jsonrpc":"2.0","id":%s,"method":"ping","params":{"_meta":{"progressToken":%s}}}`+"\n", token, token)
		s.over.Delete(id)
		n++
		return n < 3
	})
}
