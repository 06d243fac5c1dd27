//go:build amd64 && !fbportable

package kernel

import (
	"github.com/klauspost/cpuid/v2"
)

//go:noescape
func siblingsScalar(r *Run)

//go:noescape
func siblings512(r *Run)

// best is the best set of instructions that this machine has.
func best() Level {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL) {
		return AVX512
	}
	return Scalar
}

func siblings(r *Run) {
	if level == AVX512 && r.wide() {
		siblings512(r)
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

// wide reports whether sixteen tables at a time can be looked at: one kind of
// them, without children, all within the budget, and positions in 31 bits.
func (r *Run) wide() bool {
	k := r.Kinds[0].Shape
	return r.End-r.At >= 64 && r.Kinds[1].VTable == NoVTable && r.N <= 1<<31-1 && r.Kinds[0].VTable != NoVTable &&
		k.Child == 0 && k.Even && r.Inline >= 0 && (r.End-r.At)/4*k.Reach <= uint64(r.Inline)
}
