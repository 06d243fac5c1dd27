package fbverify

import (
	"errors"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/fbverify/internal/show"
	"github.com/fbverify/go/schema"
)

// TypeFor returns the compiled type that T is a view of. Its Schema and Root describe
// the table.
func TypeFor[T View[T]]() *Type {
	var view T
	return view.FlatBuffersType()
}

// String returns the root table as JSON, cut after 4 KiB: see the method of views.
func (v Verified[T]) String() string {
	if v.IsZero() {
		return "null"
	}
	return fbread.Text(v.root)
}

// MarshalJSON returns the root table as JSON, null for the zero Verified: see the
// method of views.
func (v Verified[T]) MarshalJSON() ([]byte, error) {
	if v.IsZero() {
		return []byte("null"), nil
	}
	return fbread.JSON(v.root)
}

// UnmarshalJSON is an error: a Verified is had from a verification, and JSON has
// none of the bytes.
func (v *Verified[T]) UnmarshalJSON([]byte) error { return errUnmarshal }

var errUnmarshal = errors.New("fbverify: a Verified cannot be read from JSON: dynamic.EncodeJSON makes the bytes, and Root verifies them")

// TextUnchecked is what a view's String returns: the table as JSON, cut after 4 KiB, "…"
// in the place of what is left out. It is for generated code, which vouches for table
// being a t. A program that does not import package dynamic, which has what prints,
// gets the table's type and a word about that.
func (t *Type) TextUnchecked(table fbread.Table) string {
	if show.Table == nil {
		return notLinked(t.Root().Name)
	}
	text, err := show.Table(nil, t.Schema(), t.Root(), table, show.TextLimit)
	return finish(text, err)
}

// JSONUnchecked is what a view's MarshalJSON returns: the table as JSON that flatc reads,
// whole. It is for generated code, which vouches for table being a t. It is an error
// where package dynamic, which has what prints, is not imported, where a string is not
// UTF-8, and beyond 256 MiB, which a buffer that shares its tables can come to.
func (t *Type) JSONUnchecked(table fbread.Table) ([]byte, error) {
	if show.Table == nil {
		return nil, show.ErrNotLinked
	}
	return show.Table(nil, t.Schema(), t.Root(), table, 0)
}

// UnionTextUnchecked is TextUnchecked for a value of the union of that name.
func UnionTextUnchecked(s *schema.Schema, union string, kind int64, value fbread.UnionValue) string {
	if show.Union == nil {
		return notLinked(union)
	}
	text, err := show.Union(nil, s, union, kind, value, show.TextLimit)
	return finish(text, err)
}

// UnionJSONUnchecked is JSONUnchecked for a value of the union of that name: an object
// with the member's name, type, and value.
func UnionJSONUnchecked(s *schema.Schema, union string, kind int64, value fbread.UnionValue) ([]byte, error) {
	if show.Union == nil {
		return nil, show.ErrNotLinked
	}
	return show.Union(nil, s, union, kind, value, 0)
}

func notLinked(name string) string {
	return "<" + name + `: import _ "github.com/fbverify/go/fbverify/dynamic" to see it>`
}

// finish says in the text what ended it.
func finish(text []byte, err error) string {
	if err != nil {
		return string(text) + "… <" + err.Error() + ">"
	}
	return string(text)
}
