package process

// No shell takes part: its start command would read & within a URL.
func browser(url string) []string { return []string{"rundll32", "url.dll,FileProtocolHandler", url} }
