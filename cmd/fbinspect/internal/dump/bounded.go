package dump

import (
	"fmt"
	"io"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
)

// mostText is how many bytes are printed of a FlatBuffer: what is shared is printed each time,
// so that a few bytes of hostile data stand for very many. What is not shared is a byte in a
// line of its own at the most, behind spaces and a name; with defaults, as many of these as
// the widest table has fields.
func (d *Dumper) mostText(typ *fbverify.Type, bytes int64) int64 {
	if d.MaxText > 0 {
		return d.MaxText
	}
	const line, level, few = 64, 32, 1 << 20 // a line of text, levels of indentation, what anybody may print
	each := int64(line)
	if d.AsJSON {
		each += int64(level * d.JSON.Indent)
	} else {
		each += level * 2
	}
	if d.Tree.Defaults {
		each += int64(line * d.widestOf(typ) / 4) // the smallest table has four bytes
	}
	return max(few, bytes*each)
}

// widestOf is how many fields the widest table of a type's schema has.
func (d *Dumper) widestOf(typ *fbverify.Type) int {
	if d.widest.typ != typ {
		d.widest.typ, d.widest.fields = typ, 0
		for _, o := range typ.Schema().Objects {
			d.widest.fields = max(d.widest.fields, len(o.Fields))
		}
	}
	return d.widest.fields
}

// TooLong is the error of a FlatBuffer whose text is longer than may be printed, Most bytes.
type TooLong struct{ Most int64 }

func (e *TooLong) Error() string {
	return fmt.Sprintf("it is more than %s of text, since what is shared is printed each time: --path, --limit or --depth print less of it, and --max-text N allows more", ui.Bytes(e.Most))
}

// bounded is what a part is printed to.
type bounded struct {
	w          io.Writer
	left, most int64
}

// Write writes all of p, or what is left, and then there is an error.
func (b *bounded) Write(p []byte) (n int, err error) {
	if b.left -= int64(len(p)); b.left >= 0 {
		return b.w.Write(p)
	}
	if n, err = b.w.Write(p[:max(0, b.left+int64(len(p)))]); err == nil {
		err = &TooLong{b.most}
	}
	b.left = 0
	return n, err
}
