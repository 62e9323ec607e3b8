package transporters

import (
	"net/http"
	"strconv"
	"time"
)

// RetryAfter returns how long a Retry-After header asks to wait, given as
// seconds or as a date; 0 if there is none, or none that can be read.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
