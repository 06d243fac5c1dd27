package fbs

import (
	"fmt"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// constant is the value of a default.
type constant struct {
	kind tokenKind // tokenInt, tokenFloat, tokenString, '[' for [] and tokenIdent for null

	integer int64
	real    float64
	text    string // of a string

	// zero says that flatc has this for no default at all: it keeps the text of a
	// default, and that of none is "0".
	zero bool
}

func (c constant) null() bool { return c.kind == tokenIdent }

// constant works out a default for a field of type t.
func (r *resolver) constant(t schema.Type, v *valueSyntax) (constant, bool) {
	switch {
	case v.function != "":
		return r.callValue(t, v)
	case v.kind == '[':
		if !t.IsVector() {
			r.err.at(v.span, "[] is a default for vectors, and the type here is %s", t)
			return constant{}, false
		}
		return constant{kind: '['}, true
	case t.IsVector():
		r.err.at(v.span, "found %s, but the only default a vector can have is []", words.Quote(v.text))
		return constant{}, false
	case t.Base == schema.String:
		if v.kind != tokenString {
			r.err.at(v.span, "found %s, expected a string in quotes as the default of a string", words.Quote(v.text))
			return constant{}, false
		}
		return constant{kind: tokenString, text: v.text, zero: v.text == "0"}, true
	case !t.IsScalar():
		r.err.at(v.span, "a field of type %s cannot have a default", t)
		return constant{}, false
	}
	if v.kind == tokenString && !v.plain {
		r.err.at(v.span, "in a string that stands for a %s only printable ASCII without escapes is allowed", t)
		return constant{}, false
	}
	isWord := v.kind == tokenString || v.kind == tokenIdent
	if isWord && v.text == "null" {
		return constant{kind: tokenIdent}, true
	}
	if t.IsFloat() {
		return r.floatValue(t, v)
	}
	if t.Base == schema.Bool && isWord && (v.text == "true" || v.text == "false") {
		c := constant{kind: tokenInt, zero: v.text == "false"}
		if !c.zero {
			c.integer = 1
		}
		return c, true
	}
	if isWord && t.Base != schema.Bool && v.text != "" && words.IsLetter(v.text[0]) {
		return r.enumWords(t, v)
	}
	if v.kind == tokenFloat {
		r.err.at(v.span, "found the float %s, expected %s", words.Quote(v.text), integerAllowed(t))
		return constant{}, false
	}
	text := v.text
	if v.kind == tokenString {
		text = strings.TrimRight(text, " ")
	}
	n, err := schema.ParseInteger(text, t.Base)
	if err != nil {
		r.err.at(v.span, "%v: expected %s", err, integerAllowed(t))
		return constant{}, false
	}
	return constant{kind: tokenInt, integer: n, zero: n == 0}, true
}

// integerAllowed says what a default of an integer type can be.
func integerAllowed(t schema.Type) string {
	least, most := t.Base.Range()
	switch {
	case t.Base == schema.Bool:
		return "true, false or null"
	case t.Enum != nil:
		return fmt.Sprintf("a value of %s, an integer from %d to %d, or null", t.Enum.Name, least, most)
	}
	return fmt.Sprintf("an integer from %d to %d, \"Enum.Value\" in quotes, or null", least, most)
}

func (r *resolver) floatValue(t schema.Type, v *valueSyntax) (constant, bool) {
	text := v.text
	if v.kind == tokenString {
		text = strings.TrimRight(text, " ")
	}
	// A hexadecimal number for a float has to have its exponent.
	if i := strings.IndexAny(text, "0123456789."); i >= 0 && v.kind != tokenFloat {
		if rest := strings.ToLower(text[i:]); strings.HasPrefix(rest, "0x") && !strings.ContainsRune(rest, 'p') {
			r.err.at(v.span, "a hexadecimal number for a %s needs an exponent, such as 0x1p0", t)
			return constant{}, false
		}
	}
	f, ok := parseFloat(text)
	if !ok {
		r.err.at(v.span, "found %s, expected a number, nan, inf, -inf, null, or a call such as rad(180)", words.Quote(v.text))
		return constant{}, false
	}
	return constant{kind: tokenFloat, real: f, zero: text == "0"}, true
}

// callValue works out a call such as rad(180).
func (r *resolver) callValue(t schema.Type, v *valueSyntax) (constant, bool) {
	if !t.IsFloat() {
		r.err.at(v.span, "the call of %s is a default for floats, and the type here is %s", words.Quote(v.function), t)
		return constant{}, false
	}
	call, ok := functions[v.function]
	if !ok {
		known := []string{"deg", "rad", "sin", "cos", "tan", "asin", "acos", "atan"}
		r.err.at(v.span, "there is no function %s%s: allowed are %s", words.Quote(v.function), words.DidYouMean(v.function, known), strings.Join(known, ", "))
		return constant{}, false
	}
	c, ok := r.constant(t, v.argument)
	if !ok {
		return c, false
	}
	if c.null() {
		r.err.at(v.argument.span, "null is no number")
		return c, false
	}
	c.real, _ = roundResult(call(c.real))
	c.kind, c.zero = tokenFloat, false
	return c, true
}

// enumWords works out names of enum values: one, or several with spaces between
// them in a string, whose bits are or-ed. For a plain integer each has to be
// written with its enum.
func (r *resolver) enumWords(t schema.Type, v *valueSyntax) (constant, bool) {
	var bits int64
	for _, word := range strings.Split(v.text, " ") {
		e, valueName := t.Enum, word
		if e == nil {
			enumName, rest, dotted := strings.Cut(word, ".")
			if !dotted {
				r.err.at(v.span, "found the name %s, expected %s", words.Quote(word), integerAllowed(t))
				return constant{}, false
			}
			if e = r.scope.enum(enumName); e == nil {
				r.err.at(v.span, "there is no enum %s%s", words.Quote(enumName), r.suggest(enumName))
				return constant{}, false
			}
			valueName = rest
		}
		value := r.enumValue(e, valueName)
		if value == nil {
			r.err.at(v.span, "the enum %s has no value %s%s", e.Name, words.Quote(valueName), words.DidYouMean(valueName, valueNames(e)))
			return constant{}, false
		}
		bits |= value.Value
	}
	if !t.Base.Fits(bits) {
		least, most := t.Base.Range()
		r.err.at(v.span, "%s is %d, which does not fit %s, whose values are %d to %d", words.Quote(v.text), bits, t.Base, least, most)
		return constant{}, false
	}
	return constant{kind: tokenInt, integer: bits, zero: bits == 0}, true
}

// enumValue is [Enum.Value] for many questions.
func (r *resolver) enumValue(e *schema.Enum, name string) *schema.EnumValue {
	byName := r.values[e]
	if byName == nil {
		byName = make(map[string]*schema.EnumValue, len(e.Values))
		for _, v := range e.Values {
			byName[v.Name] = v
		}
		r.values[e] = byName
	}
	return byName[name]
}

func valueNames(e *schema.Enum) []string {
	var list []string
	for _, v := range e.Values {
		list = append(list, v.Name)
	}
	return list
}
