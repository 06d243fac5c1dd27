package fbs

import (
	"github.com/fbverify/go/schema/internal/words"
)

// maxNesting is how deep function calls in a default, and data after a schema, may
// be nested; flatc's number.
const maxNesting = 64

// value reads a default or the value of an attribute. depth is the number of
// calls around it.
func (p *parser) value(depth int) (*valueSyntax, bool) {
	v := &valueSyntax{span: p.tok.span, kind: p.tok.kind, text: p.tok.text, plain: p.tok.plain}
	const allowed = "a value: a number, a name, a string or []"
	switch v.kind {
	case '+', '-':
		sign := string(rune(v.kind))
		p.advance()
		if p.tok.kind != tokenIdent {
			p.unexpected("a name after the sign, such as \"inf\"")
			return nil, false
		}
		v.kind, v.text, v.span = tokenIdent, sign+p.tok.text, v.to(p.tok.span)
	case '[':
		p.advance()
		v.span = v.to(p.tok.span)
		return v, p.expect(']', "\"]\": the only default a vector can have is []")
	case tokenIdent, tokenString, tokenInt, tokenFloat:
	default:
		p.unexpected(allowed)
		return nil, false
	}
	call := p.tok.call
	p.advance()
	// An enum's value is written without its enum, but people try with.
	if v.kind == tokenIdent && p.tok.kind == '.' {
		p.err.at(v.to(p.tok.span), "found a name with a dot: write the name of the enum's value alone, or \"Enum.Value\" in quotes where the type is a plain integer")
		return nil, false
	}
	if !call {
		return v, true
	}
	if depth == maxNesting {
		p.err.at(v.span, "more than %d calls inside one another", maxNesting)
		return nil, false
	}
	v.function = v.text
	p.advance()
	var ok bool
	if v.argument, ok = p.value(depth + 1); !ok {
		return nil, false
	}
	v.span = v.to(p.tok.span)
	return v, p.expect(')', "\")\" after the argument of "+words.Quote(v.function))
}

// attributes reads the list in parentheses, if there is one.
func (p *parser) attributes() ([]attrSyntax, bool) {
	if p.tok.kind != '(' {
		return nil, true
	}
	p.advance()
	var list []attrSyntax
	for {
		a := attrSyntax{name: name{p.tok.text, p.tok.span}}
		if p.tok.kind != tokenIdent && p.tok.kind != tokenString {
			p.unexpected("the name of an attribute")
			return nil, false
		}
		p.advance()
		if p.tok.kind == ':' {
			p.advance()
			v, ok := p.value(0)
			if !ok {
				return nil, false
			}
			a.value = v
		}
		list = append(list, a)
		if p.tok.kind == ')' {
			p.advance()
			return list, true
		}
		if !p.expect(',', "\",\" or \")\" after an attribute") {
			return nil, false
		}
	}
}

// skipJSON passes over data after the declarations. flatc can keep both in one
// file and ends reading declarations at the first brace; the data is not part of
// the schema, and is only looked at for its brackets and strings.
func (p *parser) skipJSON() {
	start := p.tok.span
	var open []tokenKind
	for {
		switch k := p.tok.kind; k {
		case '{', '[':
			if len(open) == maxNesting {
				p.err.at(p.tok.span, "the data is nested more than %d deep", maxNesting)
				return
			}
			open = append(open, k+2) // the closing one, in ASCII
		case '}', ']':
			if open[len(open)-1] != k {
				p.unexpected("\"" + string(rune(open[len(open)-1])) + "\" in the data after the schema")
				return
			}
			open = open[:len(open)-1]
		case tokenEOF:
			p.err.at(start, "the data that starts here has no end: %d brackets are not closed", len(open))
			return
		case tokenBad:
			return
		}
		p.advance()
		if len(open) == 0 {
			break
		}
	}
	if p.tok.kind != tokenEOF {
		p.unexpected("the end of the file after the data: declarations have to come before")
	}
}
