// Fbproto makes a FlatBuffers schema of .proto files.
//
//	fbproto [flags] FILE.proto...
//
// The schema holds the messages, enums and services of all files given, and what they
// refer to. How they are mapped says the documentation of package protobuf.
//
// With -o the schema that is there is carried on: fields keep their ids, whatever was
// added, removed or renamed. Keep it beside the .proto files, under version control. fbproto
// --help explains the flags. The exit status is 0 when the schema was made, 1 when a file is at
// fault or -check finds a difference, and 2 for wrong usage and files that cannot be read or written.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/protobuf"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

const help = `fbproto makes a FlatBuffers schema (.fbs) of .proto files.

usage: fbproto [flags] FILE.proto...

  -o FILE          write the schema into FILE, by default to standard output; a FILE
                   that is there is the schema of before: its ids are carried on
  -new             begin anew: what is in -o's FILE does not count
  -I DIR           names of files and imports are relative to DIR; may be repeated;
                   by default the working folder
  -root MESSAGE    the message that is the root type, by its full name
  -identifier ABCD the file identifier, four bytes
  -check           write nothing: exit status 1 if FILE is not what would be written
  -names           print flags for fbgen that give types the names of protoc-gen-go
  -quiet           no warnings

examples:
  fbproto -o shop.fbs -root shop.Order shop/order.proto shop/item.proto
  fbgen -o shopfb $(fbproto -names -o shop.fbs shop/order.proto) shop.fbs
  fbproto -check -o shop.fbs shop/order.proto      # in continuous integration
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	statusDone  = 0
	statusFault = 1
	statusUsage = 2
)

// usageError is an error of the command line or of the file system.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errDiffers is what -check finds.
var errDiffers = errors.New("is not what would be written: run fbproto without -check")

func run(args []string, stdout, stderr io.Writer) int {
	c, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return statusDone
	}
	if err == nil {
		err = c.run(stdout, stderr)
	}
	var usage usageError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "fbproto:", err)
		return statusUsage
	}
	fmt.Fprintln(stderr, err)
	return statusFault
}

type command struct {
	out, root, identifier    string
	fresh, check, names, mum bool
	include, files           []string
}

func parseFlags(args []string) (*command, error) {
	c := &command{}
	f := flag.NewFlagSet("fbproto", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.out, "o", "", "")
	f.StringVar(&c.root, "root", "", "")
	f.StringVar(&c.identifier, "identifier", "", "")
	f.BoolVar(&c.fresh, "new", false, "")
	f.BoolVar(&c.check, "check", false, "")
	f.BoolVar(&c.names, "names", false, "")
	f.BoolVar(&c.mum, "quiet", false, "")
	f.Func("I", "", func(dir string) error { c.include = append(c.include, dir); return nil })
	// Flags may also stand after files.
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usageError{err}
		}
		if args = f.Args(); len(args) == 0 {
			break
		}
		c.files = append(c.files, args[0])
		args = args[1:]
	}
	switch {
	case len(c.files) == 0:
		return nil, usageError{errors.New("no .proto file is given; --help explains the flags")}
	case c.check && c.out == "":
		return nil, usageError{errors.New("-check needs -o: the file to compare with")}
	case c.names && c.out == "":
		return nil, usageError{errors.New("-names needs -o: standard output has the flags for fbgen")}
	case c.identifier != "" && len(c.identifier) != 4:
		return nil, usageError{fmt.Errorf("the identifier %q has %d bytes, not 4", c.identifier, len(c.identifier))}
	}
	if len(c.include) == 0 {
		c.include = []string{"."}
	}
	return c, nil
}

func (c *command) run(stdout, stderr io.Writer) error {
	descriptors, err := c.parse()
	if err != nil {
		return err
	}
	opts := &protobuf.Options{Root: protoreflect.FullName(c.root), Identifier: c.identifier}
	before, err := c.previous(opts)
	if err != nil {
		return err
	}
	s, warnings, err := protobuf.Schema(descriptors, opts)
	if err != nil {
		return err
	}
	if !c.mum {
		for _, w := range warnings {
			fmt.Fprintln(stderr, w)
		}
	}
	var text bytes.Buffer
	if err := fbs.Write(&text, s); err != nil {
		return err
	}
	switch {
	case c.check:
		if !bytes.Equal(before, text.Bytes()) {
			return fmt.Errorf("%s %w", c.out, errDiffers)
		}
	case c.out == "":
		_, err = stdout.Write(text.Bytes())
	default:
		err = c.write(text.Bytes())
	}
	if err == nil && c.names {
		err = printNames(stdout, s)
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

// parse reads the files, which are named relative to a folder of -I or by a path into one.
func (c *command) parse() ([]protoreflect.FileDescriptor, error) {
	names := make([]string, len(c.files))
	for i, file := range c.files {
		names[i] = filepath.ToSlash(filepath.Clean(file))
		for _, dir := range c.include {
			rel, err := filepath.Rel(dir, file)
			if _, missing := os.Stat(file); err == nil && missing == nil && filepath.IsLocal(rel) {
				names[i] = filepath.ToSlash(rel)
				break
			}
		}
		if !fs.ValidPath(names[i]) {
			return nil, usageError{fmt.Errorf("%s is in none of the folders %s: name one with -I", file, strings.Join(c.include, ", "))}
		}
	}
	return protobuf.ParseFS(folders(c.include), names...)
}

// folders are several folders as one: the first that has a file counts.
type folders []string

func (l folders) Open(name string) (fs.File, error) {
	for _, dir := range l {
		f, err := os.DirFS(dir).Open(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// previous reads the schema that is to be carried on, and returns its text.
func (c *command) previous(opts *protobuf.Options) ([]byte, error) {
	if c.out == "" {
		return nil, nil
	}
	b, err := files.Read(c.out, files.MostSchema)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, usageError{err}
	case c.fresh:
		return b, nil
	}
	opts.Previous, err = fbs.Parse(filepath.Base(c.out), b)
	return b, err
}

func (c *command) write(text []byte) error {
	out, err := files.Create(c.out, nil, c.files...)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return out.Close(err)
}

func printNames(w io.Writer, s *schema.Schema) error {
	names := protobuf.GoNames(s)
	for _, full := range slices.Sorted(maps.Keys(names)) {
		if _, err := fmt.Fprintf(w, "-name %s=%s\n", full, names[full]); err != nil {
			return err
		}
	}
	return nil
}
