package fbread

import (
	"math"
	"math/bits"
)

// Swap2 and its like reverse the bytes of one number of a struct or of a fixed
// array's element, in place: what the SwapBytes methods of generated structs are
// made of.

// Swap2 reverses the bytes of a 16-bit number.
func Swap2[T ~int16 | ~uint16](v *T) { *v = T(bits.ReverseBytes16(uint16(*v))) }

// Swap4 reverses the bytes of a 32-bit number.
func Swap4[T ~int32 | ~uint32](v *T) { *v = T(bits.ReverseBytes32(uint32(*v))) }

// Swap8 reverses the bytes of a 64-bit number.
func Swap8[T ~int64 | ~uint64](v *T) { *v = T(bits.ReverseBytes64(uint64(*v))) }

// SwapFloat32 reverses the bytes of a float32.
func SwapFloat32(v *float32) {
	*v = math.Float32frombits(bits.ReverseBytes32(math.Float32bits(*v)))
}

// SwapFloat64 reverses the bytes of a float64.
func SwapFloat64(v *float64) {
	*v = math.Float64frombits(bits.ReverseBytes64(math.Float64bits(*v)))
}
