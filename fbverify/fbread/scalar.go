package fbread

import "math"

// Reads of one number or bool. The plain ones return def for a field that is
// absent; the Opt ones are for fields without a default ("= null") and tell
// whether the field is there. Every nonzero byte is a true bool, as in C++.

// Bool returns the bool field at slot.
func Bool(t Table, slot uint16, def bool) bool {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load8(t, o) != 0
		}
	}
	return def
}

// OptBool returns the optional bool field at slot.
func OptBool(t Table, slot uint16) (v, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load8(t, o) != 0, true
		}
	}
	return false, false
}

// Int8 returns the int8 field at slot.
func Int8(t Table, slot uint16, def int8) int8 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int8(load8(t, o))
		}
	}
	return def
}

// OptInt8 returns the optional int8 field at slot.
func OptInt8(t Table, slot uint16) (v int8, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int8(load8(t, o)), true
		}
	}
	return 0, false
}

// Uint8 returns the uint8 field at slot.
func Uint8(t Table, slot uint16, def uint8) uint8 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load8(t, o)
		}
	}
	return def
}

// OptUint8 returns the optional uint8 field at slot.
func OptUint8(t Table, slot uint16) (v uint8, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load8(t, o), true
		}
	}
	return 0, false
}

// Int16 returns the int16 field at slot.
func Int16(t Table, slot uint16, def int16) int16 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int16(load16(t, o))
		}
	}
	return def
}

// OptInt16 returns the optional int16 field at slot.
func OptInt16(t Table, slot uint16) (v int16, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int16(load16(t, o)), true
		}
	}
	return 0, false
}

// Uint16 returns the uint16 field at slot.
func Uint16(t Table, slot uint16, def uint16) uint16 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load16(t, o)
		}
	}
	return def
}

// OptUint16 returns the optional uint16 field at slot.
func OptUint16(t Table, slot uint16) (v uint16, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load16(t, o), true
		}
	}
	return 0, false
}

// Int32 returns the int32 field at slot.
func Int32(t Table, slot uint16, def int32) int32 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int32(load32(t, o))
		}
	}
	return def
}

// OptInt32 returns the optional int32 field at slot.
func OptInt32(t Table, slot uint16) (v int32, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int32(load32(t, o)), true
		}
	}
	return 0, false
}

// Uint32 returns the uint32 field at slot.
func Uint32(t Table, slot uint16, def uint32) uint32 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load32(t, o)
		}
	}
	return def
}

// OptUint32 returns the optional uint32 field at slot.
func OptUint32(t Table, slot uint16) (v uint32, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load32(t, o), true
		}
	}
	return 0, false
}

// Int64 returns the int64 field at slot.
func Int64(t Table, slot uint16, def int64) int64 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int64(load64(t, o))
		}
	}
	return def
}

// OptInt64 returns the optional int64 field at slot.
func OptInt64(t Table, slot uint16) (v int64, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return int64(load64(t, o)), true
		}
	}
	return 0, false
}

// Uint64 returns the uint64 field at slot.
func Uint64(t Table, slot uint16, def uint64) uint64 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load64(t, o)
		}
	}
	return def
}

// OptUint64 returns the optional uint64 field at slot.
func OptUint64(t Table, slot uint16) (v uint64, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return load64(t, o), true
		}
	}
	return 0, false
}

// Float32 returns the float32 field at slot.
func Float32(t Table, slot uint16, def float32) float32 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return math.Float32frombits(load32(t, o))
		}
	}
	return def
}

// OptFloat32 returns the optional float32 field at slot.
func OptFloat32(t Table, slot uint16) (v float32, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return math.Float32frombits(load32(t, o)), true
		}
	}
	return 0, false
}

// Float64 returns the float64 field at slot.
func Float64(t Table, slot uint16, def float64) float64 {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return math.Float64frombits(load64(t, o))
		}
	}
	return def
}

// OptFloat64 returns the optional float64 field at slot.
func OptFloat64(t Table, slot uint16) (v float64, ok bool) {
	if slot < vtableSize(t) {
		if o := vtableEntry(t, slot); o != 0 {
			return math.Float64frombits(load64(t, o)), true
		}
	}
	return 0, false
}
