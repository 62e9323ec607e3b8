package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"

	"github.com/mcp-client-go/mcpclient"
)

// sessions is a toy: whoever says a name is taken for that user. Of a real backend
// only userOf is needed here: whom a request is for.
type sessions struct {
	key  []byte // signs cookies
	name *regexp.Regexp
}

const (
	sessionCookie = "webapp_user"
	// sessionKey is the variable of the environment with the key, which replicas
	// share: a user who signed in at one of them is known to all.
	sessionKey = "WEBAPP_SESSION_KEY"
)

// newSessions makes sessions that are signed with the key; "" is one that ends with
// the program.
func newSessions(key string) *sessions {
	if key == "" {
		key = rand.Text()
	}
	return &sessions{key: []byte(key), name: regexp.MustCompile(`^\pL[\pL\pN ._-]{0,39}$`)}
}

func (s *sessions) sign(name string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(name))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// userOf returns the user who is signed in, "" if nobody is.
func (s *sessions) userOf(r *http.Request) string {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	encoded, signature, _ := strings.Cut(cookie.Value, ".")
	name, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || !hmac.Equal([]byte(signature), []byte(s.sign(string(name)))) {
		return ""
	}
	return string(name)
}

// signedIn has only users in, whose calls are made for them: the context of the
// request, which ends when the browser goes away, names the user.
func (s *sessions) signedIn(serve func(w http.ResponseWriter, r *http.Request, user string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user := s.userOf(r)
		if user == "" {
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		serve(w, r.WithContext(mcpclient.WithPrincipal(r.Context(), user)), user)
	}
}

// signIn answers the form with a cookie; without a name it takes the cookie away.
func (s *sessions) signIn(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimSpace(r.PostFormValue("name"))
	if name != "" && !s.name.MatchString(name) {
		http.Error(w, "a name begins with a letter, and has at most 40 letters, digits, blanks, dots and dashes", http.StatusBadRequest)
		return
	}
	cookie := &http.Cookie{Name: sessionCookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if name == "" {
		cookie.MaxAge = -1
	} else {
		cookie.Value = base64.RawURLEncoding.EncodeToString([]byte(name)) + "." + s.sign(name)
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
