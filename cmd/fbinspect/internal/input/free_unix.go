//go:build linux || darwin || freebsd

package input

import (
	"math"
	"os"
	"syscall"
)

// freeSpace is how many bytes can still be written where f lies.
func freeSpace(f *os.File) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &s); err != nil || s.Bsize <= 0 {
		return 0, false
	}
	blocks, size := uint64(s.Bavail), uint64(s.Bsize)
	if blocks > math.MaxInt64/size {
		return math.MaxInt64, true
	}
	return int64(blocks * size), true
}
