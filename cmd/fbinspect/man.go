package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

func manCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "man [-o FILE]",
		Short: "Print the manual page",
		Long: `man prints the manual page of fbinspect and all its verbs, in the form that man reads. It is
made from the same texts as --help.`,
		Example: `  fbinspect man | man -l -
  fbinspect man -o /usr/local/share/man/man1/fbinspect.1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := ui.Create(output, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			manual(out, cmd.Root())
			return out.Close(nil)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, which appears when it is complete")
	return cmd
}

// manual writes the manual page in the macros of man(7).
func manual(w io.Writer, root *cobra.Command) {
	fmt.Fprintf(w, ".TH FBINSPECT 1 \"\" \"fbinspect %s\" \"User Commands\"\n", roff(buildVersion().Version))
	fmt.Fprintf(w, ".SH NAME\nfbinspect \\- %s\n", roff(root.Short))
	fmt.Fprint(w, ".SH SYNOPSIS\n.B fbinspect\n.I verb\n[flags] [file ...]\n")
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	paragraphs(w, root.Long)
	fmt.Fprint(w, ".SH VERBS\n")
	verbs(w, root, "")
	fmt.Fprint(w, ".SH EXIT STATUS\n.TP\n.B 0\nAll is well.\n.TP\n.B 1\nSomething is invalid, or different.\n.TP\n.B 2\nIt could not be done: wrong use, a file that cannot be read, a faulty schema.\n.TP\n.B 130\nIt was interrupted.\n")
	fmt.Fprint(w, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhen it is set and not empty, no colours are used, unless \\-\\-color always asks for them.\n")
}

// verbs writes a section for each verb, those of verbs of their own included.
func verbs(w io.Writer, parent *cobra.Command, prefix string) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		fmt.Fprintf(w, ".SS %s\n", roff(prefix+c.Use))
		text := c.Long
		if text == "" {
			text = c.Short + "."
		}
		paragraphs(w, text)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			kind, usage := pflag.UnquoteUsage(f)
			name := "\\fB\\-\\-" + roff(f.Name) + "\\fR"
			if f.Shorthand != "" {
				name = "\\fB\\-" + f.Shorthand + "\\fR, " + name
			}
			if kind != "" {
				name += " \\fI" + roff(kind) + "\\fR"
			}
			fmt.Fprintf(w, ".TP\n%s\n%s\n", name, roff(usage))
		})
		if c.Example != "" {
			fmt.Fprintf(w, ".PP\nExamples:\n.PP\n.EX\n%s\n.EE\n", roff(c.Example))
		}
		verbs(w, c, prefix+c.Name()+" ")
	}
}

// paragraphs writes text; what is indented in it keeps its lines.
func paragraphs(w io.Writer, text string) {
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(p, "  ") {
			fmt.Fprintf(w, ".PP\n.EX\n%s\n.EE\n", roff(p))
			continue
		}
		fmt.Fprintf(w, ".PP\n%s\n", roff(p))
	}
}

// roff escapes text for roff: no line may look like a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
