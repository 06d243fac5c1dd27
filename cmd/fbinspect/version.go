package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, and how this program was built",
		Example: "  fbinspect version\n  fbinspect version --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v := buildVersion()
			out, err := ui.Create("", cmd.OutOrStdout())
			if err != nil {
				return err
			}
			if asJSON {
				return out.Close(json.NewEncoder(out).Encode(v))
			}
			fmt.Fprintf(out, "fbinspect %s\n", v.Version)
			if v.Revision != "" {
				changed := ""
				if v.Modified {
					changed = ", with changes"
				}
				fmt.Fprintf(out, "  revision %s of %s%s\n", v.Revision, v.Time, changed)
			}
			fmt.Fprintf(out, "  built with %s for %s\n", v.Go, v.Platform)
			return out.Close(nil)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object")
	return cmd
}

type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildVersion() version {
	v := version{Version: "(unknown version)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
