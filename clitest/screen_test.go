package clitest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// screen is what a terminal shows: of its language as much as the program speaks.
type screen struct {
	rows [][]rune
	row  int
	col  int
}

// newScreen shows a text.
func newScreen(text string) *screen {
	s := &screen{rows: [][]rune{nil}}
	sequence := regexp.MustCompile(`^\x1b\[(\d*)([A-Za-z])`)
	for text != "" {
		if found := sequence.FindStringSubmatch(text); found != nil {
			s.obey(found[2], found[1])
			text = text[len(found[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		s.put(r)
	}
	return s
}

func (s *screen) put(r rune) {
	switch r {
	case '\r':
		s.col = 0
	case '\n':
		s.row, s.col = s.row+1, 0
		if s.row == len(s.rows) {
			s.rows = append(s.rows, nil)
		}
	default:
		for len(s.rows[s.row]) <= s.col {
			s.rows[s.row] = append(s.rows[s.row], ' ')
		}
		s.rows[s.row][s.col] = r
		s.col++
	}
}

func (s *screen) obey(command, parameter string) {
	switch command {
	case "K":
		s.rows[s.row] = nil
	case "A":
		n, _ := strconv.Atoi(parameter)
		s.row = max(s.row-max(n, 1), 0)
	}
}

// lines returns what is there, without empty lines at the end.
func (s *screen) lines() []string {
	var lines []string
	for _, row := range s.rows {
		lines = append(lines, strings.TrimRight(string(row), " "))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func TestScreen(t *testing.T) {
	assert.Equal(t, []string{"one", "two"}, newScreen("one\nthree\r\x1b[2Ktwo\n").lines())
	assert.Equal(t, []string{"x"}, newScreen("a\nb\r\x1b[2K\x1b[1A\x1b[2K\x1b[31mx\x1b[0m").lines())
}
