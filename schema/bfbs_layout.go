package schema

import (
	"fmt"
	"strconv"
)

// settleLayout gives every struct of a loaded schema the layout that the format
// prescribes, and fails where the file claims another. Files of early writers say
// nothing about padding, which is then no claim.
func settleLayout(objects []*Object) error {
	l := layouter{state: make(map[*Object]layoutState, len(objects))}
	for _, o := range objects {
		var err error
		if o.IsStruct {
			err = l.structure(o)
		} else {
			err = settleTable(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settleTable checks where the fields of a table have their entries in vtables.
func settleTable(o *Object) error {
	o.MinAlign, o.ByteSize = 1, 0
	for _, f := range o.Fields {
		slot := 4 + 2*f.ID
		if f.Offset != slot && f.Offset != 0 {
			return fmt.Errorf("%s.%s: the file claims the vtable offset %d for the field with id %d; it is %d", o.Name, f.Name, f.Offset, f.ID, slot)
		}
		f.Offset, f.Padding = slot, 0
	}
	return nil
}

type layoutState uint8

const (
	untouched layoutState = iota
	inProgress
	settled
)

type layouter struct {
	state map[*Object]layoutState
}

func (l *layouter) structure(o *Object) error {
	switch l.state[o] {
	case settled:
		return nil
	case inProgress:
		return fmt.Errorf("the struct %s contains itself", o.Name)
	}
	l.state[o] = inProgress
	claimed := *o
	fields := make([]Field, len(o.Fields))
	for i, f := range o.Fields {
		fields[i] = *f
		element := f.Type
		if element.Base == Array {
			if element.FixedLength < 1 {
				return fmt.Errorf("%s.%s: an array of no elements", o.Name, f.Name)
			}
			element = element.ElementType()
		}
		switch {
		case element.IsScalar():
		case element.IsStruct():
			if err := l.structure(element.Object); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s.%s: a struct cannot have a field of type %s", o.Name, f.Name, f.Type)
		}
	}
	if err := layoutStruct(o, max(claimed.MinAlign, 0)); err != nil {
		return err
	}
	for i, f := range o.Fields {
		if fields[i].Offset != f.Offset {
			return fmt.Errorf("%s.%s: the file claims the offset %d; it is %d", o.Name, f.Name, fields[i].Offset, f.Offset)
		}
		if fields[i].Padding != f.Padding && fields[i].Padding != 0 {
			return fmt.Errorf("%s.%s: the file claims %d bytes of padding after it; there are %d", o.Name, f.Name, fields[i].Padding, f.Padding)
		}
	}
	if claimed.MinAlign != o.MinAlign || claimed.ByteSize != o.ByteSize {
		return fmt.Errorf("the file claims %d bytes aligned to %d for the struct %s; it has %d aligned to %d",
			claimed.ByteSize, claimed.MinAlign, o.Name, o.ByteSize, o.MinAlign)
	}
	l.forceAlign(o)
	l.state[o] = settled
	return nil
}

// forceAlign puts the attribute back where the file left out built-in ones and the
// alignment shows that there was one.
func (l *layouter) forceAlign(o *Object) {
	natural := 1
	for _, f := range o.Fields {
		natural = max(natural, f.Type.Align())
	}
	if _, ok := o.Attribute("force_align"); ok || o.MinAlign == natural {
		return
	}
	o.Attributes = sorted(append(o.Attributes, Attribute{"force_align", strconv.Itoa(o.MinAlign)}), func(a Attribute) string { return a.Key })
}
