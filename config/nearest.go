package config

import "strings"

// Nearest returns the known word closest to found, for "did you mean ...?", or ""
// if none is close.
func Nearest(found string, known []string) string { return nearest(found, known) }

// nearest returns the known word closest to found, or "" if none is close:
// the same but for case and separators, or few edits away for its length. Words may
// be a peer's, of any length: one that cannot be close costs nothing.
func nearest(found string, known []string) string {
	if len(found) > longestShown {
		return ""
	}
	best, bestDistance := "", 1+min(3, max(1, len(found)/3))
	for _, word := range known {
		if len(word) > longestShown {
			continue
		}
		if distance := wordDistance(found, word); distance < bestDistance {
			best, bestDistance = word, distance
		}
	}
	return best
}

// wordDistance is 0 for baseUrl and base_url, otherwise the edit distance.
func wordDistance(a, b string) int {
	if plainWord(a) == plainWord(b) {
		return 0
	}
	return editDistance(strings.ToLower(a), strings.ToLower(b))
}

func plainWord(word string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(word))
}

// editDistance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b, on bytes.
func editDistance(a, b string) int {
	var beforeLast []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last = last, row
	}
	return last[len(b)]
}
