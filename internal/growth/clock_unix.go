//go:build unix

package growth

import (
	"syscall"
	"time"
)

// processorTime is what this process has used: it does not count the time that other
// programs take.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
