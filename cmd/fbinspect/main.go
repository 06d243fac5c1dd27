// Command fbinspect looks into FlatBuffers files: it verifies, prints, annotates,
// compares and converts them, with or without a schema at hand.
//
// It knows the formats Vortex, Arrow IPC, Feather, TFLite, FlatGeobuf and .bfbs; other
// FlatBuffers need --schema and --root. See fbinspect --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// Exit codes. What a signal ended has 128 and the signal's number, as shells expect.
const (
	exitOK          = 0
	exitInvalid     = 1 // something is invalid, or different
	exitFailed      = 2 // it could not be done: usage, I/O, schema
	exitInterrupted = 130
)

// grace is how long a verb may take to end after an interrupt.
const grace = 200 * time.Millisecond

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its streams, for tests.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := make(chan struct{})
	defer close(done)
	context.AfterFunc(ctx, func() {
		stop() // a second interrupt ends the program at once
		select {
		case <-done:
		case <-time.After(grace):
			// A verb that waits for its input does not see that it should end.
			ui.RemoveUnfinished()
			fmt.Fprintln(stderr, "fbinspect: interrupted")
			os.Exit(exitInterrupted)
		}
	})

	shellAsks.Store(len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd))
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "fbinspect: interrupted")
		return exitInterrupted
	case ui.IsBrokenPipe(err):
		return exitFailed
	}
	fmt.Fprintf(stderr, "fbinspect: %s\n", ui.Plain(err.Error()))
	return exitFailed
}

// exitCode ends a verb with a code, when all there is to say was said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit status %d", int(c)) }
