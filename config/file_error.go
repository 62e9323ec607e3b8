package config

import (
	"bytes"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
)

// fileError is a *errors.ServerConfigurationError about a file as a whole, with
// the reason of the operating system for errors.Is.
type fileError struct {
	configuration *errors.ServerConfigurationError
	cause         error
}

func (e *fileError) Error() string   { return e.configuration.Error() }
func (e *fileError) Unwrap() []error { return []error{e.configuration, e.cause} }

// failure returns the error for one fault of a file.
func failure(at Origin, message string) error {
	return &errors.ServerConfigurationError{Faults: []errors.Fault{faultAt(at, message)}}
}

// failureAllowing is failure with what would be right.
func failureAllowing(at Origin, message, allowed string) error {
	fault := faultAt(at, message)
	fault.Allowed = allowed
	return &errors.ServerConfigurationError{Faults: []errors.Fault{fault}}
}

func faultAt(at Origin, message string) errors.Fault {
	if at.Variable != "" {
		return errors.Fault{File: at.String(), Message: message}
	}
	return errors.Fault{File: at.File, Line: at.Line, Column: at.Column, Message: message}
}

func duplicateKey(key string, at, first Origin) error {
	return failure(at, fmt.Sprintf("the key %s is given twice, first in line %d", shownKey(key), first.Line))
}

// deepest is how many levels of maps and lists a configuration may have.
const deepest = 100

func tooDeep(at Origin) error {
	return failure(at, fmt.Sprintf("maps and lists are nested more than %d levels deep", deepest))
}

// mostValues bounds the values of one file: reading them takes a second at most.
const mostValues = 200_000

func tooMany(at *positions) error {
	return failure(Origin{File: at.name}, fmt.Sprintf("the file has more than %d values, which is no configuration", mostValues))
}

// mayHold is how many values a text can have at most, each of which needs one of
// the signs. It is counted before the text is read, since that would take long.
func mayHold(data []byte, signs string) int {
	count := 1
	for _, sign := range []byte(signs) {
		count += bytes.Count(data, []byte{sign})
	}
	return count
}
