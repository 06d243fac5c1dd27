//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fbverify

import (
	"os"
	"syscall"
)

// dontWait is the flag with which a pipe opens before somebody writes to it.
const dontWait = syscall.O_NONBLOCK

// mapFile maps a regular file, and says whether there is something to unmap.
func mapFile(name string) (data []byte, mapped bool, err error) {
	f, size, err := openRegular("map", name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if size == 0 {
		return nil, false, nil
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, false, &os.PathError{Op: "map", Path: name, Err: err}
	}
	return data, true, nil
}

func unmap(data []byte) error { return syscall.Munmap(data) }
