package fbs

import (
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// parser reads one file. Each method reads one construct, with the first token
// of it in p.tok, and leaves p.tok behind it. It returns false where it could not,
// the fault being reported; the callers that read lists then skip to the next
// entry, see skipEntry and skipDecl.
type parser struct {
	lexer
	tok token
	err *reporter
}

// parseFile reads the text of one file. What it could not read is missing from the
// result, and reported.
func parseFile(src *source, err *reporter) *syntaxFile {
	p := &parser{lexer: *newLexer(src, err), err: err}
	f := &syntaxFile{src: src}
	if i := strings.IndexByte(src.text, 0); i >= 0 {
		err.at(src.span(i, i+1), "a NUL byte: this is no text")
		return f
	}
	p.advance()
	if p.tok.kind == tokenEOF {
		err.at(p.tok.span, "the file is empty")
		return f
	}
	p.includes(f)
	for p.tok.kind != tokenEOF && p.tok.kind != '{' && !err.full() {
		before := p.tok.start
		d, ok := p.declaration()
		if d != nil {
			f.decls = append(f.decls, d)
		}
		if !ok {
			p.skipDecl(before)
		}
	}
	if p.tok.kind == '{' {
		f.data = p.tok.span
		p.skipJSON()
	}
	return f
}

func (p *parser) advance() { p.tok = p.next() }

// peek returns the token after the current one.
func (p *parser) peek() token {
	ahead := p.lexer
	ahead.err = nil
	return ahead.next()
}

// unexpected reports the current token.
func (p *parser) unexpected(allowed string) {
	if p.tok.kind != tokenBad {
		p.err.at(p.tok.span, "found %s, expected %s", p.tok.describe(), allowed)
	}
}

// expect takes a token of the kind, or reports the one there is.
func (p *parser) expect(kind tokenKind, allowed string) bool {
	if p.tok.kind != kind {
		p.unexpected(allowed)
		return false
	}
	p.advance()
	return true
}

// word takes an identifier.
func (p *parser) word(allowed string) (name, bool) {
	n := name{p.tok.text, p.tok.span}
	return n, p.expect(tokenIdent, allowed)
}

// dotted takes one identifier or several with dots between them.
func (p *parser) dotted(allowed string) (name, bool) {
	n, ok := p.word(allowed)
	parts := 1
	for ok && p.tok.kind == '.' {
		p.advance()
		var part name
		if part, ok = p.word("a name after the dot"); !ok {
			break
		}
		if parts++; parts > words.MaxParts || len(n.text)+len(part.text) >= words.MaxName {
			p.err.at(n.to(part.span), "this name is too long: at most %d words and %d characters are allowed", words.MaxParts, words.MaxName)
			return n, false
		}
		n.text += "." + part.text
		n.span = n.to(part.span)
	}
	return n, ok
}

// text takes a string.
func (p *parser) text(allowed string) (name, bool) {
	n := name{p.tok.text, p.tok.span}
	return n, p.expect(tokenString, allowed)
}

func (p *parser) includes(f *syntaxFile) {
	for !p.err.full() {
		before := p.tok.start
		isInclude := p.tok.is("include")
		if !isInclude && !p.tok.is("native_include") {
			return
		}
		p.advance()
		n, ok := p.text("the name of a file in quotes")
		if ok && isInclude {
			f.includes = append(f.includes, n)
		}
		if !ok || !p.expect(';', "\";\" after the name of the file") {
			p.skipDecl(before)
		}
	}
}

var declWords = []string{
	"namespace", "table", "struct", "enum", "union", "root_type", "file_identifier",
	"file_extension", "attribute", "rpc_service",
}

func isDeclWord(word string) bool {
	for _, w := range declWords {
		if w == word {
			return true
		}
	}
	return false
}

// declaration reads one. The result is nil when nothing of use was read; a table
// with a fault in it is of use, since others may refer to it.
func (p *parser) declaration() (decl, bool) {
	if p.tok.kind != tokenIdent {
		p.unexpected("a declaration: " + strings.Join(declWords, ", "))
		return nil, false
	}
	doc := p.tok.doc
	word := p.tok
	switch word.text {
	case "table", "struct":
		p.advance()
		return p.object(word.text == "struct", doc)
	case "enum", "union":
		p.advance()
		return p.enum(word.text == "union", doc)
	case "rpc_service":
		p.advance()
		return p.service(doc)
	case "namespace":
		p.advance()
		d := &namespaceDecl{name{"", word.span}}
		if p.tok.kind != ';' {
			n, ok := p.dotted("the name of a namespace, or \";\" for the global one")
			if !ok {
				return nil, false
			}
			d.name = n
		}
		return d, p.expect(';', "\";\" after the namespace")
	case "root_type":
		p.advance()
		n, ok := p.dotted("the name of a table")
		if !ok {
			return nil, false
		}
		return &rootDecl{n}, p.expect(';', "\";\" after the root type")
	case "file_identifier":
		p.advance()
		n, ok := p.text("a string of four characters")
		if !ok {
			return nil, false
		}
		return &identifierDecl{n}, p.expect(';', "\";\" after the file identifier")
	case "file_extension":
		p.advance()
		n, ok := p.text("a string without the dot")
		if !ok {
			return nil, false
		}
		return &extensionDecl{n}, p.expect(';', "\";\" after the file extension")
	case "attribute":
		p.advance()
		n := name{p.tok.text, p.tok.span}
		if p.tok.kind != tokenString && p.tok.kind != tokenIdent {
			p.unexpected("the name of an attribute, with or without quotes")
			return nil, false
		}
		p.advance()
		return &attributeDecl{n}, p.expect(';', "\";\" after the attribute")
	case "include", "native_include":
		p.err.at(word.span, "an %s has to come before all declarations", word.text)
		return nil, false
	}
	p.err.at(word.span, "found %s, expected a declaration%s: allowed are %s",
		words.Quote(word.text), words.DidYouMean(word.text, declWords), strings.Join(declWords, ", "))
	return nil, false
}

func (p *parser) object(isStruct bool, doc []string) (decl, bool) {
	kind := "table"
	if isStruct {
		kind = "struct"
	}
	d := &objectDecl{isStruct: isStruct, doc: doc}
	var ok bool
	if d.name, ok = p.word("the name of the " + kind); !ok {
		return nil, false
	}
	if d.attrs, ok = p.attributes(); !ok {
		d.partial = true
		return d, false
	}
	if !p.expect('{', "\"{\" and the fields of the "+kind) {
		d.partial = true
		return d, false
	}
	for p.tok.kind != '}' {
		if p.tok.kind == tokenEOF || p.startsDecl() {
			p.err.at(p.tok.span, "found %s, expected a field or the \"}\" of %s %s (%s)", p.tok.describe(), kind, words.Quote(d.name.text), d.name.place())
			d.partial = true
			return d, true
		}
		f, ok := p.field()
		if ok {
			d.fields = append(d.fields, f)
			continue
		}
		d.partial = true
		if p.err.full() || !p.skipEntry(';') {
			return d, true
		}
	}
	p.advance()
	return d, true
}

func (p *parser) field() (f fieldSyntax, ok bool) {
	f.doc = p.tok.doc
	if f.name, ok = p.word("the name of a field or \"}\""); !ok {
		return f, false
	}
	if !p.expect(':', "\":\" and the type of the field") {
		return f, false
	}
	if f.typ, ok = p.typ(); !ok {
		return f, false
	}
	if p.tok.kind == '=' {
		p.advance()
		if f.value, ok = p.value(0); !ok {
			return f, false
		}
	}
	if f.attrs, ok = p.attributes(); !ok {
		return f, false
	}
	after := "\";\""
	switch {
	case f.attrs != nil:
	case f.value != nil:
		after = "attributes in parentheses or \";\""
	default:
		after = "a default after \"=\", attributes in parentheses or \";\""
	}
	return f, p.expect(';', after)
}

func (p *parser) typ() (t typeSyntax, ok bool) {
	start := p.tok.span
	if p.tok.kind != '[' {
		t.name, ok = p.dotted("a type: a name, or a vector in \"[\" and \"]\"")
		t.span = t.name.span
		return t, ok
	}
	t.base = schema.Vector
	p.advance()
	if p.tok.kind == '[' {
		p.err.at(p.tok.span, "a vector of vectors is not possible: wrap the inner one in a table")
		return t, false
	}
	if t.name, ok = p.dotted("the type of the elements"); !ok {
		return t, false
	}
	if p.tok.kind == ':' {
		p.advance()
		t.base = schema.Array
		t.length = name{p.tok.text, p.tok.span}
		if !p.expect(tokenInt, "the number of elements, 1 to 65535") {
			return t, false
		}
	}
	t.span = start.to(p.tok.span)
	return t, p.expect(']', "\"]\" after the type of the elements")
}

func (p *parser) enum(isUnion bool, doc []string) (decl, bool) {
	kind := "enum"
	if isUnion {
		kind = "union"
	}
	d := &enumDecl{isUnion: isUnion, doc: doc}
	var ok bool
	if d.name, ok = p.word("the name of the " + kind); !ok {
		return nil, false
	}
	switch {
	case p.tok.kind == ':':
		p.advance()
		t, ok := p.typ()
		if !ok {
			return d, false
		}
		d.underlying = &t
	case !isUnion:
		p.unexpected("\":\" and the integer type of the enum's values, such as \"ubyte\"")
		return d, false
	}
	if d.attrs, ok = p.attributes(); !ok {
		return d, false
	}
	if !p.expect('{', "\"{\" and the values of the "+kind) {
		return d, false
	}
	for p.tok.kind != '}' {
		v, ok := p.enumValue(isUnion)
		if ok {
			d.values = append(d.values, v)
		} else if p.err.full() || !p.skipEntry(',') {
			return d, true
		}
		if p.tok.kind == ',' {
			p.advance()
			continue
		}
		if ok && p.tok.kind != '}' {
			p.unexpected("\",\" or \"}\" after a value")
			if !p.skipEntry(',') {
				return d, true
			}
		}
	}
	p.advance()
	return d, true
}

func (p *parser) enumValue(isUnion bool) (v enumValueSyntax, ok bool) {
	v.doc = p.tok.doc
	if isUnion {
		v.name, ok = p.dotted("a member of the union or \"}\"")
		if ok && p.tok.kind == ':' {
			p.advance()
			t, ok := p.typ()
			if !ok {
				return v, false
			}
			v.typ = &t
		}
	} else {
		v.name, ok = p.word("a value of the enum or \"}\"")
	}
	if !ok {
		return v, false
	}
	if p.tok.kind == '=' {
		p.advance()
		v.value = &name{p.tok.text, p.tok.span}
		if !p.expect(tokenInt, "an integer") {
			return v, false
		}
	}
	v.attrs, ok = p.attributes()
	return v, ok
}

func (p *parser) service(doc []string) (decl, bool) {
	d := &serviceDecl{doc: doc}
	var ok bool
	if d.name, ok = p.word("the name of the rpc_service"); !ok {
		return nil, false
	}
	if d.attrs, ok = p.attributes(); !ok {
		return d, false
	}
	if !p.expect('{', "\"{\" and the methods of the service") {
		return d, false
	}
	if p.tok.kind == '}' {
		p.unexpected("a method: a service has at least one")
		p.advance()
		return d, true
	}
	for p.tok.kind != '}' {
		c, ok := p.callDecl()
		if ok {
			d.calls = append(d.calls, c)
		} else if p.err.full() || !p.skipEntry(';') {
			return d, true
		}
	}
	p.advance()
	return d, true
}

func (p *parser) callDecl() (c callSyntax, ok bool) {
	c.doc = p.tok.doc
	if c.name, ok = p.word("the name of a method or \"}\""); !ok {
		return c, false
	}
	if !p.expect('(', "\"(\" and the request's table") {
		return c, false
	}
	if c.request, ok = p.dotted("the name of the request's table"); !ok {
		return c, false
	}
	if !p.expect(')', "\")\" after the request's table") || !p.expect(':', "\":\" and the response's table") {
		return c, false
	}
	if c.response, ok = p.dotted("the name of the response's table"); !ok {
		return c, false
	}
	if c.attrs, ok = p.attributes(); !ok {
		return c, false
	}
	return c, p.expect(';', "\";\" after the method")
}
