// Package dialtest is a name server on loopback, for tests of what names resolve
// to.
package dialtest

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

// Answers are what a name server says, by name: one list of addresses after the
// other, the last one for good. A name that is not there does not exist; one with
// the address Silence is not answered.
type Answers map[string][][]string

// Silence stands for an answer that does not come.
const Silence = "silence"

// NameServer is a name server whose answers a test writes.
type NameServer struct {
	mu      sync.Mutex
	answers Answers
	asked   map[string]int
}

// Resolver starts a name server, which ends with the test, and returns a resolver
// that asks it.
func Resolver(t *testing.T, answers Answers) (*net.Resolver, *NameServer) {
	t.Helper()
	connection, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &NameServer{answers: answers, asked: map[string]int{}}
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

func (s *NameServer) serve(connection net.PacketConn) {
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

func (s *NameServer) answer(query []byte) []byte {
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
		if text == Silence {
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
func (s *NameServer) next(name string, kind dnsmessage.Type) (addresses []string, known bool) {
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

// Count returns how often the IPv4 addresses of a name were asked for.
func (s *NameServer) Count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}
