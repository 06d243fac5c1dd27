package arrow

import fb "github.com/fbverify/go/generated/arrow"

// layouts are the buffers of a column by its type, a dense union's where it is a union, in versions before 5.
var layouts = [...][]BufferKind{
	fb.TypeNull:            {},
	fb.TypeInt:             {Validity, Values},
	fb.TypeFloatingPoint:   {Validity, Values},
	fb.TypeBinary:          {Validity, Offsets, Data},
	fb.TypeUTF8:            {Validity, Offsets, Data},
	fb.TypeBool:            {Validity, Values},
	fb.TypeDecimal:         {Validity, Values},
	fb.TypeDate:            {Validity, Values},
	fb.TypeTime:            {Validity, Values},
	fb.TypeTimestamp:       {Validity, Values},
	fb.TypeInterval:        {Validity, Values},
	fb.TypeList:            {Validity, Offsets},
	fb.TypeStruct:          {Validity},
	fb.TypeUnion:           {Validity, TypeIDs, Offsets},
	fb.TypeFixedSizeBinary: {Validity, Values},
	fb.TypeFixedSizeList:   {Validity},
	fb.TypeMap:             {Validity, Offsets},
	fb.TypeDuration:        {Validity, Values},
	fb.TypeLargeBinary:     {Validity, Offsets, Data},
	fb.TypeLargeUTF8:       {Validity, Offsets, Data},
	fb.TypeLargeList:       {Validity, Offsets},
	fb.TypeRunEndEncoded:   {Validity},
	fb.TypeBinaryView:      {Validity, Views},
	fb.TypeUTF8View:        {Validity, Views},
	fb.TypeListView:        {Validity, Offsets, Sizes},
	fb.TypeLargeListView:   {Validity, Offsets, Sizes},
}

// BuffersOf returns the kinds of the buffers that a column of a type has in a batch of a version, in their order
// and without those of its children; of a type that is not known, none. mode is looked at for unions only. Behind the
// buffers of a column of views come as many of kind [Data] as the next of the batch's variadicBufferCounts says. A
// column with a dictionary has the buffers of TypeInt. The list is shared, and not to be written to.
func BuffersOf(t fb.Type, mode fb.UnionMode, v fb.MetadataVersion) []BufferKind {
	if int(t) >= len(layouts) {
		return nil
	}
	list := layouts[t]
	if t == fb.TypeUnion && mode != fb.UnionModeDense {
		list = list[:2:2]
	}
	if (t == fb.TypeUnion || t == fb.TypeRunEndEncoded) && v >= fb.MetadataVersionV5 { // which took their bitmap away
		list = list[1:]
	}
	return list
}

// hasViews tells whether a batch says how many buffers a column of a type has besides those of [BuffersOf].
func hasViews(t fb.Type) bool { return t == fb.TypeBinaryView || t == fb.TypeUTF8View }
