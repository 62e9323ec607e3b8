//go:build !windows && !darwin

package process

func browser(url string) []string { return []string{"xdg-open", url} }
