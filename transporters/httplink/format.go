package httplink

import "fmt"

// String renders the configuration without secrets, query and user of the URLs
// included.
func (c Config) String() string {
	type plain Config // without methods
	c.BaseURL = displayURL(c.BaseURL)
	return fmt.Sprintf("%+v", plain(c))
}

// Format prints, for every verb, what String returns.
func (c Config) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, c.String()) }

// Format prints, for every verb, the server's name and the address without user
// and query.
func (l *Link) Format(state fmt.State, _ rune) {
	if l == nil {
		_, _ = fmt.Fprint(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "http link to %q at %s", l.server, displayURL(l.cfg.BaseURL))
}

// Format prints, for every verb, the server's name and the address of the stream
// without user and query.
func (s *SSELink) Format(state fmt.State, _ rune) {
	if s == nil {
		_, _ = fmt.Fprint(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "sse link to %q at %s", s.http.server, displayURL(s.http.cfg.BaseURL))
}
