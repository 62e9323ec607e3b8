package dispatch

import (
	"runtime"
	"strings"
)

// IsListener reports whether it is called from a listener, on the goroutine of a
// queue, of whichever one. Who is must not wait for what waits for listeners.
//
// A goroutine has no name to go by, but its stack tells where it began. Looking
// takes some microseconds: it is for what is done rarely, such as closing.
func IsListener() bool {
	var counters [64]uintptr
	for skip := 2; ; skip += len(counters) {
		n := runtime.Callers(skip, counters[:])
		if n == 0 {
			return false
		}
		frames := runtime.CallersFrames(counters[:n])
		for more := true; more; {
			var frame runtime.Frame
			if frame, more = frames.Next(); strings.HasSuffix(frame.Function, "/internal/dispatch.(*Queue).run") {
				return true
			}
		}
		if n < len(counters) {
			return false
		}
	}
}
