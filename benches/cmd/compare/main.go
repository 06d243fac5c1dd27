// Command compare runs the benchmarks of two revisions against each other, in
// turns on the same machine, and says what changed as far as it can be told.
//
//	go run ./benches/cmd/compare --base main
//	go run ./benches/cmd/compare --base v1.2.0 --head v1.3.0 --bench 'Root/shape=Layout' --format markdown
//
// It also puts the reports of parallel runs together (compare merge) and keeps
// the comment on a pull request (compare comment).
//
// Exit status: 0 for a comparison that was made, whatever it says; 1 if
// something is slower than --fail-over allows; 2 if it could not be made.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	// A second signal changes nothing: removing the checkouts takes a moment, and
	// they would stay behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const (
	exitSlower = 1
	exitFailed = 2
)

// errSlower is the error of a comparison that found what --fail-over forbids.
var errSlower = errors.New("slower than --fail-over allows")

// errLeft is the error of a comparison that could not remove all it had made.
var errLeft = errors.New("something is left behind")

// run is main without the process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := compareCommand()
	root.AddCommand(mergeCommand(), commentCommand())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return 0
	case errors.Is(err, errSlower):
		fmt.Fprintln(stderr, "compare:", err)
		return exitSlower
	case ctx.Err() != nil && !errors.Is(err, errLeft):
		fmt.Fprintln(stderr, "compare: interrupted; nothing is left behind")
		return exitFailed
	default:
		fmt.Fprintln(stderr, "compare:", err)
		return exitFailed
	}
}

// quiet keeps cobra from printing errors and usage: run does, once.
func quiet(cmd *cobra.Command) *cobra.Command {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd
}
