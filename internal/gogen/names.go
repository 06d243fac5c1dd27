package gogen

import (
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// initialisms are the words that Go names write in capitals throughout.
var initialisms = map[string]bool{
	"acl": true, "api": true, "ascii": true, "cpu": true, "crc": true, "crs": true, "css": true, "dns": true,
	"eof": true, "gpu": true, "guid": true, "html": true, "http": true, "https": true, "id": true, "io": true,
	"ip": true, "json": true, "lhs": true, "os": true, "ram": true, "rgb": true, "rgba": true, "rhs": true,
	"rpc": true, "sla": true, "smtp": true, "sql": true, "ssh": true, "tcp": true, "tls": true, "ttl": true,
	"udp": true, "ui": true, "uid": true, "uri": true, "url": true, "utc": true, "utf8": true, "uuid": true,
	"vm": true, "wkt": true, "xml": true, "xsrf": true, "xss": true,
}

// goName turns a name of a schema into an exported Go name:
//
//   - underscores go and the word after each starts with a capital, except that
//     an underscore between two digits stays (version_1_2 is Version1_2);
//   - a name without small letters is spelled like any other (CONV_2D is
//     Conv2D), a name with both keeps the capitals it has (LSHProjection);
//   - initialisms are in capitals (row_id and rowId are RowID);
//   - what would start with a digit, or is nothing at all, gets an X in front.
func goName(name string) string {
	shouting := name == strings.ToUpper(name)
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part == "" {
			continue
		}
		if s := b.String(); s != "" && isDigit(s[len(s)-1]) && isDigit(part[0]) {
			b.WriteByte('_')
		}
		if shouting {
			part = strings.ToLower(part)
			if isDigit(part[0]) { // 2D, not 2d
				part = strings.ToUpper(part)
			}
		}
		for _, word := range humps(part) {
			if initialisms[strings.ToLower(word)] {
				b.WriteString(strings.ToUpper(word))
			} else {
				b.WriteString(strings.ToUpper(word[:1]) + word[1:])
			}
		}
	}
	s := b.String()
	if s == "" || isDigit(s[0]) {
		return "X" + s
	}
	return s
}

// humps cuts a camelCase word before each capital that follows a small letter
// or a digit, so that rowId gives row and Id, and UTF8Name gives UTF8 and Name.
// A capital within a run of capitals stays with it: LSHProjection is one word.
func humps(s string) []string {
	var words []string
	start := 0
	for i := 1; i < len(s); i++ {
		if isUpper(s[i]) && !isUpper(s[i-1]) && (i+1 == len(s) || isLower(s[i+1]) || isLower(s[i-1])) {
			words = append(words, s[start:i])
			start = i
		}
	}
	return append(words, s[start:])
}

// paramName turns a Go name into the name of a parameter: its first word in
// small letters, with "Value" after it where the language, the generated
// function or an import has the name already.
func paramName(exported string) string {
	n := 0
	for n < len(exported) && isUpper(exported[n]) {
		n++
	}
	if n > 1 && n < len(exported) && isLower(exported[n]) {
		n-- // the last capital of a run starts the next word: IDName is idName
	}
	s := strings.ToLower(exported[:n]) + exported[n:]
	if token.IsKeyword(s) || reservedParams[s] {
		return s + "Value"
	}
	return s
}

// fieldName, typeName and valueName are the Go names of a field, a type, and a value of
// an enum or union, which has its type's in front.
func (m *model) fieldName(name string) string {
	if m.opts.Flatc {
		return flatcCamel(name)
	}
	return goName(name)
}

func (m *model) typeName(name string) string {
	if m.opts.Flatc && isUpper(name[0]) {
		return name
	}
	return goName(name)
}

func (m *model) valueName(name string) string {
	name = strings.ReplaceAll(name, ".", "_")
	if m.opts.Flatc {
		return name
	}
	return goName(name)
}

// flatcCamel spells a field's name as flatc does: each letter after an underscore is a
// capital, as is the first; all others stay.
func flatcCamel(name string) string {
	var b strings.Builder
	up := true
	for i := range len(name) {
		switch c := name[i]; {
		case up:
			b.WriteString(strings.ToUpper(string(c)))
			up = i == 0 && c == '_'
		case c == '_' && i+1 < len(name):
			up = true
		default:
			b.WriteByte(c)
		}
	}
	if s := b.String(); isUpper(s[0]) {
		return s
	}
	return "X" + b.String()
}

// param is paramName, and differs from the names of imported packages as well.
func (m *model) param(exported string) string {
	name := paramName(exported)
	if slices.ContainsFunc(m.packages, func(p *goPackage) bool { return p.alias == name }) {
		return name + "Value"
	}
	return name
}

// reservedParams are the names that generated functions use inside: their own
// variables, the packages they import and the predeclared names they need.
var reservedParams = map[string]bool{
	"b": true, "v": true, "t": true, "n": true, "i": true, "ok": true,
	"flatbuffers": true, "fbread": true, "fbverify": true, "schema": true, "bfbs": true, "math": true, "strconv": true,
	"slices": true, "strings": true, "sync": true, "cmp": true, "unsafe": true,
	"bool": true, "byte": true, "string": true, "int": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"uintptr": true, "float32": true, "float64": true, "len": true, "cap": true, "nil": true, "true": true, "false": true,
	"panic": true, "append": true, "make": true, "new": true, "any": true, "error": true,
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// scope is a set of names that must be distinct: those of a package, or those
// of one type's fields and methods.
type scope map[string]bool

// take returns the first of the names that is free, and takes it; when none is,
// the last with the lowest number from 2 up that makes it free.
func (s scope) take(names ...string) string {
	for _, name := range names {
		if !s[name] {
			s[name] = true
			return name
		}
	}
	base := names[len(names)-1]
	if isDigit(base[len(base)-1]) {
		base += "_"
	}
	for n := 2; ; n++ {
		if name := base + strconv.Itoa(n); !s[name] {
			s[name] = true
			return name
		}
	}
}

// PackageName turns the name of a schema or folder into that of a Go package:
// small letters and digits, with pkg in front where it would start with a digit
// or be a keyword. It is "fb" for a name without any.
func PackageName(name string) string {
	var b strings.Builder
	for _, c := range []byte(strings.ToLower(name)) {
		if isLower(c) || isDigit(c) {
			b.WriteByte(c)
		}
	}
	s := b.String()
	switch {
	case s == "":
		return "fb"
	case isDigit(s[0]), token.IsKeyword(s), s == "main", s == "init":
		return "pkg" + s
	}
	return s
}
