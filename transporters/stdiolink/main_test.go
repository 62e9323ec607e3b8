//go:build unix

package stdiolink

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// childRole names the variable that turns this test binary into a server.
const childRole = "MCPCLIENT_TEST_SERVER"

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		time.AfterFunc(time.Minute, func() { os.Exit(99) })
		playServer(role)
		syscall.Exit(0) // not a return: the race detector would wait for a second
	}
	goleak.VerifyTestMain(m)
}

// mirror answers every line with its own id, as fast as it can.
func mirror() {
	in, out := bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(os.Stdout, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		_, rest, _ := bytes.Cut(line, []byte(`"id":`))
		id, _, _ := bytes.Cut(rest, []byte(`,`))
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"hello"}]}}`+"\n", id)
		if in.Buffered() == 0 {
			_ = out.Flush()
		}
	}
}

// testServer answers requests by their method; see handle.
type testServer struct {
	mu  sync.Mutex
	out *bufio.Writer
}

type testRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
		Text  string `json:"text"`
		Count int    `json:"count"`
	} `json:"params"`
}

func playServer(role string) {
	switch role {
	case "fails to start":
		fmt.Println("Error: no API key")
		fmt.Fprintln(os.Stderr, "see the manual")
		syscall.Exit(3)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		defer time.Sleep(time.Minute)
	case "reads nothing":
		time.Sleep(time.Minute)
	case "mirror":
		mirror()
		return
	case "fates":
		playFates()
		return
	case "closes stdin":
		_ = os.Stdin.Close()
		_ = syscall.Close(0)
		time.Sleep(time.Minute)
	}
	server := &testServer{out: bufio.NewWriter(os.Stdout)}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var request testRequest
		if err := json.Unmarshal(line, &request); err != nil {
			fmt.Fprintf(os.Stderr, "error: bad line of %d bytes: %v\n", len(line), err)
			syscall.Exit(5)
		}
		server.handle(request)
	}
}

func (s *testServer) print(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, format, arguments...)
	_ = s.out.Flush()
}

func (s *testServer) answer(id json.RawMessage, text string) {
	s.print(`{"jsonrpc":"2.0","id":%s,"result":{"text":"%s"}}`+"\n", id, text) // no text here needs an escape
}

func (s *testServer) handle(request testRequest) {
	id := request.ID
	switch request.Method {
	case "echo":
		s.answer(id, request.Params.Text)
	case "notifications/ignored", "never":
	case "echo id as string":
		s.print(`{"jsonrpc":"2.0","id":"%s","result":{}}`+"\n", bytes.Trim(id, `"`))
	case "progress":
		for i := range request.Params.Count {
			s.print(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%q}}`+"\n",
				request.Params.Meta.Token, i+1, request.Params.Text)
		}
		s.answer(id, "done")
	case "listen":
		s.print(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`+"\n", id)
		s.print(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`+"\n", id)
		s.print(`{"jsonrpc":"2.0","id":%s,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`+"\n", id, id)
	case "ask":
		s.print(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`+"\n", id) // the same id as ours
		s.print(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}` + "\n")
		s.answer(id, "asked")
	case "noise":
		s.print("Welcome!\n\n   \n{\"broken\": \n{\"jsonrpc\":\"2.0\",\"id\":99,\n[1,2]\n\xef\xbb\xbfmark\n\"text\"\n42\n")
		s.answer(id, "quiet")
	case "batch":
		s.print(`[{"jsonrpc":"2.0","method":"notifications/message"},{"jsonrpc":"2.0"},{"jsonrpc":"2.0","id":%s,"result":{}}]`+"\n", id)
	case "latin1":
		s.print(`{"jsonrpc":"2.0","id":%s,"result":{"text":"caf`+"\xe9"+`"}}`+"\n", id)
	case "no version":
		s.print(`{"id":%s,"result":{}}`+"\n", id)
	case "unusable":
		s.print("%s\n", strings.ReplaceAll(request.Params.Text, "ID", string(id)))
	case "deep":
		s.print(`{"jsonrpc":"2.0","id":%s,"result":%s%s}`+"\n", id, strings.Repeat("[", 600), strings.Repeat("]", 600))
	case "carriage return":
		s.print(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\r\n", id)
	case "large":
		s.answer(id, strings.Repeat("x", request.Params.Count))
	case "stderr":
		fmt.Fprintln(os.Stderr, request.Params.Text)
		s.answer(id, "")
	case "environment":
		s.answer(id, os.Getenv(request.Params.Text))
	case "die":
		fmt.Fprintln(os.Stderr, "out of cheese")
		syscall.Exit(3)
	case "half line":
		s.print(`{"jsonrpc":"2.0","id":%s,"resu`, id)
		syscall.Exit(4)
	case "half a result":
		s.print(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ha`, id)
		syscall.Exit(4)
	case "answer without line end":
		s.print(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
		syscall.Exit(4)
	case "close stdout":
		_ = syscall.Close(1)
	case "fork and die":
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), childRole+"=reads nothing")
		grandchild.Stdout, grandchild.Stdin = os.Stdout, os.Stdin
		grandchild.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := grandchild.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, "grandchild", grandchild.Process.Pid)
		syscall.Exit(6)
	case "stop reading":
		s.answer(id, "")
		time.Sleep(time.Duration(request.Params.Count) * time.Millisecond)
	default:
		s.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", id)
	}
}
