//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fbverify

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps a regular file, and says whether there is something to unmap.
func mapFile(name string) (data []byte, mapped bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	size := info.Size()
	switch {
	case !info.Mode().IsRegular():
		return nil, false, fmt.Errorf("map %s: not a regular file", name)
	case size == 0:
		return nil, false, nil
	case size > int64(maxInt):
		return nil, false, fmt.Errorf("map %s: %d bytes are more than this machine can address", name, size)
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, false, &os.PathError{Op: "map", Path: name, Err: err}
	}
	return data, true, nil
}

func unmap(data []byte) error { return syscall.Munmap(data) }
