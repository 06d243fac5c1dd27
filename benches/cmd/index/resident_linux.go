package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// resident returns how many bytes of this process are in memory: its own, and those of
// files that are mapped.
func resident() (own, ofFiles int64, err error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	lines, found := bufio.NewScanner(f), 0
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		to := map[string]*int64{"RssAnon": &own, "RssFile": &ofFiles}[name]
		if to == nil {
			continue
		}
		if _, err := fmt.Sscanf(value, "%d kB", to); err != nil {
			return 0, 0, fmt.Errorf("/proc/self/status: %s: %w", name, err)
		}
		*to <<= 10
		found++
	}
	if found != 2 {
		return 0, 0, fmt.Errorf("/proc/self/status names %d of RssAnon and RssFile", found)
	}
	return own, ofFiles, lines.Err()
}

// evict takes a file out of the page cache.
func evict(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
