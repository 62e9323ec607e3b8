package wire

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProxy: requests and answers pass unchanged, events while the stream is
// still open, and each message is recorded with its exchange.
func TestProxy(t *testing.T) {
	more := make(chan struct{})
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			fmt.Fprintf(w, `{"echo":%s,"host":%q}`, body, r.Host)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /elsewhere\n\n: comment\n\ndata: {\"n\":\ndata: 1}\r\n\r\n")
		w.(http.Flusher).Flush()
		<-more
		fmt.Fprint(w, "id: 7\ndata:{\"n\":2}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	proxy, err := StartProxy(server.URL + "/mcp")
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(proxy.URL(), "/mcp"))
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()

	request, err := http.NewRequest(http.MethodPost, proxy.URL(), strings.NewReader(`{"q":1}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer hidden")
	response, err := client.Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	response.Body.Close()
	require.Contains(t, string(body), `"host":"localhost:`)

	response, err = client.Get(proxy.URL())
	require.NoError(t, err)
	lines := bufio.NewReader(response.Body)
	for range 3 {
		_, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	close(more)
	for line := ""; !strings.Contains(line, `"n":2`); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	response.Body.Close()
	select {
	case <-gone: // that the client left reaches the server
	case <-time.After(10 * time.Second):
		t.Fatal("the server was not told that the client left")
	}
	require.NoError(t, proxy.Close())

	var seen []string
	for _, r := range proxy.Records() {
		require.NotContains(t, fmt.Sprint(r.Header), "hidden")
		if r.Kind == FromClient || r.Kind == FromServer {
			seen = append(seen, fmt.Sprintf("%d %s %s", r.Exchange, r.Kind, strings.ReplaceAll(string(r.Message), "\n", "")))
		} else {
			seen = append(seen, fmt.Sprintf("%d %s", r.Exchange, r.Method+r.Text))
		}
	}
	require.Equal(t, []string{
		"1 POST", `1 client {"q":1}`, "1 POST200 OK", "1 server " + string(body),
		"2 GET", "2 GET200 OK", `2 server {"n":1}`, `2 server {"n":2}`,
	}, seen)
}
