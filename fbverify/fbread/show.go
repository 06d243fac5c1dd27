package fbread

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// textLimit is the number of bytes after which a text for people leaves out the rest.
const textLimit = 4096

// Text returns what v's String returns; "?" for a view that has none.
func Text(v any) string {
	if s, ok := v.(interface{ String() string }); ok {
		return s.String()
	}
	return "?"
}

// JSON returns what v's MarshalJSON returns; an error for a view that has none.
func JSON(v any) ([]byte, error) {
	if m, ok := v.(interface{ MarshalJSON() ([]byte, error) }); ok {
		return m.MarshalJSON()
	}
	return nil, errors.New("fbread: the view has no MarshalJSON")
}

// TextOfElements returns n texts as a list, and says how many it left out after 4 KiB.
func TextOfElements(n int, text func(i int) string) string {
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if len(b) > textLimit {
			b = append(b, "… "...)
			b = strconv.AppendInt(b, int64(n-i), 10)
			b = append(b, " more"...)
			break
		}
		b = append(b, text(i)...)
	}
	return string(append(b, ']'))
}

// JSONOfElements returns n values as a JSON array.
func JSONOfElements(n int, element func(i int) ([]byte, error)) ([]byte, error) {
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		e, err := element(i)
		if err != nil {
			return nil, err
		}
		b = append(b, e...)
	}
	return append(b, ']'), nil
}

// String returns the elements as a list of their texts, cut after 4 KiB.
func (v Vector[T]) String() string {
	return TextOfElements(v.Len(), func(i int) string { return Text(v.At(i)) })
}

// MarshalJSON returns the elements as a JSON array.
func (v Vector[T]) MarshalJSON() ([]byte, error) {
	return JSONOfElements(v.Len(), func(i int) ([]byte, error) { return JSON(v.At(i)) })
}

// String returns the strings as a JSON array, cut after 4 KiB.
func (v StringVector) String() string {
	return TextOfElements(v.Len(), func(i int) string {
		s := v.At(i)
		if len(s) <= textLimit {
			return string(appendJSONString(nil, s))
		}
		return string(appendJSONString(nil, s[:textLimit])) + "…"
	})
}

// errNotUTF8 is the error of a string that JSON has no way to hold.
var errNotUTF8 = errors.New("fbread: a string is not UTF-8, and JSON holds no other")

// MarshalJSON returns the strings as a JSON array. It is an error where one is not UTF-8.
func (v StringVector) MarshalJSON() ([]byte, error) {
	return JSONOfElements(v.Len(), func(i int) ([]byte, error) {
		s := v.At(i)
		if !utf8.ValidString(s) {
			return nil, errNotUTF8
		}
		return appendJSONString(nil, s), nil
	})
}

// String returns the bools as a JSON array, cut after 4 KiB.
func (v BoolVector) String() string {
	return TextOfElements(v.Len(), func(i int) string { return strconv.FormatBool(v.At(i)) })
}

// MarshalJSON returns the bools as a JSON array.
func (v BoolVector) MarshalJSON() ([]byte, error) {
	return JSONOfElements(v.Len(), func(i int) ([]byte, error) { return strconv.AppendBool(nil, v.At(i)), nil })
}

// appendJSONString appends s as a JSON string; bytes that are not UTF-8 as U+FFFD.
func appendJSONString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069':
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
