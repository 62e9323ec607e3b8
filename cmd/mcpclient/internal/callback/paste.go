package callback

import (
	"bufio"
	"io"
	"net/url"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// maxPastedBytes bounds a pasted line.
const maxPastedBytes = 64 << 10

// Pasted reads lines until one is an answer to the login with the state: the URL
// that the browser ended at, its query, or the code alone, which the user vouches
// for. Of other lines it complains. The error says that no line is left.
func Pasted(lines io.Reader, state string, complain func(string)) (Answer, error) {
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, maxPastedBytes)
	for scanner.Scan() {
		text := strings.Trim(strings.TrimSpace(scanner.Text()), `"'<>`)
		if text == "" {
			continue
		}
		query, err := parse(text, state)
		if err == nil {
			return Answer{Query: query}, nil
		}
		complain(err.Error())
	}
	if err := scanner.Err(); err != nil {
		return Answer{}, err
	}
	return Answer{}, errors.New("nothing was pasted")
}

func parse(text, state string) (url.Values, error) {
	if !strings.Contains(text, "code=") && !strings.Contains(text, "error=") && !strings.ContainsAny(text, " \t?:") {
		return url.Values{"code": {text}, "state": {state}}, nil
	}
	if _, query, found := strings.Cut(text, "?"); found {
		text = query
	}
	text, _, _ = strings.Cut(text, "#")
	query, err := url.ParseQuery(text)
	switch {
	case err != nil || !query.Has("code") && !query.Has("error"):
		return nil, errors.New("that is not where the browser ends: its address has a code in it, or an error")
	case query.Get("state") != state:
		return nil, errors.New("that is the answer to another login: open the address that is shown above, and paste what the browser ends at")
	}
	return query, nil
}
