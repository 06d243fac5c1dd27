package bfbs

import (
	"fmt"
	"strconv"

	"github.com/fbverify/go/schema"
)

// settleLayout gives every struct of a loaded schema the layout that the format
// prescribes, and fails where the file claims another. Files of early writers say
// nothing about padding, which is then no claim.
func settleLayout(objects []*schema.Object) error {
	claims := make(map[*schema.Object]layoutClaim)
	for _, o := range objects {
		if !o.IsStruct {
			if err := settleTable(o); err != nil {
				return err
			}
			continue
		}
		claim := layoutClaim{o.MinAlign, o.ByteSize, make([]fieldClaim, len(o.Fields))}
		for i, f := range o.Fields {
			if err := fitsStruct(o, f); err != nil {
				return err
			}
			claim.fields[i] = fieldClaim{f.Offset, f.Padding}
		}
		claims[o] = claim
	}
	if err := schema.LayoutAll(objects); err != nil {
		return err
	}
	for _, o := range objects {
		if !o.IsStruct {
			continue
		}
		if err := claims[o].compare(o); err != nil {
			return err
		}
		forceAlign(o)
	}
	return nil
}

// layoutClaim is what a file says about the layout of a struct.
type layoutClaim struct {
	minAlign, byteSize int
	fields             []fieldClaim
}

type fieldClaim struct{ offset, padding int }

// fitsStruct reports an error for a field that no struct can have, since a layout
// is made of fields that have a size.
func fitsStruct(o *schema.Object, f *schema.Field) error {
	element := f.Type
	if element.Base == schema.Array {
		if element.FixedLength < 1 {
			return fmt.Errorf("%s.%s: an array of no elements", o.Name, f.Name)
		}
		element = element.ElementType()
	}
	if !element.IsScalar() && !element.IsStruct() {
		return fmt.Errorf("%s.%s: a struct cannot have a field of type %s", o.Name, f.Name, f.Type)
	}
	return nil
}

func (c layoutClaim) compare(o *schema.Object) error {
	for i, f := range o.Fields {
		if claim := c.fields[i]; claim.offset != f.Offset {
			return fmt.Errorf("%s.%s: the file claims the offset %d; it is %d", o.Name, f.Name, claim.offset, f.Offset)
		} else if claim.padding != f.Padding && claim.padding != 0 {
			return fmt.Errorf("%s.%s: the file claims %d bytes of padding after it; there are %d", o.Name, f.Name, claim.padding, f.Padding)
		}
	}
	if c.minAlign != o.MinAlign || c.byteSize != o.ByteSize {
		return fmt.Errorf("the file claims %d bytes aligned to %d for the struct %s; it has %d aligned to %d",
			c.byteSize, c.minAlign, o.Name, o.ByteSize, o.MinAlign)
	}
	return nil
}

// settleTable checks where the fields of a table have their entries in vtables.
func settleTable(o *schema.Object) error {
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

// forceAlign puts the attribute back where the file left out built-in ones and the
// alignment shows that there was one.
func forceAlign(o *schema.Object) {
	natural := 1
	for _, f := range o.Fields {
		natural = max(natural, f.Type.Align())
	}
	if _, ok := o.Attribute("force_align"); ok || o.MinAlign == natural {
		return
	}
	o.Attributes = sorted(append(o.Attributes, schema.Attribute{Key: "force_align", Value: strconv.Itoa(o.MinAlign)}), func(a schema.Attribute) string { return a.Key })
}
