package fbs

import (
	"github.com/fbverify/go/schema"
)

// The syntax tree of one .fbs file: what was written, before any name in it means
// something.

// name is a word of the text, or several with dots.
type name struct {
	text string
	span
}

type syntaxFile struct {
	src      *source
	includes []name // as written, in their order
	decls    []decl
	data     span // the "{" of data after the declarations; src is nil for none
}

// decl is a declaration after the includes: one of the types below.
type decl interface{ declNode() }

type namespaceDecl struct{ name name } // "" is the global one

type rootDecl struct{ name name }

type identifierDecl struct{ text name }

type extensionDecl struct{ text name }

type attributeDecl struct{ name name }

type objectDecl struct {
	name     name
	isStruct bool
	attrs    []attrSyntax
	fields   []fieldSyntax
	doc      []string
	partial  bool // some fields could not be read
}

type fieldSyntax struct {
	name  name
	typ   typeSyntax
	value *valueSyntax // the default; nil for none
	attrs []attrSyntax
	doc   []string
}

type enumDecl struct {
	name       name
	isUnion    bool
	underlying *typeSyntax // nil for a union that does not say
	attrs      []attrSyntax
	values     []enumValueSyntax
	doc        []string
}

type enumValueSyntax struct {
	name  name        // dotted for a union's member
	typ   *typeSyntax // a union's member with an alias
	value *name       // the number as written
	attrs []attrSyntax
	doc   []string
}

type serviceDecl struct {
	name  name
	attrs []attrSyntax
	calls []callSyntax
	doc   []string
}

type callSyntax struct {
	name              name
	request, response name
	attrs             []attrSyntax
	doc               []string
}

func (*namespaceDecl) declNode() {}

func (*rootDecl) declNode() {}

func (*identifierDecl) declNode() {}

func (*extensionDecl) declNode() {}

func (*attributeDecl) declNode() {}

func (*objectDecl) declNode() {}

func (*enumDecl) declNode() {}

func (*serviceDecl) declNode() {}

// typeSyntax is a type: a name, a vector of one, or a fixed array of one.
type typeSyntax struct {
	span
	base   schema.BaseType // None, Vector or Array
	name   name            // of the type itself or of the elements
	length name            // of an array, as written
}

// attrSyntax is one attribute of a list in parentheses.
type attrSyntax struct {
	name  name
	value *valueSyntax
}

// valueSyntax is a default or the value of an attribute.
type valueSyntax struct {
	span
	kind  tokenKind // tokenIdent, tokenString, tokenInt, tokenFloat or '[' for []
	text  string    // a sign before a name is part of it
	plain bool      // see token

	function string // of a call such as rad(180); "" for none
	argument *valueSyntax
}
