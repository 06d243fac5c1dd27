//go:build !linux

package exe

import "os/exec"

// Allowed returns nil: processors cannot be chosen here.
func Allowed() []int { return nil }

func startPinned(cmd *exec.Cmd, _ []int) error { return cmd.Start() }
