// Fbgen writes Go code that reads and writes the FlatBuffers of a schema.
//
//	fbgen [flags] FILE.fbs|FILE.bfbs...
//
// All schemas given go into one Go package. Run it from a Go file with
//
//	//go:generate go tool fbgen -o . monster.fbs
//
// fbgen --help explains the flags, and the documentation of package gogen how Go
// names are made. The exit status is 0 when the package was written, 1 when a
// schema or a sample is at fault, and 2 for wrong usage and files that cannot be
// read or written.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/internal/suggest"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
)

const help = `fbgen writes Go code that reads and writes the FlatBuffers of a schema.

usage: fbgen [flags] FILE.fbs|FILE.bfbs...

  -o DIR         write the package into DIR; by default into a folder named as
                 the package, beside the first schema
  -package NAME  name of the Go package; by default the last part of DIR, or the
                 first schema's name
  -I DIR         look for included schemas in DIR, too; may be repeated
  -root TYPE     take TYPE for the schema's root_type
  -read-only     leave out owned structs and builder functions
  -check         write nothing: exit status 1 if DIR has other files than a run
                 would write, for tests
  -map FILE=PATH the Go package PATH has the types that the schema file FILE declares:
                 import them; it was generated of the same FILE; may be repeated
  -name TYPE=GO  call the schema's type TYPE, by its full name, GO in Go; for types of
                 several namespaces that have one last name, or one that is called
                 as what is made of another; may be repeated
  -fixed         add fixed views, which read at constant offsets, of all tables;
                 without it, tables with the attribute fixed_view have them
  -version       print the version
  -names flatc   call things as flatc's Go code does, and give views its accessors, too;
                 MIGRATING.md tells what differs
  -mutable       add methods that write scalars in place, for buffers of your own
  -copy-strings  let views return copies of strings, which outlive the buffer
  -grpc          write stubs of each rpc_service, which import github.com/fbverify/go/grpc
  -profile FILE  give the vtables that are common in FILE fixed layouts; FILE is a
                 buffer of the root type, a stream of size-prefixed ones, or a
                 file of a format that fbinspect knows; may be repeated

All schemas go into one package, with what they include. A type's Go name is made
of its last name, and does not change when others are added.

examples:
  fbgen monster.fbs                         # writes ./monster
  fbgen -o internal/monster monster.fbs
  fbgen -o vortex footer.fbs layout.fbs     # one package of two schemas
  fbgen -profile sample.bin monster.bfbs
  fbgen -map common.fbs=example.com/schemas/common monster.fbs

  //go:generate go tool fbgen -o . ../schema/monster.fbs
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	statusDone  = 0
	statusFault = 1 // a schema or sample is not valid
	statusUsage = 2 // wrong flags, or files that cannot be read or written
)

// usageError is an error of the command line or of the file system.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 1 && !exists(args[0]) {
		switch args[0] {
		case "help":
			args = []string{"-help"}
		case "version":
			args = []string{"-version"}
		}
	}
	c, err := parseFlags(args)
	if errors.Is(err, errVersion) {
		fmt.Fprintln(stdout, version())
		return statusDone
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return statusDone
	}
	if err == nil {
		err = c.generate(stderr)
	}
	if err == nil {
		return statusDone
	}
	fmt.Fprintln(stderr, strings.TrimSuffix(err.Error(), "\n"))
	var usage usageError
	if errors.As(err, &usage) {
		return statusUsage
	}
	return statusFault
}

// errVersion says that only the version is asked for.
var errVersion = errors.New("the version is asked for")

// version says which release this is, and what built it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "fbgen, built without module information"
	}
	return fmt.Sprintf("fbgen %s\n  built with %s for %s/%s", info.Main.Version, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// nearFlag says which flag one that is not there may have been meant to be.
func nearFlag(f *flag.FlagSet, err error) string {
	_, name, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !ok {
		return ""
	}
	names := []string{"-help"}
	f.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return suggest.DidYouMean("-"+name, names)
}

// command is a parsed command line.
type command struct {
	out, pkg, root   string
	readOnly, check  bool
	fixed, mutable   bool
	flatc            bool
	grpc             bool
	copyStrings      bool
	imports          []gogen.Import
	typeNames        map[string]string
	include, samples []string
	files            []string
}

func parseFlags(args []string) (*command, error) {
	c := &command{typeNames: map[string]string{}}
	f := flag.NewFlagSet("fbgen", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.out, "o", "", "")
	f.StringVar(&c.pkg, "package", "", "")
	f.StringVar(&c.root, "root", "", "")
	f.BoolVar(&c.readOnly, "read-only", false, "")
	f.BoolVar(&c.check, "check", false, "")
	f.BoolVar(&c.fixed, "fixed", false, "")
	f.BoolVar(&c.mutable, "mutable", false, "")
	f.BoolVar(&c.grpc, "grpc", false, "")
	f.BoolVar(&c.copyStrings, "copy-strings", false, "")
	f.Func("names", "", func(s string) error {
		if s != "go" && s != "flatc" {
			return errors.New("want go or flatc")
		}
		c.flatc = s == "flatc"
		return nil
	})
	f.Func("map", "", func(s string) error {
		file, path, ok := strings.Cut(s, "=")
		if !ok || file == "" || path == "" {
			return errors.New("want FILE=PATH")
		}
		c.imports = append(c.imports, gogen.Import{File: filepath.ToSlash(file), Path: path})
		return nil
	})
	f.Func("name", "", func(s string) error {
		full, name, ok := strings.Cut(s, "=")
		if !ok || full == "" || name == "" {
			return errors.New("want TYPE=GO")
		}
		c.typeNames[full] = name
		return nil
	})
	showVersion := f.Bool("version", false, "")
	appendTo := func(list *[]string) func(string) error {
		return func(s string) error {
			*list = append(*list, s)
			return nil
		}
	}
	f.Func("I", "", appendTo(&c.include))
	f.Func("profile", "", appendTo(&c.samples))
	// Flags may also stand after files.
	for rest := args; ; {
		if err := f.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usageError{fmt.Errorf("fbgen: %w%s; fbgen --help lists the flags", err, nearFlag(f, err))}
		}
		if *showVersion {
			return nil, errVersion
		}
		rest = f.Args()
		if len(rest) == 0 {
			break
		}
		c.files = append(c.files, rest[0])
		rest = rest[1:]
	}
	if len(c.files) == 0 {
		return nil, usageError{errors.New("fbgen: no schema; usage: fbgen [flags] FILE.fbs|FILE.bfbs..., and fbgen --help for more")}
	}
	switch {
	case c.out != "" && c.pkg == "":
		abs, err := filepath.Abs(c.out)
		if err != nil {
			return nil, usageError{err}
		}
		c.pkg = gogen.PackageName(filepath.Base(abs))
	case c.pkg == "":
		c.pkg = gogen.PackageName(stem(c.files[0]))
	}
	if c.out == "" {
		c.out = filepath.Join(filepath.Dir(c.files[0]), c.pkg)
	}
	return c, nil
}

// stem returns the name of a file without folders and extension.
func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func (c *command) generate(stderr io.Writer) error {
	var inputs []gogen.Input
	found := c.root == ""
	for _, path := range c.files {
		s, err := c.load(path)
		if err != nil {
			return err
		}
		in := gogen.Input{Name: filepath.Base(path), Schema: s}
		if o := s.Object(c.root); c.root != "" && o != nil && !o.IsStruct {
			in.Root, found = c.root, true
		}
		inputs = append(inputs, in)
	}
	if !found {
		var tables []string
		for _, in := range inputs {
			for _, o := range in.Schema.Objects {
				if !o.IsStruct {
					tables = append(tables, o.Name)
				}
			}
		}
		return usageError{fmt.Errorf("fbgen: -root: no schema has a table %s%s", c.root, suggest.DidYouMean(c.root, tables))}
	}
	samples, err := readSamples(c.samples, c.root, inputs)
	if err != nil {
		return err
	}
	made, err := gogen.Generate(inputs, gogen.Options{
		Package: c.pkg, ReadOnly: c.readOnly, Fixed: c.fixed, Flatc: c.flatc, Mutable: c.mutable, GRPC: c.grpc, CopyStrings: c.copyStrings, Imports: c.imports, TypeNames: c.typeNames, Samples: samples,
	})
	if err != nil {
		return err
	}
	for _, in := range inputs {
		for _, service := range in.Schema.Services {
			if c.grpc {
				continue
			}
			fmt.Fprintf(stderr, "%s: note: nothing is generated for rpc_service %s without -grpc; its tables are\n", in.Name, service.Name)
		}
	}
	if c.check {
		return check(c.out, made)
	}
	if err := samePackage(c.out, c.pkg); err != nil {
		return err
	}
	return write(c.out, made, append(c.files, c.samples...))
}

// load reads one schema, in either form: a binary one is known by its
// identifier, whatever the file is called. It is read once, so that it may be a pipe.
func (c *command) load(path string) (*schema.Schema, error) {
	b, err := files.Read(path, files.MostSchema)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError{fmt.Errorf("fbgen: %w%s", err, suggest.File(path, ".fbs", ".bfbs"))}
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("fbgen: %w", err)}
	}
	if len(b) >= 8 && string(b[4:8]) == "BFBS" {
		s, err := bfbs.Load(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return s, nil
	}
	if filepath.Ext(path) == ".bfbs" {
		return nil, fmt.Errorf("%s: this is no binary schema: its file identifier, at offset 4, is not BFBS", path)
	}
	s, err := files.ParseSchema(path, b, c.include)
	var list fbs.ErrorList
	if err != nil && !errors.As(err, &list) {
		err = usageError{fmt.Errorf("fbgen: %w", err)}
	}
	return s, err
}
