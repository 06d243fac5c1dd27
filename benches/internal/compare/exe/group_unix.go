//go:build unix

package exe

import (
	"os/exec"
	"syscall"
)

// Alone puts a command into a process group of its own, so that a Ctrl-C at the
// terminal reaches only this program, which then ends the command and everything
// it has started, in its own order.
func Alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
