//go:build !amd64 || fbportable

package kernel

import "unicode/utf8"

func best() Level { return Portable }

func siblings(r *Run) { siblingsPortable(r) }

func texts(*Texts) {}

func valid(buf []byte, at, size int) bool { return utf8.Valid(buf[at : at+size]) }
