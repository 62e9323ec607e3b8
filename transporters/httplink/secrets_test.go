package httplink

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Whatever goes wrong, and even where the server repeats what it got, no secret
// reaches an error, a reply's text or the log.
func TestSecretsStaySecret(t *testing.T) {
	const canary = "canary-7f3a"
	everything := func(r *http.Request) string {
		return fmt.Sprint(r.Header.Get("Authorization"), " ", r.Header.Get("X-Key"), " ", r.Header.Get("X-Call"), " ", r.Header.Get("X-Client"))
	}
	answers := map[string]func(w http.ResponseWriter, r *http.Request){
		"web page": func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "text/html", everything(r)) },
		"no JSON":  func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "application/json", everything(r)) },
		"no answer": func(w http.ResponseWriter, r *http.Request) {
			reply(w, 200, "application/json", fmt.Sprintf(`{"x":%q}`, everything(r)))
		},
		"status": func(w http.ResponseWriter, r *http.Request) { reply(w, 401, "text/plain", everything(r)) },
		"JSON-RPC error": func(w http.ResponseWriter, r *http.Request) {
			reply(w, 400, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":%q}}`, everything(r)))
		},
		"JSON-RPC error, 200": func(w http.ResponseWriter, r *http.Request) {
			events(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":%q}}`, everything(r)))
		},
		"bad events": func(w http.ResponseWriter, r *http.Request) { events(w, everything(r), everything(r)) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://user:"+canary+"@example.invalid/x?t="+url.QueryEscape(everything(r)))
			w.WriteHeader(302)
		},
		"bad redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://["+everything(r))
			w.WriteHeader(307)
		},
		"unknown encoding": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", everything(r))
			reply(w, 200, "application/json", "x")
		},
		"odd type": func(w http.ResponseWriter, r *http.Request) { reply(w, 200, everything(r), "x") },
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			received := false
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				received = strings.Count(everything(r), canary) == 4
				answer(w, r)
			})
			testSecrets(t, server.URL, canary)
			assert.True(t, received, "the test must send the secrets")
		})
	}
	t.Run("malformed", func(t *testing.T) {
		testSecrets(t, raw(t, func(conn net.Conn, r *http.Request) { _, _ = io.WriteString(conn, everything(r)+"\r\n\r\n") }), canary)
	})
	t.Run("refused", func(t *testing.T) { testSecrets(t, "http://"+closedPort(t), canary) })
}

func testSecrets(t *testing.T, address, canary string) {
	cfg := Config{
		BaseURL: address + "?key=" + canary,
		Token:   config.LiteralSecret(canary),
		Headers: literals("X-Key", "key "+canary),
		Proxy:   config.LiteralSecret("none"),
	}
	logger, text := logs()
	link, _ := open(t, cfg, WithLogger(logger), WithClient(resty.New().SetHeader("X-Client", canary)))
	ctx := withCall(t.Context(), "", http.Header{"X-Call": {canary}})
	got, err := link.Exchange(ctx, call(), &sink{})
	sendErr := link.Send(ctx, notification())
	terminateErr := link.Terminate(ctx, protocolHeader())
	for _, shown := range []string{
		fmt.Sprint(err, sendErr, terminateErr), fmt.Sprintf("%+v %+v %+v", err, sendErr, terminateErr), text(),
		string(got.Body), string(got.Message.Raw), fmt.Sprint(got.Message.Failure()), fmt.Sprintf("%v %+v %#v", cfg, cfg, cfg),
	} {
		assert.NotContains(t, shown, canary)
	}
	for _, err := range []error{err, sendErr} {
		if outer, ok := errors.AsType[*url.Error](err); ok {
			t.Errorf("the URL can be taken out of %v", outer)
		}
	}
}

// A JSON-RPC error with a secret in it is still the answer.
func TestHiddenSecretsKeepTheAnswer(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, "application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-5,"message":"bad `+r.Header.Get("Authorization")+`"}}`)
	})
	link, _ := open(t, Config{BaseURL: server.URL, Token: config.LiteralSecret("canary-7f3a")})
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, "error -5: bad Bearer ***", got.Message.Failure().Error())
}

// Peer text is bounded and its control characters are escaped (P103).
func TestPeerTextIsBounded(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, "text/html", "\x1b[31m"+strings.Repeat("<b>", 10_000))
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 1000)
	assert.NotContains(t, err.Error(), "\x1b")
}

