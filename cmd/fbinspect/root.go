package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/internal/inspect/ui"
)

const rootHelp = `fbinspect looks into FlatBuffers files.

The formats Vortex, Arrow IPC, Feather, TFLite, FlatGeobuf and .bfbs are known and need
no schema. For others name the schema, and its root table if it declares none:

  fbinspect verify --schema monster.fbs --root Monster hero.bin

FILE may be - for standard input. Results go to standard output, everything else to
standard error. The exit code is 0 when all is well, 1 when something is invalid or
different, 2 when it could not be done.`

// newRoot returns the command with all its verbs.
func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "fbinspect",
		Short:         "Look into FlatBuffers files",
		Long:          rootHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownVerb(cmd, args[0])
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; %s --help lists the flags", err, cmd.CommandPath())
	})
	root.AddCommand(verifyCommand(), dumpCommand(), annotateCommand(), statsCommand(), htmlCommand(), encodeCommand(), diffCommand(), schemaCommand(), conformCommand(), manCommand(), versionCommand())
	return root
}

// unknownVerb says what a mistyped verb may have been meant to be.
func unknownVerb(root *cobra.Command, name string) error {
	if _, err := os.Stat(name); err == nil {
		return fmt.Errorf("%s is a file, not a verb: try fbinspect verify %s", ui.Name(name), ui.Name(name))
	}
	var verbs []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			verbs = append(verbs, c.Name())
		}
	}
	hint := ui.DidYouMean(name, verbs)
	if hint == "" {
		hint = "; the verbs are " + strings.Join(verbs, ", ")
	}
	return fmt.Errorf("there is no verb %q%s", name, hint)
}

// atLeast asks for n arguments, in words that say what they are.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return fmt.Errorf("%s needs %s: see %s --help", cmd.Name(), what, cmd.CommandPath())
		}
		return nil
	}
}
