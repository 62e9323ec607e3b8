package jsonschema

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// maxDigits bounds the numbers that are compared exactly: their digits and, so
// that a short text does not become a huge number, their exponent.
const maxDigits = 1000

// rational returns the exact value of a number, and false if it has too many
// digits.
func rational(number json.Number) (*big.Rat, bool) {
	text := number.String()
	if len(text) > maxDigits {
		return nil, false
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(text[at+1:])
		if err != nil || exponent > maxDigits || exponent < -maxDigits {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// compare returns the sign of number minus limit. Numbers beyond maxDigits
// count as infinite, or as 0.
func compare(number json.Number, limit *big.Rat) int {
	if exact, ok := rational(number); ok {
		return exact.Cmp(limit)
	}
	approximate, _ := strconv.ParseFloat(number.String(), 64)
	nearest, _ := limit.Float64()
	switch {
	case approximate < nearest:
		return -1
	case approximate > nearest:
		return 1
	default:
		return 0
	}
}

// isInteger reports whether a number has no fraction: 1.0 has none.
func isInteger(number json.Number) bool {
	if !strings.ContainsAny(number.String(), ".eE") {
		return true
	}
	if exact, ok := rational(number); ok {
		return exact.IsInt()
	}
	approximate, _ := strconv.ParseFloat(number.String(), 64)
	return math.IsInf(approximate, 0) || approximate == math.Trunc(approximate) && approximate != 0
}

// isMultiple reports whether number is a multiple of the factor; of numbers
// beyond maxDigits nothing is said.
func isMultiple(number json.Number, factor *big.Rat) bool {
	exact, ok := rational(number)
	return !ok || exact.Quo(exact, factor).IsInt()
}

// count converts a limit of a count to an int, upwards or downwards.
func count(limit *big.Rat, up bool) int {
	if limit.Sign() < 0 {
		return 0
	}
	whole := new(big.Int).Quo(limit.Num(), limit.Denom())
	if up && !limit.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	if !whole.IsInt64() || whole.Int64() > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(whole.Int64())
}

// newPattern compiles a regular expression as package regexp knows it, which has
// neither lookaround nor references to groups.
func newPattern(text string) (*pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, reason(err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, reason(err)
	}
	if len(program.Inst) > maxPatternSize {
		return nil, fmt.Errorf("too large: %d steps; allowed: %d", len(program.Inst), maxPatternSize)
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, reason(err)
	}
	return &pattern{compiled, len(program.Inst)}, nil
}

// reason leaves the pattern itself out of an error's text.
func reason(err error) error {
	if problem, ok := errors.AsType[*syntax.Error](err); ok {
		return errors.New(problem.Code.String())
	}
	return err
}
