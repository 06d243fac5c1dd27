//go:build !unix

package exe

import "os/exec"

// Alone does nothing where there are no process groups: cancelling a command
// ends the command.
func Alone(*exec.Cmd) {}
