package jsonrpc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnsweredIDs(t *testing.T) { // R001, P19
	for text, want := range map[string][]uint64{
		``:                                      nil,
		`null`:                                  nil,
		`{}`:                                    nil,
		`{"jsonrpc":"2.0","id":7,"result":{}}x`: {7},
		`{"jsonrpc":"2.0","id":"7","error":{}}`: {7},
		`{"id":7,"result":1}{"id":8,"error":1}`: {7, 8},
		` [ {"id":7,"result":1} , {"id":8,"method":"x"}, {"jsonrpc":"2.0","id":9} ]`: {7, 9},
		`[[{"id":7,"result":1}]]`:                   {7},
		`{"jsonrpc":"2.0","id":7,"result":{`:        {7},
		`{"jsonrpc":"2.0","id":7,"method":"x"}`:     nil,
		`{"id":7,"method":"x","result":{}}`:         {7},
		`{"id":7}`:                                  nil,
		`{"id":7,"result":null}`:                    nil,
		`{"id":7,"result":null,"jsonrpc":"2.0"}`:    {7},
		`{"id":"x","result":1}`:                     nil,
		`{"id":null,"error":{}}`:                    nil,
		`{"id":-1,"result":1}`:                      nil,
		`{"data":{"id":7,"result":1}}`:              nil,
		`"{\"id\":7,\"result\":1}"`:                 nil,
		`{"id":7,"result":1} garbage {"id":8`:       {7},
		`{"id":7,"id":8,"result":1}`:                {7},
		`{"result":"a \" quote","id":7}`:            {7},
		`{"id":18446744073709551615,"result":1}`:    {18446744073709551615},
		`{"id":18446744073709551616,"result":true}`: nil,
	} {
		require.Equal(t, want, slices.Collect(AnsweredIDs([]byte(text))), text)
	}
	for range AnsweredIDs([]byte(`{"id":7,"result":1}{"id":8,"result":1}`)) {
		break // ends
	}
}

// On any text at all it ends.
func FuzzAnsweredIDs(f *testing.F) {
	f.Add([]byte(`[{"jsonrpc":"2.0","id":7,"result":{"a":[1,"\u0041"]}},`))
	f.Fuzz(func(t *testing.T, text []byte) {
		require.LessOrEqual(t, len(slices.Collect(AnsweredIDs(text))), len(text))
	})
}
