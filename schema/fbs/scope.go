package fbs

import (
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// scope is one namespace, with what is declared in it.
type scope struct {
	parent *scope
	full   string            // "" for the global one
	all    map[string]*scope // every namespace, by its full name; shared by all scopes

	objects  map[string]*symbol
	enums    map[string]*schema.Enum
	services map[string]*schema.Service
	types    map[string]span // where each object and enum of the scope is declared
}

func newScope(parent *scope, full string) *scope {
	all := map[string]*scope{}
	if parent != nil {
		all = parent.all
	}
	return &scope{
		parent: parent, full: full, all: all,
		objects: map[string]*symbol{}, enums: map[string]*schema.Enum{}, services: map[string]*schema.Service{}, types: map[string]span{},
	}
}

// symbol is a table or struct that was named, declared or not. A use before the
// declaration makes one, and the declaration fills it in.
type symbol struct {
	object   *schema.Object
	declared bool // the declaration has begun
	complete bool // and ended: a struct has its size
	place    span

	written string       // the name as first used
	from    *scope       // where
	uses    []span       // until it is declared
	enum    *schema.Enum // what the name meant there, where only a table or a struct can stand
}

// child returns the scope of that dotted name below s; without create it is nil
// where there is none. It takes one look, however many words the name has: a text may ask in
// each of 64 scopes for a name of 64 words.
func (s *scope) child(dotted string, create bool) *scope {
	if dotted == "" {
		return s
	}
	var full [2 * words.MaxName]byte
	name := full[:0]
	if s.full != "" {
		name = append(append(name, s.full...), '.')
	}
	name = append(name, dotted...)
	if found := s.all[string(name)]; found != nil || !create {
		return found
	}
	for dotted != "" {
		word, rest, _ := strings.Cut(dotted, ".")
		next := s.all[words.Qualified(s.full, word)]
		if next == nil {
			next = newScope(s, words.Qualified(s.full, word))
			s.all[next.full] = next
		}
		s, dotted = next, rest
	}
	return s
}

// object returns what a name stands for when looked up in this scope alone.
func (s *scope) object(dotted string) *symbol {
	namespace, last := words.Split(dotted)
	if s = s.child(namespace, false); s == nil {
		return nil
	}
	return s.objects[last]
}

// enum looks a name up in this scope and then in those around it.
func (s *scope) enum(dotted string) *schema.Enum {
	namespace, last := words.Split(dotted)
	for ; s != nil; s = s.parent {
		if in := s.child(namespace, false); in != nil && in.enums[last] != nil {
			return in.enums[last]
		}
	}
	return nil
}

// use returns the object that a name stands for at this point of the text, and
// makes a symbol for it where nothing of the name is known yet.
//
// The order is flatc's. A name that was used before and is still not declared
// comes first, whatever namespace it was used in; then what is declared in s and
// in the namespaces around it, from the innermost outwards.
func (r *resolver) use(s *scope, n name) *symbol {
	sym := r.known(s, n.text)
	if sym == nil {
		namespace, last := words.Split(n.text)
		sym = &symbol{object: &schema.Object{Name: n.text, MinAlign: 1}, written: n.text, from: s, enum: s.enum(n.text)}
		r.global.child(namespace, true).objects[last] = sym
		r.open = append(r.open, sym)
	}
	if !sym.declared && len(sym.uses) < schema.MaxErrors {
		sym.uses = append(sym.uses, n.span)
	}
	return sym
}

// known is use without making a symbol.
func (r *resolver) known(s *scope, text string) *symbol {
	if sym := r.global.object(text); sym != nil && !sym.declared {
		return sym
	}
	for ; s != nil; s = s.parent {
		if sym := s.object(text); sym != nil {
			return sym
		}
	}
	return nil
}

// declare returns the symbol of an object whose declaration begins, in the scope
// s: the one that uses before it made, or a new one. It is nil when there is such
// an object already.
func (r *resolver) declare(s *scope, n name) *symbol {
	sym := r.global.objects[n.text]
	if sym != nil && !sym.declared {
		if s != r.global {
			delete(r.global.objects, n.text)
		}
	} else if sym = s.objects[n.text]; sym != nil && sym.declared {
		return nil
	}
	if sym == nil {
		sym = &symbol{object: &schema.Object{MinAlign: 1}}
	}
	s.objects[n.text] = sym
	sym.declared, sym.place, sym.uses = true, n.span, nil
	sym.object.Name = words.Qualified(s.full, n.text)
	return sym
}
