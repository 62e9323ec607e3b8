package config

import (
	"reflect"
	"strconv"
	"strings"
)

func (d *decoder) duration(path string, n *node, zeroAllowed bool, target *Duration) bool {
	if n.kind != kindText && n.kind != kindNumber {
		return d.mismatch(path, n, durationSyntax)
	}
	text, ok := d.text(path, n, durationSyntax)
	if !ok {
		return false
	}
	if n.kind == kindNumber && !hasLeadingZero(n.text) {
		// Only the format knows what 0x10 and 1_000 mean.
		text = formatNumber(n.value)
	}
	parsed, wrong := parseDuration(text)
	if wrong == nil {
		wrong = parsed.check(zeroAllowed)
	}
	if wrong != nil {
		return d.refuse(path, n, wrong, n.show())
	}
	*target = parsed
	return true
}

// secret keeps the text as written, after a trial that finds missing references;
// nobody is asked for input yet.
func (d *decoder) secret(path string, n *node, target *Secret) bool {
	switch n.kind {
	case kindText:
		c := d.section.scopeOf(n)
		*target = newSecret(n.text, c)
		_, problems := c.expandEach(n.text, c.trial, func(string, string) {})
		return d.tell(path, n, problems)
	case kindBool, kindNumber:
		*target = LiteralSecret(n.text)
		return true
	default:
		return d.mismatch(path, n, "a string")
	}
}

// scalar decodes strings, booleans and numbers. A string takes any scalar as it
// was written; a string that is a boolean or a number passes for one.
func (d *decoder) scalar(path string, n *node, dst reflect.Value) bool {
	wanted := wantedScalar(dst.Type())
	text, ok := d.text(path, n, wanted)
	if !ok {
		return false
	}
	var wrong *ValueError
	switch dst.Kind() {
	case reflect.String:
		dst.SetString(text)
	case reflect.Bool:
		wrong = setBool(n, text, dst, wanted)
	default:
		wrong = setNumber(n, text, dst, wanted)
	}
	if wrong != nil {
		return d.refuse(path, n, wrong, n.show())
	}
	return true
}

func setBool(n *node, text string, dst reflect.Value, wanted string) *ValueError {
	switch {
	case n.kind == kindBool:
		dst.SetBool(n.value == true)
	case n.kind == kindText && (text == "true" || text == "false"):
		dst.SetBool(text == "true")
	default:
		return &ValueError{Message: "not a boolean", Allowed: wanted}
	}
	return nil
}

// setNumber decodes an integer or a float.
func setNumber(n *node, text string, dst reflect.Value, wanted string) *ValueError {
	digits, wrong := numberText(n, text, dst.CanFloat(), wanted)
	if wrong != nil {
		return wrong
	}
	bits := dst.Type().Bits()
	var err error
	switch {
	case dst.CanFloat():
		var float float64
		float, err = strconv.ParseFloat(digits, bits)
		dst.SetFloat(float)
	case dst.CanUint():
		var integer uint64
		integer, err = strconv.ParseUint(strings.TrimPrefix(digits, "+"), 10, bits)
		dst.SetUint(integer)
	default:
		var integer int64
		integer, err = strconv.ParseInt(digits, 10, bits)
		dst.SetInt(integer)
	}
	if isRangeError(err) {
		return &ValueError{Message: "the number is out of range", Allowed: wanted}
	}
	if err != nil {
		return &ValueError{Message: "not " + wanted, Allowed: wanted}
	}
	return nil
}

// numberText returns the decimal text of a number: of a string the string, of
// what the format says is a number its value, except that a float keeps its
// spelling where an integer is wanted, so that 1.0 is not one.
func numberText(n *node, text string, float bool, wanted string) (string, *ValueError) {
	_, isFloat := n.value.(float64)
	switch {
	case n.kind != kindText && n.kind != kindNumber:
		return "", &ValueError{Message: "not " + wanted, Allowed: wanted}
	case isDecimal(text) && hasLeadingZero(text):
		return "", leadingZeroError(wanted)
	case n.kind == kindNumber && (float || !isFloat):
		text = formatNumber(n.value)
	}
	if !isDecimal(text) { // not a number, NaN, an infinity
		return "", &ValueError{Message: "not " + wanted, Allowed: wanted}
	}
	return text, nil
}

func wantedScalar(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true, false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number of 0 or more"
	default:
		return "a whole number"
	}
}