// However JSON lets a secret be written, it is found, and the answer stays one.
func TestSecretsWrittenInOtherWays(t *testing.T) {
	const token, longer = "canary/a<b>C&d", "canary/a<b>C&d-and-more"
	writings := map[string]func(string) string{
		"as it is":         func(s string) string { return s },
		"solidus":          func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
		"as encoding/json": func(s string) string { raw, _ := json.Marshal(s); return string(raw[1 : len(raw)-1]) },
		"code points": func(s string) string {
			var b strings.Builder
			for _, r := range s {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
			return b.String()
		},
		"one letter":     func(s string) string { return strings.ReplaceAll(s, "C", `\u0043`) },
		"JSON in JSON":   func(s string) string { return strings.ReplaceAll(s, "/", `\\\/`) },
		"percent":        url.QueryEscape,
		"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"in credentials": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s + ":x")) },
	}
	for name, write := range writings {
		for _, secret := range []string{token, longer} {
			written := write(secret)
			failure := `{"jsonrpc":"2.0","id":7,"error":{"code":-5,"message":"bad ` + written + ` given","data":{"a":["` + written + `"]}}}`
			for kind, answer := range map[string]http.HandlerFunc{
				"JSON":         func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", failure) },
				"event":        func(w http.ResponseWriter, _ *http.Request) { events(w, failure) },
				"status":       func(w http.ResponseWriter, _ *http.Request) { reply(w, 400, "application/json", failure) },
				"other status": func(w http.ResponseWriter, _ *http.Request) { reply(w, 400, "text/plain", failure[1:]) },
				"web page":     func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "text/html", failure) },
				"challenge": func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Www-Authenticate", `Bearer error="`+written+`"`)
					reply(w, 401, "application/json", failure)
				},
			} {
				t.Run(name+", "+kind, func(t *testing.T) {
					server := serve(t, answer)
					link, _ := open(t, Config{
						BaseURL: server.URL, Token: config.LiteralSecret(token), Headers: literals("X-Key", longer),
					})
					got, err := link.Exchange(t.Context(), call(), &sink{})
					shown := fmt.Sprint(err, string(got.Message.Raw), string(got.Message.Error), string(got.Body), got.Header)
					require.Contains(t, shown, "***")
					require.NotContains(t, shown, written)
					require.NotContains(t, shown, "and-more", "no rest is left")
					if err == nil && kind != "other status" {
						require.Equal(t, -5, got.Message.Failure().Code, "it still is the answer")
						require.NotContains(t, got.Message.Failure().Message, "canary")
						require.NotContains(t, string(got.Message.Failure().Data), "canary")
					}
				})
			}
		}
	}
}

// The legacy streams hide as much.
func TestSecretsOnTheStreamOfAnotherTransport(t *testing.T) {
	server := serveOld(t, func(s *oldServer, w http.ResponseWriter, _ mcp.Message) {
		w.WriteHeader(http.StatusAccepted)
		s.push <- `{"jsonrpc":"2.0","id":7,"error":{"code":-5,"message":"bad canary\/1234"}}`
	})
	link, _ := openSSE(t, Config{BaseURL: server.URL, Token: config.LiteralSecret("canary/1234")})
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	require.Equal(t, "error -5: bad ***", got.Message.Failure().Error())
}

// What is in the address is a secret too if its name says so.
func TestSecretsOfTheAddress(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 404, "text/html", "Cannot POST "+r.RequestURI)
	})
	link, _ := open(t, Config{BaseURL: server.URL + "/mcp?api_key=canary%2F1234&profile=production"})
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	require.Equal(t, "Cannot POST /mcp?api_key=***&profile=production", string(got.Body))
}

// Results are the server's words to the caller: nothing is changed in them.
func TestResultsAreNotRedacted(t *testing.T) {
	result := `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"canary\/1234"}],"isError":true}}`
	for _, status := range []int{200, 500} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) { reply(w, status, "application/json", result) })
		link, _ := open(t, Config{BaseURL: server.URL, Token: config.LiteralSecret("canary/1234")})
		got, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		require.Equal(t, result, string(got.Message.Raw))
	}
}

// A secret that the limit of a body cuts in two is not shown by half.
func TestSecretsAtTheEndOfABody(t *testing.T) {
	secret := "canary" + strings.Repeat("-0123456789", 20)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 500, "text/plain", secret+strings.Repeat(" page", 1000)+strings.Repeat(secret+" ", errorBodyBytes/len(secret)+1))
	})
	link, _ := open(t, Config{BaseURL: server.URL, Token: config.LiteralSecret(secret)})
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.NotContains(t, string(got.Body), "canary")
	assert.True(t, strings.HasPrefix(string(got.Body), "*** page page"))
	assert.ErrorContains(t, link.Send(t.Context(), notification()), "*** page page")
}

// Floods of challenges are cut, their control characters escaped, and
// the response's own header is left alone.
func TestChallengesAreBounded(t *testing.T) {
	for _, status := range []int{401, 403, 200, 400} {
		header := http.Header{"Www-Authenticate": {"Basic realm=\"\x1b[31m canary-7f3a\"", strings.Repeat("x", 10_000)}}
		for range 100 {
			header.Add("Www-Authenticate", "Bearer")
		}
		link := New("test", Config{BaseURL: "http://127.0.0.1:1", Token: config.LiteralSecret("canary-7f3a")})
		response := &http.Response{StatusCode: status, Header: header}
		got := link.safeHeader(t.Context(), response)["Www-Authenticate"]
		require.Len(t, header["Www-Authenticate"], 102)
		require.Contains(t, header["Www-Authenticate"][0], "canary")
		if status == 200 || status == 400 {
			require.Len(t, got, 102, "nobody shows them")
			continue
		}
		require.Len(t, got, maxChallenges)
		require.Equal(t, `Basic realm="\x1b[31m ***"`, got[0])
		require.Len(t, got[1], challengeBytes+len("..."))
		require.Equal(t, "Bearer", got[2])
		shut(t, link)
	}
}
