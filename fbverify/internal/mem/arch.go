package mem

import "runtime"

// BigEndian tells whether this machine stores the most significant byte of a
// number first, so that numbers of a buffer cannot be read in place.
const BigEndian = runtime.GOARCH == "s390x" || runtime.GOARCH == "ppc64" ||
	runtime.GOARCH == "mips" || runtime.GOARCH == "mips64"

// AnyAlignment tells whether Go's own loads of this machine work at every
// address. Elsewhere a misaligned load faults, so that values must be copied
// out byte by byte.
const AnyAlignment = runtime.GOARCH == "amd64" || runtime.GOARCH == "386" ||
	runtime.GOARCH == "arm64" || runtime.GOARCH == "ppc64le" || runtime.GOARCH == "ppc64" ||
	runtime.GOARCH == "s390x" || runtime.GOARCH == "loong64"
