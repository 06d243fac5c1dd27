package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/benches/internal/compare/comment"
	"github.com/fbverify/go/benches/internal/compare/report"
)

// mergeCommand puts JSON reports of parallel jobs together.
func mergeCommand() *cobra.Command {
	var format, output string
	var expect []string
	cmd := quiet(&cobra.Command{
		Use:   "merge REPORT.json...",
		Short: "Put the JSON reports of parallel runs together",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("there is no report to merge")
			}
			var reports []*report.Report
			for _, name := range args {
				r, err := readReport(name)
				if errors.Is(err, fs.ErrNotExist) && len(expect) > 0 {
					continue // its suite will be told to have no result
				}
				if err != nil {
					return err
				}
				reports = append(reports, r)
			}
			write := func(w io.Writer) error { return report.Merge(reports, expect).Write(w, format) }
			if output != "" {
				return writeFile(output, write)
			}
			return write(cmd.OutOrStdout())
		},
	})
	cmd.Flags().StringVar(&format, "format", "markdown", "format of the result: "+strings.Join(report.Formats, ", "))
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write; standard output if empty")
	cmd.Flags().StringSliceVar(&expect, "expect", nil, "suites that there should be, with commas; those without a report are told to have no result")
	return cmd
}

func readReport(name string) (*report.Report, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := report.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// commentCommand keeps the comment on a pull request.
func commentCommand() *cobra.Command {
	var name, api, author string
	var pull int
	cmd := quiet(&cobra.Command{
		Use:   "comment --repo OWNER/NAME --pull N FILE.md",
		Short: "Create or update the comment on a pull request",
		Long: `Comment makes the file, whose first line is a hidden marker, the text of the
comment of the pull request that has the same first line and is the author's own,
or of a new one. It takes the token from GITHUB_TOKEN and fails if the comment is not there in the end.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			client := comment.Client{API: strings.TrimRight(api, "/"), Token: os.Getenv("GITHUB_TOKEN"), Author: author}
			where, created, err := client.Update(cmd.Context(), name, pull, string(body))
			if err != nil {
				return fmt.Errorf("the comment is not posted: %w", err)
			}
			what := "updated"
			if created {
				what = "created"
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", what, where)
			return err
		},
	})
	if api = os.Getenv("GITHUB_API_URL"); api == "" {
		api = "https://api.github.com"
	}
	cmd.Flags().StringVar(&name, "repo", os.Getenv("GITHUB_REPOSITORY"), "repository of the pull request")
	cmd.Flags().StringVar(&author, "author", comment.Actions, "login that the token writes comments as")
	cmd.Flags().IntVar(&pull, "pull", 0, "number of the pull request")
	return cmd
}
