package fbs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// attributes checks the attributes of a field and sets what they stand for.
func (fb *fieldBuilder) attributes() {
	f := fb.f
	if a, ok := fb.attrs.get("deprecated"); ok {
		f.Deprecated = true
		if fb.o.IsStruct {
			fb.fail(a.place, "a field of a struct cannot be deprecated: it is part of the layout")
		}
	}
	if a, ok := fb.attrs.get("id"); ok && !fb.o.IsStruct {
		fb.hasID(f, a)
	}
	fb.wide()
	if a, ok := fb.attrs.get("key"); ok {
		fb.setKey(a)
	}
	fb.hash()
	if a, ok := fb.attrs.get("shared"); ok && f.Type.Base != schema.String {
		fb.fail(a.place, "only strings can be shared, and the type here is %s", f.Type)
	}
	if a, ok := fb.attrs.get("native_custom_alloc"); ok {
		fb.fail(a.place, "native_custom_alloc is an attribute of tables and structs, not of fields")
	}
	if a, ok := fb.attrs.get("native_inline"); ok && !f.Type.IsStruct() && !(f.Type.IsVector() && f.Type.Element == schema.Obj) {
		fb.fail(a.place, "native_inline is for structs and vectors of tables or structs, and the type here is %s", f.Type)
	}
	bytes := f.Type.IsVector() && f.Type.Element == schema.UByte
	if a, ok := fb.attrs.get("nested_flatbuffer"); ok {
		switch {
		case a.syntax == nil || a.syntax.kind != tokenString:
			fb.fail(a.at(), "nested_flatbuffer needs the name of the root table in quotes")
		case !bytes:
			fb.fail(a.place, "only a vector [ubyte] can hold a nested_flatbuffer, and the type here is %s", f.Type)
		default:
			// The name counts as a use of the table, as any other.
			sym := fb.r.use(fb.r.scope, name{a.Value, a.syntax.span})
			fb.r.nested = append(fb.r.nested, nestedUse{fb.o, f, sym, a.syntax.span})
		}
	}
	if a, ok := fb.attrs.get("flexbuffer"); ok && (!bytes || f.Type.Base != schema.Vector) {
		fb.fail(a.place, "only a vector [ubyte] can hold a flexbuffer, and the type here is %s", f.Type)
	}
}

// wide handles vector64 and offset64.
func (fb *fieldBuilder) wide() {
	f := fb.f
	a, ok := fb.attrs.get("vector64")
	if ok {
		if f.Type.Base != schema.Vector {
			fb.fail(a.place, "only a vector can be a vector64, and the type here is %s", f.Type)
			return
		}
		f.Type.Base, f.Offset64 = schema.Vector64, true
	}
	if b, ok := fb.attrs.get("offset64"); ok {
		a, f.Offset64 = b, true
	}
	if !f.Offset64 {
		return
	}
	if f.Type.Base != schema.String && !f.Type.IsVector() {
		fb.fail(a.place, "only strings and vectors can have 64-bit offsets, and the type here is %s", f.Type)
	} else if f.Type.IsVector() && !f.Type.CanBeWide() {
		fb.fail(a.place, "only vectors of plain scalars and of structs declared before can have 64-bit offsets, not %s", f.Type)
	}
}

func (fb *fieldBuilder) setKey(a attr) {
	f := fb.f
	f.Key = true
	if fb.key != nil {
		fb.fail(a.place, "%s has the key %s already, and can have only one", fb.o.Name, words.Quote(fb.key.Name))
		return
	}
	fb.key = f
	if !f.Type.CanBeKey() {
		fb.fail(a.place, "a key is a scalar, a string, a struct declared before or an array of scalars or structs, not %s", f.Type)
	}
}

// hash handles hash and the attributes that build on it.
func (fb *fieldBuilder) hash() {
	t := fb.f.Type
	if t.IsVector() {
		t = t.ElementType()
	}
	a, hashed := fb.attrs.get("hash")
	if hashed {
		bits := 8 * t.Base.Size()
		switch t.Base {
		case schema.Short, schema.UShort, schema.Int, schema.UInt, schema.Long, schema.ULong:
			known := []string{"fnv1_" + strconv.Itoa(bits), "fnv1a_" + strconv.Itoa(bits)}
			if !slices.Contains(known, a.Value) {
				fb.fail(a.at(), "there is no hash %s for %d bits: allowed are %s", words.Quote(a.Value), bits, strings.Join(known, " and "))
			}
		default:
			fb.fail(a.place, "only short, ushort, int, uint, long and ulong can hold a hash, and the type here is %s", fb.f.Type)
		}
	}
	if a, ok := fb.attrs.get("cpp_type"); ok {
		if !hashed {
			fb.fail(a.place, "cpp_type is for fields with a hash")
		} else if !fb.attrs.has("cpp_ptr_type") {
			fb.attrs = append(fb.attrs, attr{Attribute: schema.Attribute{Key: "cpp_ptr_type", Value: "naked"}, place: a.place})
		}
	}
}
