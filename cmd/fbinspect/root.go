package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/remote"
)

const rootHelp = `fbinspect looks into FlatBuffers files.

The formats Vortex, Arrow IPC, Feather, TFLite, FlatGeobuf and .bfbs are known and need
no schema. For others name the schema, and its root table if it declares none:

  fbinspect verify --schema monster.fbs --root Monster hero.bin

FILE may be - for standard input, or a URL (%s): of that the ranges are read
that are needed, at most --max-fetch bytes. Results go to standard output, everything else to
standard error. The exit code is 0 when all is well, 1 when something is invalid or
different, 2 when it could not be done.`

// newRoot returns the command with all its verbs.
func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "fbinspect",
		Short:         "Look into FlatBuffers files",
		Long:          fmt.Sprintf(rootHelp, strings.Join(remote.Schemes(), "://, ")+"://"),
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
	root.Version = buildVersion().Version
	root.SetVersionTemplate("fbinspect {{.Version}}\n")
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%s%s; %s --help lists the flags", ui.Plain(err.Error()), nearFlag(cmd, err), cmd.CommandPath())
	})
	root.PersistentFlags().Int64Var(&input.MaxFetch, "max-fetch", 1<<30, "read at most `N` bytes of a file that a URL names")
	root.SetHelpCommand(helpCommand())
	root.AddCommand(verifyCommand(), infoCommand(), dumpCommand(), annotateCommand(), statsCommand(), htmlCommand(), encodeCommand(), diffCommand(), repairCommand(), schemaCommand(), conformCommand(), manCommand(), versionCommand(), jsonTopic())
	return root
}

// nearFlag says which flag of a verb one that it does not have may have been meant to be.
func nearFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	near := ui.DidYouMean(unknown.GetSpecifiedName(), names)
	for _, name := range names {
		near = strings.ReplaceAll(near, " "+name+" ", " --"+name+" ")
		near = strings.ReplaceAll(near, " "+name+"?", " --"+name+"?")
	}
	return near
}

// helpCommand is cobra's, but a verb that does not exist is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Example: "  fbinspect help verify\n  fbinspect help schema find",
		Short:   "Say what a verb does, and how it is used",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var verbs []cobra.Completion
			if at, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range at.Commands() {
					if c.IsAvailableCommand() {
						verbs = append(verbs, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return verbs, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			verb, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownVerb(verb, rest[0])
			}
			verb.InitDefaultHelpFlag()
			return verb.Help()
		},
	}
}

// unknownVerb says what a mistyped verb may have been meant to be.
func unknownVerb(root *cobra.Command, name string) error {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !root.HasParent() {
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

// named puts a file's name before an error that does not have it yet.
func named(name string, err error) error {
	var file *ui.FileError
	if errors.As(err, &file) && file.Name == name {
		return err
	}
	return &ui.FileError{Name: name, Err: err}
}

// complain tells of a file that a verb could not work on, before it goes on with others.
func complain(cmd *cobra.Command, name string, err error) {
	fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s\n", ui.Plain(named(name, err).Error()))
}

// exactly asks for n arguments, in words that say what they are.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s takes %s, and was given %s: see %s --help", cmd.Name(), what, ui.Count(int64(len(args)), "name"), cmd.CommandPath())
		}
		return nil
	}
}

// oneStdin refuses standard input that is named twice: the second time it is empty.
func oneStdin(names []string) error {
	n := 0
	for _, name := range names {
		if name == input.Stdin {
			n++
		}
	}
	if n > 1 {
		return fmt.Errorf("standard input (-) is named %d times, and can be read once", n)
	}
	return nil
}

// atLeast asks for n arguments, in words that say what they are.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return fmt.Errorf("%s needs %s: see %s --help", cmd.Name(), what, cmd.CommandPath())
		}
		return oneStdin(args)
	}
}
