package main

// grouped is text by what it has in common, in the order in which that came first.
type grouped struct {
	keys []string
	text map[string][]string
}

func (g *grouped) add(key, text string) {
	if g.text == nil {
		g.text = map[string][]string{}
	}
	if g.text[key] == nil {
		g.keys = append(g.keys, key)
	}
	g.text[key] = append(g.text[key], text)
}
