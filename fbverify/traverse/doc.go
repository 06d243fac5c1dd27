// Package traverse holds what a traversal of unproved bytes tells, and whom.
//
// A traversal reads a FlatBuffer that nobody vouches for, by its schema, with a
// check before each read. It meets buffers, tables, fields, vectors, strings and
// structs, in the order of reading: depth first, the fields of a table by their
// ids, the elements of a vector by their index. What it meets it hands to a
// [Listener], as a value or as a broken rule. It is the same walk that
// fbverify's Explain makes, and decides by the same rules; whoever shows or
// accounts for a buffer that may be damaged listens to it, and reads no offset
// by itself.
//
// # How to write a listener
//
//	type tables struct{ n int }
//
//	func (l *tables) Enter(e *traverse.Event) traverse.Answer {
//		if e.What == traverse.Table && !e.Seen {
//			l.n++
//		}
//		return traverse.Go
//	}
//	func (l *tables) Leave(*traverse.Event) {}
//
//	err := typ.Traversal(buf, nil).Run(&tables{})
//
// Enter is called before what is inside: a table's [Field] events and what they
// lead to, the targets of a vector's elements, the root of a nested buffer. It
// answers whether to go there. Leave is called behind all that, for a buffer, a
// table or a vector that was entered. A listener that also has a method
// Fault(error) is told of the rules that the buffer breaks, where they are met;
// what a broken offset leads to is not entered.
//
// Each object is entered once. When another offset leads to it again, its event
// says [Event.Seen], and [Go] does not go into it: a listener that prints what is
// shared each time answers [Again], and bounds what it prints; the limits of the
// options on tables and bytes count for it. An object is a position and what it
// is read as: the same bytes as a table of another type are another object.
//
// The traversal keeps what was seen, in a few bits for each byte that it met
// ([Seen]), and nothing else: a listener decides what of an event to keep. Events
// and what they point to are the traversal's own, and change behind Enter.
//
// Work is bounded as that of Explain is: objects that overlap one another so much
// that entering each takes longer than eight times the bytes of the buffer end the
// traversal with an error of kind ErrOverlap. A listener that looks at the bytes of
// each object once, where it answers Go, is therefore linear in the buffer, too; what it
// skips is no work.
package traverse
