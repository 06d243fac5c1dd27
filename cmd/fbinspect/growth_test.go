package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/internal/growth"
)

// A verb is one with its flags, of which the name of the file is the last argument.
type verb struct {
	args   []string
	memory float64 // bytes for a byte of the file, beyond what every run takes
}

// entry runs a verb on files that are the inputs. What comes out is thrown away. before are
// arguments that follow the verb's own.
func (v verb) entry(t *testing.T, file string, before func(fam growth.Family) []string) growth.Entry {
	return growth.Entry{Name: "fbinspect " + strings.Join(plainArgs(v.args), " "), Memory: v.memory, Every: 1, Prepare: func(fam growth.Family, input []byte) func() {
		args := append([]string{}, v.args...)
		if before != nil {
			args = append(args, before(fam)...)
		}
		args = append(args, file)
		if v.args[0] == "diff" || v.args[0] == "conform" {
			args = append(args, file+".other")
			other := changed(input, v.args[0])
			if len(v.args) > 1 { // diff --json, of what was added
				other = fam.Make(4 << 10)
			}
			write(t, file+".other", other)
		}
		return func() {
			write(t, file, input)
			var said bytes.Buffer
			if code := run(args, io.Discard, &said); code > exitFailed || strings.Contains(said.String(), "unknown flag") {
				t.Errorf("%v of %s: exit code %d, %.300s", args, fam.Name, code, said.String())
			}
		}
	}}
}

// plainArgs are the arguments without the names of files, which differ from run to run.
func plainArgs(args []string) (list []string) {
	for _, a := range args {
		if !filepath.IsAbs(a) {
			list = append(list, a)
		}
	}
	return list
}

// changed is what an input is compared with: the same, or a schema with other types.
func changed(input []byte, verb string) []byte {
	if verb == "conform" {
		return bytes.ReplaceAll(input, []byte(":int;"), []byte(":long;"))
	}
	return input
}

// entriesOf makes an entry of each verb.
func entriesOf(t *testing.T, file string, before func(fam growth.Family) []string, every int, verbs []verb) (list []growth.Entry) {
	for _, v := range verbs {
		e := v.entry(t, file, before)
		e.Every = every
		list = append(list, e)
	}
	return list
}

// TestVerbsGrowAsFilesDo runs what reads buffers on those that were made to be expensive. With
// -v it prints a line for each verb and family.
func TestVerbsGrowAsFilesDo(t *testing.T) {
	dir := t.TempDir()
	file, page := filepath.Join(dir, "g.bin"), filepath.Join(dir, "page.html")
	every := 5
	if testing.Short() {
		every = 10
	}
	families := growth.Single(40)
	families = append(families, growth.Composed(1, 4, 40)...)
	families = append(families, growth.Family{Name: "rows", Of: "honest rows", Schema: growth.RowsSchema, Root: "Root", Make: func(size int) []byte { return growth.Rows(size, 0) }})
	schemaOf := func(fam growth.Family) []string {
		schema := filepath.Join(dir, fmt.Sprintf("%d.fbs", len(fam.Schema)))
		write(t, schema, []byte(fam.Schema))
		return []string{"--schema", schema, "--root", fam.Root}
	}
	growth.Check(t, []int{16 << 10, 64 << 10}, 16<<20, append(entriesOf(t, file, schemaOf, every, []verb{
		{args: []string{"verify"}, memory: 100},
		{args: []string{"verify", "--all", "--strict"}, memory: 1000}, // the words of ten thousand faults
		{args: []string{"dump"}, memory: 200},
		{args: []string{"dump", "--json"}, memory: 200},
		{args: []string{"dump", "--partial"}, memory: 400},
		{args: []string{"dump", "--path", "*"}, memory: 200},
		{args: []string{"annotate"}, memory: 200},
		{args: []string{"annotate", "--json"}, memory: 200},
		{args: []string{"stats"}, memory: 200},
		{args: []string{"html", "-o", page}, memory: 800},
		{args: []string{"diff"}, memory: 200},
		{args: []string{"diff", "--json"}, memory: 200},
		{args: []string{"dump", "--lines"}, memory: 200},
		{args: []string{"stats", "--json"}, memory: 200},
	}), entriesOf(t, file, nil, every, []verb{
		{args: []string{"info"}, memory: 200},
		{args: []string{"schema", "find"}, memory: 200},
	})...), families)
}

