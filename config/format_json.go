package config

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/knadh/koanf/parsers/json"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The values of a JSON file come from koanf's parser; the tokens give positions
// and the digits of numbers, of which the values, being float64, keep 53 bits.

// Comments and commas behind the last item are blanked out first, byte for byte,
// so that positions stay: many of the files at hand are written for people.

func parseJSON(at *positions) (map[string]any, *place, error) {
	at.data = withoutComments(at.data)
	var whole stdjson.RawMessage
	if err := stdjson.Unmarshal(at.data, &whole); err != nil {
		return nil, nil, jsonFailure(at, err)
	}
	scanner := &jsonScanner{at: at, decoder: stdjson.NewDecoder(bytes.NewReader(at.data))}
	scanner.decoder.UseNumber()
	start := at.at(scanner.next())
	places, err := scanner.value(start, 0)
	if err != nil {
		return nil, nil, err
	}
	if places.fields == nil {
		return nil, nil, notAMap(start)
	}
	values, err := json.Parser().Unmarshal(at.data)
	if err != nil {
		return nil, nil, jsonFailure(at, err)
	}
	return values, places, nil
}

// jsonFailure places a syntax error at the byte that could not be read.
func jsonFailure(at *positions, err error) error {
	origin := Origin{File: at.name}
	if syntax, ok := errors.AsType[*stdjson.SyntaxError](err); ok {
		origin = at.at(int(syntax.Offset) - 1)
	}
	return failure(origin, "not valid JSON: "+unquoted(err.Error()))
}

type jsonScanner struct {
	at      *positions
	decoder *stdjson.Decoder
	values  int
}

// next is the offset at which the next token begins.
func (s *jsonScanner) next() int {
	ahead := s.at.data[s.decoder.InputOffset():]
	return len(s.at.data) - len(bytes.TrimLeft(ahead, " \t\r\n,:"))
}

func (s *jsonScanner) value(origin Origin, depth int) (*place, error) {
	if depth > deepest {
		return nil, tooDeep(origin)
	}
	if s.values++; s.values > mostValues {
		return nil, tooMany(s.at)
	}
	start := s.next()
	token, err := s.decoder.Token()
	if err != nil {
		return nil, jsonFailure(s.at, err)
	}
	switch token {
	case stdjson.Delim('{'):
		return s.object(origin, depth)
	case stdjson.Delim('['):
		return s.array(origin, depth)
	default:
		end := int(s.decoder.InputOffset())
		return &place{origin: origin, written: string(s.at.data[start:end])}, nil
	}
}

func (s *jsonScanner) object(origin Origin, depth int) (*place, error) {
	result := newMapPlace(origin)
	for s.decoder.More() {
		keyOrigin := s.at.at(s.next())
		token, err := s.decoder.Token()
		if err != nil {
			return nil, jsonFailure(s.at, err)
		}
		key := token.(string) // the file is known to be valid
		if first, twice := result.fields[key]; twice {
			return nil, duplicateKey(key, keyOrigin, first.origin)
		}
		field, err := s.value(keyOrigin, depth+1)
		if err != nil {
			return nil, err
		}
		result.set(key, field)
	}
	return result, s.close()
}

func (s *jsonScanner) array(origin Origin, depth int) (*place, error) {
	result := &place{origin: origin}
	for s.decoder.More() {
		item, err := s.value(s.at.at(s.next()), depth+1)
		if err != nil {
			return nil, err
		}
		result.items = append(result.items, item)
	}
	return result, s.close()
}

// close reads the closing brace or bracket.
func (s *jsonScanner) close() error {
	if _, err := s.decoder.Token(); err != nil {
		return jsonFailure(s.at, err)
	}
	return nil
}
