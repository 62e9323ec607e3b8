package dial

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a name server on loopback whose answers a test writes. A name it
// does not know does not exist; one with the only address "silence" is not
// answered.
type nameServer struct {
	mu      sync.Mutex
	answers map[string][][]string // by name: one answer after the other, the last one for good
	asked   map[string]int
}

// resolverOf starts a name server and returns a resolver that asks it.
func resolverOf(t *testing.T, answers map[string][][]string) (*net.Resolver, *nameServer) {
	t.Helper()
	connection, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &nameServer{answers: answers, asked: map[string]int{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.serve(connection)
	}()
	t.Cleanup(func() {
		_ = connection.Close()
		<-done
	})
	// The resolver of the standard library waits for its own 5 s even where its
	// caller has long gone; the sockets that are closed here end that.
	var mu sync.Mutex
	var sockets []net.Conn
	over := false
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		for _, socket := range sockets {
			_ = socket.Close()
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return nil, net.ErrClosed
		}
		socket, err := (&net.Dialer{}).DialContext(ctx, "udp", connection.LocalAddr().String())
		if err == nil {
			sockets = append(sockets, socket)
		}
		return socket, err
	}}, server
}

func (s *nameServer) serve(connection net.PacketConn) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := connection.ReadFrom(buffer)
		if err != nil {
			return
		}
		if answer := s.answer(buffer[:n]); answer != nil {
			_, _ = connection.WriteTo(answer, from)
		}
	}
}

func (s *nameServer) answer(query []byte) []byte {
	var message dnsmessage.Message
	if message.Unpack(query) != nil || len(message.Questions) != 1 {
		return nil
	}
	question := message.Questions[0]
	answer := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: message.ID, Response: true, RecursionAvailable: true, RecursionDesired: true},
		Questions: message.Questions,
	}
	addresses, known := s.next(strings.TrimSuffix(question.Name.String(), "."), question.Type)
	if !known {
		answer.RCode = dnsmessage.RCodeNameError
	}
	for _, text := range addresses {
		if text == "silence" {
			return nil
		}
		header := dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET, TTL: 0}
		switch address := netip.MustParseAddr(text); {
		case address.Is4() && question.Type == dnsmessage.TypeA:
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: address.As4()}})
		case address.Is6() && question.Type == dnsmessage.TypeAAAA:
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: address.As16()}})
		}
	}
	packed, err := answer.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// next returns the addresses of a name; each question for A moves on.
func (s *nameServer) next(name string, kind dnsmessage.Type) (addresses []string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers, known := s.answers[name]
	if !known {
		return nil, false
	}
	at := min(s.asked[name], len(answers)-1)
	if kind == dnsmessage.TypeA {
		s.asked[name]++
	}
	return answers[at], true
}

func (s *nameServer) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}
