package mcptest

// severity orders the log levels of RFC 5424, debug being 0. An unknown one is
// -1.
func severity(level string) int {
	for i, name := range [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
		if name == level {
			return i
		}
	}
	return -1
}
