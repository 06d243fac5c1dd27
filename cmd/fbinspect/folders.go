package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/fbverify/container"
)

// lacksError says that a file does not have what is to be shown of it: no reason to speak of
// one that nobody named.
type lacksError struct{ error }

func (e *lacksError) Unwrap() error { return e.error }

// folderFlags say which files of folders a verb takes.
type folderFlags struct{ verdict.Find }

func (f *folderFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.Recursive, "recursive", "r", false, "look into folders")
	cmd.Flags().StringArrayVar(&f.Include, "include", nil, "in folders take only files that match `PATTERN`, such as '*.arrow' (repeatable)")
}

// each calls do for the files that arguments name, folders among them, and tells of those
// that fail, but for files of folders that are of no known kind: these are passed over. It
// returns how many failed; the error is one that ends the verb.
func (f *folderFlags) each(cmd *cobra.Command, args []string, do func(file verdict.Found, alone bool) error) (failed int, err error) {
	if err := f.Check(); err != nil {
		return 0, err
	}
	alone := len(args) == 1 && !f.Recursive
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	taken, passed := 0, 0
	var without *lacksError
	for file := range f.Each(ctx, args) {
		err := file.Err
		if err == nil {
			err = do(file, alone)
		}
		switch {
		case err == nil:
			taken++
		case cmd.Context().Err() != nil || ui.IsBrokenPipe(err):
			return failed, err
		case file.InFolder && errors.As(err, &without):
			passed++
		case file.InFolder && (errors.Is(err, container.ErrUnknownFormat) || errors.Is(err, input.ErrNoSchema)):
		case alone:
			return failed, named(file.Name, err)
		default:
			complain(cmd, file.Name, err)
			failed++
		}
	}
	switch {
	case taken+failed > 0 || cmd.Context().Err() != nil:
	case passed > 0:
		return failed, fmt.Errorf("no file has what was asked for; one of them: %w", without.error)
	default:
		return failed, errors.New("there is no file of a known kind")
	}
	return failed, cmd.Context().Err()
}
