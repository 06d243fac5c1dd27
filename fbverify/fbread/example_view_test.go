package fbread_test

import (
	"github.com/fbverify/go/fbverify/fbread"
)

// The views of this schema, written by hand as fbgen writes them:
//
//	table Hier         { a:ulong; …; h:ulong; intermediate:Intermediate; }
//	table Intermediate { a:ulong; …; h:ulong; leaf:Leaf; }
//	table Leaf         { a:ulong; …; i:ulong; }

// Hier is a view of the table Hier.
type Hier fbread.Of[Hier]

// Present tells whether the table is there; an absent one reads as defaults.
func (v Hier) Present() bool { return fbread.Present(fbread.Unchecked(v)) }

// A returns the field a, 0 where it is absent.
func (v Hier) A() uint64 { return fbread.Uint64(fbread.Unchecked(v), 4, 0) }

// H returns the field h, 0 where it is absent.
func (v Hier) H() uint64 { return fbread.Uint64(fbread.Unchecked(v), 18, 0) }

// Intermediate returns the table in the field intermediate.
func (v Hier) Intermediate() Intermediate {
	return fbread.Child[Intermediate](fbread.Unchecked(v), 20)
}

// Intermediate is a view of the table Intermediate.
type Intermediate fbread.Of[Intermediate]

// A returns the field a, 0 where it is absent.
func (v Intermediate) A() uint64 { return fbread.Uint64(fbread.Unchecked(v), 4, 0) }

// Leaf returns the table in the field leaf.
func (v Intermediate) Leaf() Leaf { return fbread.Child[Leaf](fbread.Unchecked(v), 20) }

// Leaf is a view of the table Leaf.
type Leaf fbread.Of[Leaf]

func (v Leaf) A() uint64 { return fbread.Uint64(fbread.Unchecked(v), 4, 0) }
func (v Leaf) B() uint64 { return fbread.Uint64(fbread.Unchecked(v), 6, 0) }
func (v Leaf) C() uint64 { return fbread.Uint64(fbread.Unchecked(v), 8, 0) }
func (v Leaf) D() uint64 { return fbread.Uint64(fbread.Unchecked(v), 10, 0) }
func (v Leaf) E() uint64 { return fbread.Uint64(fbread.Unchecked(v), 12, 0) }
func (v Leaf) F() uint64 { return fbread.Uint64(fbread.Unchecked(v), 14, 0) }
func (v Leaf) G() uint64 { return fbread.Uint64(fbread.Unchecked(v), 16, 0) }
func (v Leaf) H() uint64 { return fbread.Uint64(fbread.Unchecked(v), 18, 0) }
func (v Leaf) I() uint64 { return fbread.Uint64(fbread.Unchecked(v), 20, 0) }

// The vtables that Create functions write when every field is set.
const (
	vtableHier         fbread.VTable = "\x16\x00\x50\x00\x08\x00\x10\x00\x18\x00\x20\x00\x28\x00\x30\x00\x38\x00\x40\x00\x04\x00"
	vtableIntermediate fbread.VTable = vtableHier
	vtableLeaf         fbread.VTable = "\x16\x00\x4c\x00\x04\x00\x0c\x00\x14\x00\x1c\x00\x24\x00\x2c\x00\x34\x00\x3c\x00\x44\x00"
)

// HierFixed is a view of a table Hier whose vtable, and those of the tables that
// its methods return as fixed views, are the ones that Create functions write.
type HierFixed fbread.FixedOf[HierFixed]

// View returns the table as an ordinary view.
func (v HierFixed) View() Hier { return fbread.As[Hier](fbread.TableOf(fbread.UncheckedFixed(v))) }

// Fixed returns v as a fixed view, if it and the tables below it are laid out as
// Create functions do with every field set. Ask once, and keep the answer.
func (v Hier) Fixed() (f HierFixed, ok bool) {
	m, ok := fbread.Match[HierFixed](fbread.Unchecked(v), vtableHier)
	if !ok {
		return f, false
	}
	if _, ok := m.View().Intermediate().Fixed(); !ok {
		return f, false
	}
	return m, true
}

// A returns the field a.
func (v HierFixed) A() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 8) }

// Intermediate returns the table in the field intermediate.
func (v HierFixed) Intermediate() IntermediateFixed {
	return fbread.FixedAt[IntermediateFixed](fbread.UncheckedFixed(v), 4)
}

// IntermediateFixed is to Intermediate what HierFixed is to Hier.
type IntermediateFixed fbread.FixedOf[IntermediateFixed]

// View returns the table as an ordinary view.
func (v IntermediateFixed) View() Intermediate {
	return fbread.As[Intermediate](fbread.TableOf(fbread.UncheckedFixed(v)))
}

// Fixed is to Intermediate what Hier's is to Hier.
func (v Intermediate) Fixed() (f IntermediateFixed, ok bool) {
	m, ok := fbread.Match[IntermediateFixed](fbread.Unchecked(v), vtableIntermediate)
	if !ok {
		return f, false
	}
	if _, ok := m.View().Leaf().Fixed(); !ok {
		return f, false
	}
	return m, true
}

// Leaf returns the table in the field leaf.
func (v IntermediateFixed) Leaf() LeafFixed {
	return fbread.FixedAt[LeafFixed](fbread.UncheckedFixed(v), 4)
}

// LeafFixed is to Leaf what HierFixed is to Hier.
type LeafFixed fbread.FixedOf[LeafFixed]

// Present tells whether the table is there. Nothing can be read from one that is
// not.
func (v LeafFixed) Present() bool { return fbread.PresentFixed(fbread.UncheckedFixed(v)) }

// Fixed is to Leaf what Hier's is to Hier.
func (v Leaf) Fixed() (f LeafFixed, ok bool) {
	return fbread.Match[LeafFixed](fbread.Unchecked(v), vtableLeaf)
}

func (v LeafFixed) A() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 4) }
func (v LeafFixed) B() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 12) }
func (v LeafFixed) C() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 20) }
func (v LeafFixed) D() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 28) }
func (v LeafFixed) E() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 36) }
func (v LeafFixed) F() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 44) }
func (v LeafFixed) G() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 52) }
func (v LeafFixed) H() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 60) }
func (v LeafFixed) I() uint64 { return fbread.Uint64At(fbread.UncheckedFixed(v), 68) }
