package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/schema/fbs"
)

func schemaFmtCommand() *cobra.Command {
	var find verdict.Find
	var write, check bool
	cmd := &cobra.Command{
		Use: "fmt [-w | --check] FILE…",
		Example: `  fbinspect schema fmt monster.fbs
  fbinspect schema fmt -w -r schemas/
  fbinspect schema fmt --check -r .`,
		Short: "Lay out .fbs files in one way",
		Long: `fmt lays out schemas in text form in one way: a declaration, a field and a method on a line
each, two spaces a level. Comments stay where they are, and so do single blank lines, line
breaks within enums and attributes, and short blocks on one line. No word is changed: the
schema is the same.

What it makes goes to standard output; -w writes it into the files, and names those that it
changed; --check names the files that are laid out otherwise, and the exit code is 1 if there
is one. Of folders (-r) it takes the files that end in .fbs.`,
		Args: atLeast(1, "the names of .fbs files, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write && check {
				return fmt.Errorf("-w and --check: one of them")
			}
			out, err := ui.Create("", cmd.OutOrStdout())
			if err != nil {
				return err
			}
			find.Include = []string{"*.fbs"}
			other, failed := false, false
			for file := range find.Each(cmd.Context(), args) {
				err := file.Err
				var changed bool
				if err == nil {
					changed, err = formatFile(cmd, out, file.Name, write, check)
				}
				if err != nil {
					complain(cmd, file.Name, err)
					failed = true
				}
				other = other || changed
			}
			if err := out.Close(cmd.Context().Err()); err != nil {
				return err
			}
			switch {
			case failed:
				return exitCode(exitFailed)
			case other && check:
				return exitCode(exitInvalid)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&find.Recursive, "recursive", "r", false, "look into folders")
	f.BoolVarP(&write, "write", "w", false, "write the result into the file")
	f.BoolVar(&check, "check", false, "only name the files that are laid out otherwise")
	return cmd
}

// formatFile formats one file, and reports whether it was laid out otherwise.
func formatFile(cmd *cobra.Command, out *ui.Output, name string, write, check bool) (changed bool, err error) {
	if write && name == files.Stdin {
		return false, fmt.Errorf("standard input cannot be written to")
	}
	text, err := files.Read(name, files.MostSchema)
	if err != nil {
		return false, err
	}
	made, err := fbs.Format(name, text)
	if err != nil {
		return false, err
	}
	changed = !bytes.Equal(made, text)
	switch {
	case !write && !check:
		_, err = out.Write(made)
	case changed:
		if write {
			file, err := ui.Create(name, nil)
			if err != nil {
				return false, err
			}
			_, err = file.Write(made)
			if err := file.Close(err); err != nil {
				return false, err
			}
		}
		_, err = fmt.Fprintln(out, ui.Name(name))
	}
	return changed, err
}
