package fbs

// After a fault the parser goes on with the next entry of the list it is in, or
// with the next declaration, so that one parse finds all faults of a text.

// startsDecl reports whether the token looks like the start of a declaration
// although a field could stand here: so a forgotten brace is found where it is
// missing, and not at the end of the file.
func (p *parser) startsDecl() bool {
	if p.tok.kind != tokenIdent || !p.tok.newline || !isDeclWord(p.tok.text) {
		return false
	}
	return p.peek().kind != ':'
}

// skipEntry skips to the next entry of a list in braces: behind the next
// separator ";", or to the next ",", and not past the closing brace. It returns
// false when the list ended with the file or the start of a declaration.
func (p *parser) skipEntry(separator tokenKind) bool {
	depth := 0
	for {
		switch p.tok.kind {
		case tokenEOF:
			return false
		case separator:
			if depth == 0 || separator == ';' {
				if separator == ';' {
					p.advance()
				}
				return true
			}
		case '(', '[', '{':
			depth++
		case ')', ']':
			depth = max(depth-1, 0)
		case '}':
			if depth == 0 || separator == ';' {
				return true
			}
			depth--
		case tokenIdent:
			if p.startsDecl() && p.peek().kind == tokenIdent {
				return false
			}
		}
		p.advance()
	}
}

// skipDecl skips to where the next declaration may start: behind a ";" outside of
// braces, behind the closing brace, or to a word that starts a declaration at the
// start of a line. It moves at least past the token at offset before.
func (p *parser) skipDecl(before int) {
	depth := 0
	if p.tok.kind != tokenEOF && p.tok.start == before {
		p.advance()
	}
	for {
		switch p.tok.kind {
		case tokenEOF:
			return
		case ';':
			if depth == 0 {
				p.advance()
				return
			}
		case '{':
			depth++
		case '}':
			depth--
			if depth <= 0 {
				p.advance()
				return
			}
		case tokenIdent:
			if p.startsDecl() && (depth == 0 || p.peek().kind == tokenIdent) {
				return
			}
		}
		p.advance()
	}
}
