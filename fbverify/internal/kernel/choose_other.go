//go:build !amd64 || fbportable

package kernel

func best() Level { return Portable }

func siblings(r *Run) { siblingsPortable(r) }
