package day

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/sleep"
)

// thinking is how long a user waits between two calls, at most.
const thinking = 200 * time.Millisecond

// caller is a user at a browser, one call after the other.
type caller struct {
	day    *day
	user   string
	number int // of the browser
	made   int
	random *rand.Rand
	client *http.Client
	login  *login // of the user, at all browsers
}

// login is that of one user.
type login struct {
	first sync.Once  // before the first call
	mu    sync.Mutex // one at a time
}

func newCaller(d *day, user string, number int, login *login, random *rand.Rand) *caller {
	jar, err := cookiejar.New(nil)
	require.NoError(d.t, err)
	return &caller{day: d, user: user, number: number, random: random, login: login, client: &http.Client{
		Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 2}, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// run signs in, and calls until ctx ends.
func (c *caller) run(ctx context.Context) {
	defer c.client.CloseIdleConnections()
	response, err := c.client.PostForm(c.day.backend.site+"/session", url.Values{"name": {c.user}})
	require.NoError(c.day.t, err)
	_ = response.Body.Close()
	c.login.first.Do(func() {
		for _, kind := range c.day.kinds {
			if kind.protected {
				c.logIn(kind)
			}
		}
	})
	for ctx.Err() == nil {
		kind := c.day.kinds[c.random.IntN(len(c.day.kinds))]
		possible := activitiesAt(kind)
		chosen := pick(c.random, possible, func(a activity) int { return a.weight })
		c.made++
		id := fmt.Sprintf("%s-%d-%d", c.user, c.number, c.made)
		c.day.oracle.calls(kind.name)
		began := time.Now()
		out := chosen.do(c, kind, id)
		out.began, out.ended = began, time.Now()
		c.day.oracle.judge(kind.name, chosen.name, c.user, out)
		if out.kind == needsLogin && kind.protected {
			c.logIn(kind)
		}
		_ = sleep.For(ctx, time.Duration(c.random.Int64N(int64(thinking))))
	}
}

func activitiesAt(kind serverKind) []activity {
	var possible []activity
	for _, a := range activities() {
		if a.at(kind) {
			possible = append(possible, a)
		}
	}
	return possible
}

// logIn has the user agree, as a browser does: it follows redirects to the issuer
// and back. What fails is tried again with the next call.
func (c *caller) logIn(kind serverKind) {
	c.login.mu.Lock()
	defer c.login.mu.Unlock()
	target := c.day.backend.site + "/servers/" + kind.name + "/login"
	for range 5 {
		request, err := http.NewRequest(http.MethodGet, target, nil)
		if err != nil {
			return
		}
		request.Header.Set(userHeader, c.user)
		response, err := c.client.Do(request)
		if err != nil {
			return
		}
		_ = response.Body.Close()
		next, err := response.Location()
		if err != nil {
			return
		}
		if next.Path == "/" {
			c.day.logins.Add(1)
			return
		}
		target = next.String()
	}
}

// ask makes a request, and reads all of its answer.
func (c *caller) ask(ctx context.Context, method, path, accept string, body any) (int, string, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(encode(body))
	}
	request, err := http.NewRequestWithContext(ctx, method, c.day.backend.site+path, content)
	if err != nil {
		return 0, "", err
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// settle turns what the backend answered into an outcome, and what it must hold is
// compared by check.
func settle(code int, text string, err error, check func(text string) string) outcome {
	if err != nil {
		return outcome{wrong: "the backend does not answer: " + err.Error()}
	}
	if code == http.StatusOK {
		return outcome{answered: true, counted: true, wrong: check(text)}
	}
	var told struct{ Kind, Error string }
	if json.Unmarshal([]byte(text), &told) != nil || told.Kind == "" {
		return outcome{wrong: fmt.Sprintf("the backend answers with status %d: %.300s", code, text)}
	}
	return outcome{counted: true, kind: told.Kind, text: told.Error}
}

// toolResult is what of a tool's result is compared.
type toolResult struct {
	Content []struct{ Text string }
	IsError bool
}

// holds compares the text of a tool's result.
func holds(want string, isError bool) func(string) string {
	return func(text string) string {
		var result toolResult
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			return fmt.Sprintf("no result: %.200s", text)
		}
		if len(result.Content) != 1 || result.Content[0].Text != want || result.IsError != isError {
			return fmt.Sprintf("found %.300s, wanted %.200s", text, want)
		}
		return ""
	}
}

// owner is whom the server must take the question for.
func (c *caller) owner(kind serverKind) string {
	if kind.owned {
		return c.user
	}
	return ""
}

func (c *caller) workOf(kind serverKind, id string, q question) outcome {
	q.Call, q.User = id, c.user
	code, text, err := c.ask(context.Background(), http.MethodPost, "/api/"+kind.name+"/tools/work", "", q)
	return settle(code, text, err, holds(answerTo(kind.name, c.owner(kind), id, q.Size), false))
}

func (c *caller) work(kind serverKind, id string) outcome {
	return c.workOf(kind, id, question{Ms: c.random.IntN(50)})
}

func (c *caller) workLarge(kind serverKind, id string) outcome {
	return c.workOf(kind, id, question{Size: 20_000 + c.random.IntN(200_000)})
}

// workWithProgress sees each report on its way to the browser: of this call, in
// order, all before the result.
func (c *caller) workWithProgress(kind serverKind, id string) outcome {
	q := question{Call: id, User: c.user, Ms: 20 + c.random.IntN(60), Steps: 1 + c.random.IntN(4)}
	code, text, err := c.ask(context.Background(), http.MethodPost, "/api/"+kind.name+"/tools/work", "text/event-stream", q)
	if err != nil || code != http.StatusOK {
		return settle(code, text, err, nil)
	}
	latest, event := -1.0, ""
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if name, is := strings.CutPrefix(lines.Text(), "event: "); is {
			event = name
		}
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !is:
		case event == "progress":
			var p struct {
				Progress float64
				Message  string
			}
			if json.Unmarshal([]byte(data), &p) != nil || p.Message != id || p.Progress <= latest {
				return outcome{wrong: fmt.Sprintf("progress after %v: %s", latest, data)}
			}
			latest = p.Progress
		case event == "result":
			return settle(code, data, nil, holds(answerTo(kind.name, c.owner(kind), id, 0), false))
		case event == "error":
			return settle(http.StatusBadGateway, data, nil, nil)
		}
	}
	return outcome{wrong: fmt.Sprintf("the stream ends without a result: %.300s", text)}
}

