package exe

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// Allowed returns the processors that this process may run on, in ascending
// order, nil where they cannot be known.
func Allowed() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// startPinned starts a command on the given processors only. A child inherits
// the processors of the thread that starts it, so the thread is confined for
// that moment.
func startPinned(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return cmd.Start()
	}
	runtime.LockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	err := cmd.Start()
	if unix.SchedSetaffinity(0, &before) == nil {
		runtime.UnlockOSThread() // otherwise the thread ends with its goroutine
	}
	return err
}