// TestVerbsGrowAsContainersDo runs what reads containers on those of very many parts.
func TestVerbsGrowAsContainersDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stream")
	growth.Check(t, []int{16 << 10, 64 << 10}, 16<<20, entriesOf(t, file, nil, 1, []verb{
		{args: []string{"verify"}, memory: 100}, {args: []string{"dump"}, memory: 100}, {args: []string{"dump", "--json"}, memory: 100},
		{args: []string{"annotate"}, memory: 200}, {args: []string{"stats"}, memory: 100}, {args: []string{"info"}, memory: 400},
		{args: []string{"html", "-o", file + ".html"}, memory: 800}, {args: []string{"diff"}, memory: 100}, {args: []string{"repair", "-o", file + ".mended"}, memory: 100},
	}), growth.Messages(t))
}

// TestVerbsGrowAsSchemasDo runs what reads schemas on those that were made to be expensive.
func TestVerbsGrowAsSchemasDo(t *testing.T) {
	dir := t.TempDir()
	data := write(t, filepath.Join(dir, "data"), []byte{8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0}) // of any table that requires nothing
	verbs := []verb{
		{args: []string{"schema", "list"}, memory: 2000},
		{args: []string{"schema", "print"}, memory: 2000},
		{args: []string{"schema", "print", "--json-schema"}, memory: 4000},
		{args: []string{"schema", "convert", "-o", filepath.Join(dir, "out.bfbs")}, memory: 2000},
		{args: []string{"schema", "fmt"}, memory: 2000},
		{args: []string{"conform"}, memory: 4000},
		{args: []string{"verify", data, "--schema"}, memory: 2000},
	}
	verbs = append(verbs, verb{args: []string{"schema", "find", data, "--schema"}, memory: 2000})
	short := []int{4 << 10, 8 << 10}
	growth.Check(t, short, 1<<20, entriesOf(t, filepath.Join(dir, "g.fbs"), nil, 8, verbs), growth.SchemaTexts())
	var binary []verb
	for _, v := range verbs {
		if v.args[len(v.args)-1] != "fmt" {
			binary = append(binary, v)
		}
	}
	growth.Check(t, short, 1<<20, entriesOf(t, filepath.Join(dir, "g.bfbs"), nil, 1, binary), growth.BinarySchemas())
}

// TestEncodeGrowsAsTextsDo runs encode on texts that were made to be expensive.
func TestEncodeGrowsAsTextsDo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "g.json")
	schemaOf := func(fam growth.Family) []string {
		schema := filepath.Join(dir, fmt.Sprintf("%d.fbs", len(fam.Schema)))
		write(t, schema, []byte(fam.Schema))
		return []string{"--schema", schema, "--root", fam.Root, "-o", filepath.Join(dir, "out.bin")}
	}
	growth.Check(t, []int{4 << 10, 32 << 10}, 1<<20, entriesOf(t, file, schemaOf, 8, []verb{{args: []string{"encode"}, memory: 400}}),
		append(growth.JSON(8), growth.JSON(1000)...))
}

// TestEveryVerbIsInTheSeries holds the series that is committed to the verbs that there are.
func TestEveryVerbIsInTheSeries(t *testing.T) {
	var measured []string
	for _, r := range growth.ReadBook(t).Rows {
		measured = append(measured, r.Entry+" ")
	}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			switch sub.CommandPath() {
			case "fbinspect completion", "fbinspect help", "fbinspect json", "fbinspect man", "fbinspect schema formats", "fbinspect version":
				continue // they read no file
			}
			if sub.HasSubCommands() {
				look(sub)
				continue
			}
			if !slices.ContainsFunc(measured, func(entry string) bool { return strings.HasPrefix(entry, sub.CommandPath()+" ") }) {
				t.Errorf("%s is in no row of internal/growth/series.tsv", sub.CommandPath())
			}
		}
	}
	look(newRoot(io.Discard, io.Discard))
}