// addUp uses the page of the backend.
func (c *caller) addUp(kind serverKind, id string) outcome {
	a, b := c.random.IntN(1000), c.random.IntN(1000)
	code, text, err := c.ask(context.Background(), http.MethodGet, "/", "", nil)
	if err != nil || code != http.StatusOK || !strings.Contains(text, "<strong>"+c.user+"</strong>") {
		return outcome{wrong: fmt.Sprintf("the page: status %d, %v: %.300s", code, err, text)}
	}
	response, err := c.client.PostForm(c.day.backend.site+"/sum", url.Values{"a": {fmt.Sprint(a)}, "b": {fmt.Sprint(b)}})
	if err != nil {
		return outcome{wrong: "the page of sums: " + err.Error()}
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	switch sum := fmt.Sprintf("<output>%d</output>", a+b); {
	case err != nil:
		return outcome{wrong: err.Error()}
	case response.StatusCode == http.StatusOK && strings.Contains(string(page), sum):
		return outcome{answered: true, counted: true}
	case response.StatusCode == http.StatusBadGateway:
		return outcome{counted: true, kind: transport, text: "the page says that the server does not answer"}
	default:
		return outcome{wrong: fmt.Sprintf("%d and %d: status %d: %.600s", a, b, response.StatusCode, page)}
	}
}

func (c *caller) toolFails(kind serverKind, id string) outcome {
	code, text, err := c.ask(context.Background(), http.MethodPost, "/api/"+kind.name+"/tools/refuse", "", question{Call: id, User: c.user})
	return settle(code, text, err, holds("refused "+id, true))
}

func (c *caller) listTools(kind serverKind, _ string) outcome {
	code, text, err := c.ask(context.Background(), http.MethodGet, "/api/"+kind.name+"/tools", "", nil)
	return settle(code, text, err, func(text string) string {
		var tools []struct{ Name string }
		if err := json.Unmarshal([]byte(text), &tools); err != nil {
			return err.Error()
		}
		found := map[string]bool{}
		for _, tool := range tools {
			found[tool.Name] = true
		}
		if !found["work"] || !found["refuse"] || !found["add"] || found["log"] == kind.protected {
			return fmt.Sprintf("found the tools %v", found)
		}
		return ""
	})
}

func (c *caller) readResource(kind serverKind, id string) outcome {
	code, text, err := c.ask(context.Background(), http.MethodGet, "/api/"+kind.name+"/resource?uri="+url.QueryEscape("day://item/"+id), "", nil)
	return settle(code, text, err, func(text string) string {
		var result struct{ Contents []struct{ Text string } }
		if err := json.Unmarshal([]byte(text), &result); err != nil || len(result.Contents) != 1 || result.Contents[0].Text != answerTo(kind.name, "", id, 0) {
			return fmt.Sprintf("found %.300s", text)
		}
		return ""
	})
}

func (c *caller) getPrompt(kind serverKind, id string) outcome {
	code, text, err := c.ask(context.Background(), http.MethodPost, "/api/"+kind.name+"/prompts/ask", "", map[string]string{"call": id})
	return settle(code, text, err, func(text string) string {
		var result struct {
			Messages []struct{ Content struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(text), &result); err != nil || len(result.Messages) != 1 || result.Messages[0].Content.Text != answerTo(kind.name, "", id, 0) {
			return fmt.Sprintf("found %.300s", text)
		}
		return ""
	})
}

// hangUp goes away while the tool works.
func (c *caller) hangUp(kind serverKind, id string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+c.random.IntN(50))*time.Millisecond)
	defer cancel()
	q := question{Call: id, User: c.user, Ms: 2000, Steps: 4}
	code, text, err := c.ask(ctx, http.MethodPost, "/api/"+kind.name+"/tools/work", "", q)
	if ctx.Err() != nil && err != nil {
		return outcome{hungUp: true}
	}
	return settle(code, text, err, holds(answerTo(kind.name, c.owner(kind), id, 0), false))
}

// missDeadline allows a tool less time than it takes.
func (c *caller) missDeadline(kind serverKind, id string) outcome {
	q := question{Call: id, User: c.user, Ms: 3000}
	code, text, err := c.ask(context.Background(), http.MethodPost, "/api/"+kind.name+"/tools/work?timeout=60ms", "", q)
	out := settle(code, text, err, func(text string) string { return "answered in spite of its deadline" })
	out.wanted = out.kind == timeout
	return out
}

// callDenied calls a tool that the configuration forbids.
func (c *caller) callDenied(kind serverKind, id string) outcome {
	code, text, err := c.ask(context.Background(), http.MethodPost, "/api/"+kind.name+"/tools/log", "", map[string]string{"message": id})
	out := settle(code, text, err, func(text string) string { return "answered, although it is denied" })
	out.wanted = out.kind == "denied"
	return out
}
