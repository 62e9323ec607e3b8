package config

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// encodeReflected makes nodes of Go values that are not what a parser gives:
// structs with config tags, typed maps, slices and scalars, pointers to them.
// FromServers documents the rules.
func encodeReflected(value any, at *place, origin Origin) (*node, error) {
	return encodeValue(reflect.ValueOf(value), at, origin, 0)
}

// encodeGo makes the node of a value that was in no file.
func encodeGo(value any) (*node, error) { return encodeReflected(value, nil, Origin{}) }

func encodeValue(v reflect.Value, at *place, origin Origin, depth int) (*node, error) {
	if !v.IsValid() { // what a nil interface or pointer holds
		return newNode(nil, nil, origin)
	}
	if depth > deepest {
		return nil, fmt.Errorf("the value is nested more than %d levels deep, or contains itself", deepest)
	}
	switch v.Kind() {
	case reflect.Interface:
		return encodeValue(v.Elem(), at, origin, depth)
	case reflect.Pointer: // a level, since it may point at itself
		return encodeValue(v.Elem(), at, origin, depth+1)
	}
	if scalar, err := encodeKnownType(v, origin); scalar != nil || err != nil {
		return scalar, err
	}
	switch v.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return encodeScalar(v, origin)
	case reflect.Map:
		return encodeMap(v, at, origin, depth)
	case reflect.Slice, reflect.Array:
		return encodeList(v, at, origin, depth)
	case reflect.Struct:
		return encodeStruct(v, origin, depth)
	}
	return nil, fmt.Errorf("a Go value of type %s cannot be configuration", v.Type())
}

// encodeKnownType handles types that stand for a scalar: those that decode
// themselves are kept as they are, for a field of the same type.
func encodeKnownType(v reflect.Value, origin Origin) (*node, error) {
	switch value := v.Interface().(type) {
	case Duration, Secret, EnvFile:
		return &node{kind: kindOpaque, value: value, text: fmt.Sprint(value), origin: origin}, nil
	case time.Duration:
		return &node{kind: kindOpaque, value: Of(value), text: value.String(), origin: origin}, nil
	case time.Time:
		return newText(formatTime(value), origin), nil
	}
	if reflect.PointerTo(v.Type()).Implements(reflect.TypeFor[Unmarshaler]()) {
		return &node{kind: kindOpaque, value: v.Interface(), text: v.Type().String(), origin: origin}, nil
	}
	if number, ok := newNumber(v.Interface(), "", origin); ok {
		return number, nil
	}
	if marshaler, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := marshaler.MarshalText()
		if err != nil {
			return nil, fmt.Errorf("a Go value of type %s does not become text: %w", v.Type(), err)
		}
		return newText(string(text), origin), nil
	}
	return nil, nil
}

func encodeScalar(v reflect.Value, origin Origin) (*node, error) {
	switch v.Kind() {
	case reflect.Bool:
		return newNode(v.Bool(), nil, origin)
	case reflect.String:
		return newText(v.String(), origin), nil
	case reflect.Float32:
		// By way of its shortest text, so that 0.1 does not become 0.10000000149.
		float, err := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', -1, 32), 64)
		if err != nil {
			return nil, err
		}
		return newNode(float, nil, origin)
	case reflect.Float64:
		return newNode(v.Float(), nil, origin)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return newNode(v.Uint(), nil, origin)
	default:
		return newNode(v.Int(), nil, origin)
	}
}

func encodeMap(v reflect.Value, at *place, origin Origin, depth int) (*node, error) {
	if v.IsNil() {
		return newNode(nil, nil, origin)
	}
	names, values := make([]string, 0, v.Len()), map[string]reflect.Value{}
	for _, key := range v.MapKeys() {
		name := fmt.Sprint(key.Interface())
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("the key %s is given twice, with two types", shownKey(name))
		}
		names, values[name] = append(names, name), v.MapIndex(key)
	}
	slices.Sort(names)
	result := newMap(origin)
	for _, name := range names {
		field, err := encodeElement(values[name], at.field(name), origin, depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shownKey(name), err)
		}
		result.set(name, field)
	}
	return result, nil
}

func encodeList(v reflect.Value, at *place, origin Origin, depth int) (*node, error) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return newNode(nil, nil, origin)
	}
	list := &node{kind: kindList, origin: origin}
	for i := range v.Len() {
		item, err := encodeElement(v.Index(i), at.item(i), origin, depth)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		list.items = append(list.items, item)
	}
	return list, nil
}

func encodeElement(v reflect.Value, at *place, origin Origin, depth int) (*node, error) {
	return encodeValue(v, at, origin, depth+1)
}

// encodeStruct writes the fields that are not zero. An embedded struct becomes
// part of its parent.
func encodeStruct(v reflect.Value, origin Origin, depth int) (*node, error) {
	shape, err := shapeOf(v.Type())
	if err != nil {
		return nil, err
	}
	result := newMap(origin)
	for _, field := range shape.fields {
		value := v.FieldByIndex(field.index)
		if isZeroField(value) {
			continue
		}
		encoded, err := encodeElement(value, nil, origin, depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field.name, err)
		}
		if encoded.kind == kindMap && len(encoded.keys) == 0 && value.Kind() == reflect.Struct {
			continue
		}
		result.set(field.name, encoded)
	}
	return result, nil
}

func isZeroField(v reflect.Value) bool {
	if zeroer, ok := v.Interface().(interface{ IsZero() bool }); ok && v.Kind() != reflect.Pointer {
		return zeroer.IsZero()
	}
	return v.IsZero()
}
