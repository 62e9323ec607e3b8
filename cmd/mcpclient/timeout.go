package main

import (
	"math"
	"strconv"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// timeoutFlag is the value of --timeout: a Go duration, or a number of seconds
// as in a configuration file.
type timeoutFlag struct{ length time.Duration }

// Set reads the value. The command line's parser puts the value before the
// error.
func (f *timeoutFlag) Set(text string) error {
	length, err := time.ParseDuration(text)
	if seconds, isNumber := strconv.ParseFloat(text, 64); isNumber == nil && !math.IsNaN(seconds) {
		if math.Abs(seconds) > math.MaxInt64/float64(time.Second) {
			return errors.New("longer than this program can wait")
		}
		length, err = time.Duration(seconds*float64(time.Second)), nil
	}
	switch {
	case err != nil:
		return errors.New("wanted: a duration such as 30s or 1m30s, or a number of seconds")
	case length < 0:
		return errors.New("it must not be negative")
	}
	f.length = length
	return nil
}

// String is the default that help shows, none.
func (f *timeoutFlag) String() string { return "" }

// Type names the value in help.
func (f *timeoutFlag) Type() string { return "duration" }
