package main

import (
	"context"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/dump"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/remote"
	"github.com/fbverify/go/schema"
)

// completer completes what a word of a command line can be.
type completer = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective)

// shellAsks is set where this process was started to complete words.
var shellAsks atomic.Bool

// completeFlag says how a flag's value is completed, if a shell asks. Cobra keeps what it is
// told for as long as the process lives, commands and all, so it is told nothing otherwise.
func completeFlag(cmd *cobra.Command, flag string, f completer) {
	if !shellAsks.Load() {
		return
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag's name is wrong
	}
}

// completeSchemas completes the names of known schemas, and those of schema files.
func completeSchemas(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	for _, name := range input.KnownNames() {
		if strings.HasPrefix(name, word) {
			names = append(names, name)
		}
	}
	// Where shells are asked for names of files they do not look at others: both are given here.
	files, _ := filepath.Glob(word + "*")
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, file := range files {
		switch ext := filepath.Ext(file); {
		case ext == ".fbs" || ext == ".bfbs":
			names = append(names, file)
		case isFolder(file):
			names = append(names, file+"/")
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	if len(names) != 1 {
		directive &^= cobra.ShellCompDirectiveNoSpace
	}
	return names, directive
}

// completeRoots completes the tables of the schema that the flags name, or of the known ones.
func (d *dataFlags) completeRoots(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	list := input.KnownNames()
	if d.schema != "" {
		list = []string{d.schema}
	}
	var names []string
	seen := map[string]bool{}
	for _, name := range list {
		s, err := input.LoadSchema(name, d.include)
		if err != nil {
			continue
		}
		for _, o := range s.Objects {
			if !o.IsStruct && !seen[o.Name] {
				seen[o.Name] = true
				names = append(names, o.Name)
			}
		}
	}
	sort.Strings(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}

// mostCompleted is how many parts of a file are offered.
const mostCompleted = 1000

// each calls do with the parts of a file that the command line names already.
func (d *dataFlags) each(args []string, do func(container.Part, *fbverify.Type) bool) {
	if len(args) == 0 || args[len(args)-1] == input.Stdin {
		return
	}
	types, format, err := d.load()
	if err != nil {
		return
	}
	name := args[len(args)-1]
	if remote.IsURL(name) {
		return // a key that asks for words makes no requests
	}
	src, err := input.OpenMapped(context.Background(), name)
	if err != nil {
		return
	}
	defer src.Close()
	src.Guard(func() error {
		f, err := src.OpenAs(types, format, &fbverify.Options{})
		if err != nil {
			return err
		}
		n := 0
		for p, err := range f.Parts() {
			if err != nil {
				continue
			}
			typ, err := types.Of(p)
			if n++; err != nil || n > mostCompleted || !do(p, typ) {
				break
			}
		}
		return nil
	})
}

// completeParts completes the names of a file's parts.
func (d *dataFlags) completeParts(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	d.each(args, func(p container.Part, typ *fbverify.Type) bool {
		names = append(names, cobra.CompletionWithDesc(p.Name, typ.String()))
		return true
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completePaths completes the fields of the types that a path leads to.
func (d *dumpFlags) completePaths(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	at := strings.LastIndexByte(word, '.') + 1
	var names []string
	seen := map[string]bool{}
	d.data.each(args, func(p container.Part, typ *fbverify.Type) bool {
		if d.part != "" && !dump.Matches(d.part, p.Name) || seen[" "+typ.String()] {
			return true
		}
		seen[" "+typ.String()] = true
		for _, o := range reached(typ.Root(), word[:at]) {
			for _, f := range o.Fields {
				if name := word[:at] + f.Name; !seen[name] {
					seen[name] = true
					names = append(names, cobra.CompletionWithDesc(name, f.Type.String()))
				}
			}
		}
		return true
	})
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// reached returns the types that a path leads to from a table, of a union those of all its
// members.
func reached(root *schema.Object, path string) []*schema.Object {
	at := []*schema.Object{root}
	if path == "" {
		return at
	}
	for step := range strings.SplitSeq(strings.TrimSuffix(path, "."), ".") {
		name, _, _ := strings.Cut(step, "[")
		var next []*schema.Object
		for _, o := range at {
			f := o.Field(name)
			switch {
			case f == nil:
			case f.Type.Object != nil:
				next = append(next, f.Type.Object)
			case f.Type.Enum != nil && f.Type.Enum.IsUnion:
				for _, v := range f.Type.Enum.Values {
					if v.Type.Object != nil {
						next = append(next, v.Type.Object)
					}
				}
			}
		}
		at = next
	}
	return at
}

// completeTypes completes a schema, and after it its types.
func completeTypes(include *[]string, several bool) completer {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return completeSchemas(cmd, args, word)
		case !several:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s, err := input.LoadSchema(args[0], *include)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return typeNames(s), cobra.ShellCompDirectiveNoFileComp
	}
}
