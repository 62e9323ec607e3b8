package process

func browser(url string) []string { return []string{"open", url} }
