package fbread

// LookupStringUnchecked returns the table of v whose key, the string field at slot, is
// key. Writers sort a vector whose tables have a key by it; in one that is not
// sorted a table may not be found. Among equal keys the first is returned. It
// takes log2(Len) comparisons of bytes. Whoever calls it must know that the field at
// slot is the key.
func LookupStringUnchecked[T View[T]](v Vector[T], slot uint16, key string) (t T, ok bool) {
	lo, hi := 0, len(v.refs)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if String(tableOf(v.b, &v.refs[mid]), slot) < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(v.refs) {
		if found := tableOf(v.b, &v.refs[lo]); String(found, slot) == key {
			return As[T](found), true
		}
	}
	return Absent[T](), false
}

// LookupUnchecked returns the table of v whose key, the number field at slot with the
// default def, is key. What [LookupStringUnchecked] says holds here too.
func LookupUnchecked[T View[T], K Scalar](v Vector[T], slot uint16, def, key K) (t T, ok bool) {
	lo, hi := 0, len(v.refs)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if scalar(tableOf(v.b, &v.refs[mid]), slot, def) < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(v.refs) {
		if found := tableOf(v.b, &v.refs[lo]); scalar(found, slot, def) == key {
			return As[T](found), true
		}
	}
	return Absent[T](), false
}

// LookupBoolUnchecked is [LookupUnchecked] for a bool key, false sorting before true.
func LookupBoolUnchecked[T View[T]](v Vector[T], slot uint16, def, key bool) (t T, ok bool) {
	lo, hi := 0, len(v.refs)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if !Bool(tableOf(v.b, &v.refs[mid]), slot, def) && key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(v.refs) {
		if found := tableOf(v.b, &v.refs[lo]); Bool(found, slot, def) == key {
			return As[T](found), true
		}
	}
	return Absent[T](), false
}
