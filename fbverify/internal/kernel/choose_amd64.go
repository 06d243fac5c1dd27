//go:build amd64 && !fbportable

package kernel

import (
	"unicode/utf8"
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

//go:noescape
func siblingsScalar(r *Run)

//go:noescape
func siblingsAVX2(r *Run)

//go:noescape
func textsAVX2(r *Texts)

//go:noescape
func validAVX2(p *byte, n int) bool

//go:noescape
func validFirstAVX2(p *byte, n int) bool

//go:noescape
func validLastAVX2(p *byte, n int) bool

// best is the best set of instructions that this machine has.
func best() Level {
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.AVX) {
		return AVX2
	}
	return Scalar
}

func siblings(r *Run) {
	if level == AVX2 && r.wide() {
		siblingsAVX2(r)
		if r.At == r.End {
			return
		}
	}
	if level >= Scalar {
		siblingsScalar(r)
	} else {
		siblingsPortable(r)
	}
}

// wide reports whether eight tables at a time can be looked at: one kind of
// them, without children and strings, all within the budget, and positions in 31 bits.
func (r *Run) wide() bool {
	k := r.Kinds[0].Shape
	return r.End-r.At >= 32 && r.Kinds[1].VTable == NoVTable && r.N <= 1<<31-1 && r.Kinds[0].VTable != NoVTable &&
		k.Child == 0 && len(k.Texts) == 0 && k.Even && int64((r.End-r.At)/4)*k.Work <= r.Left
}

// texts leaves all to the caller where there is no AVX2: a loop here over
// utf8.Valid would be no faster than the caller's.
func texts(r *Texts) {
	if level == AVX2 {
		textsAVX2(r)
	}
}

func valid(buf []byte, at, size int) bool {
	switch p := unsafe.SliceData(buf[at:]); {
	case level < AVX2:
	case size >= 35:
		return validAVX2(p, size)
	case size <= 31 && len(buf)-at >= 32:
		return validFirstAVX2(p, size)
	case size <= 32 && at+size >= 32:
		return validLastAVX2(unsafe.SliceData(buf[at+size-32:]), size)
	}
	return utf8.Valid(buf[at : at+size])
}
