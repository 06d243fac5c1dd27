// Package fbs reads and writes schemas in the language of flatc (.fbs): [ParseFS] and
// [Parse] read, [Write] writes.
package fbs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// Limits on what a parse takes in. Real schemas stay far below; text from
// elsewhere is stopped here.
const (
	maxText         = 8 << 20 // bytes of all files together
	maxFiles        = 4096
	maxIncludeDepth = 256
)

// Options says how to parse where the defaults do not do.
type Options struct {
	// Include lists folders of the file system in which to look for an included
	// file that is not beside the including one, in this order; flatc's -I. After
	// them comes the folder of the first file.
	Include []string
}

// ParseFS reads the schema in the .fbs file at path and all that it includes,
// from fsys. Paths are those of [fs.FS]: slashes, relative to its root; ".." in
// an include may not leave it.
//
// The language is that of flatc 25.12.19, and so are the rules by which a name
// finds its declaration, which depend on the order of the text: an enum has to be
// declared before its use, and so has a struct that is part of a struct. JSON
// data after the declarations is passed over; flatc would look at it.
//
// Some things that flatc takes are errors here, as they lead to wrong layouts
// or mean nothing: a struct in itself, layouts that do not fit the 16 bits of an
// offset or 31 of a size, tables with more fields than a vtable has slots, structs
// more than 64 deep, negative tags and bit_flags of unions, an enum of its own
// type, a nested_flatbuffer that names a struct or, by the order of the text,
// another table than its name says, a struct declared after its use as a message.
//
// The text may come from anywhere. All files together may have 8 MiB. The error
// for a faulty schema is an [ErrorList].
func ParseFS(fsys fs.FS, path string) (*schema.Schema, error) {
	return Options{}.ParseFS(fsys, path)
}

// Parse reads a schema that is one text without includes. The name stands in
// errors and, with its last part, as the name of the file in the schema.
func Parse(name string, text []byte) (*schema.Schema, error) {
	base := path.Base(path.Clean("/" + strings.ReplaceAll(name, "\\", "/")))
	if base == "/" {
		base = "schema.fbs"
	}
	p := newFilesParser(Options{}, nil)
	p.FileName, p.only = name, string(text)
	return p.parse(base)
}

// ParseFS is [ParseFS] with the options.
func (o Options) ParseFS(fsys fs.FS, path string) (*schema.Schema, error) {
	return newFilesParser(o, fsys).parse(path)
}

// filesParser reads the files of a schema in the order of their includes and
// hands each to the resolver after those it includes.
type filesParser struct {
	fsys     fs.FS // nil for a text alone, which is in only
	only     string
	include  []string
	FileName string // in errors, instead of the path of the first file
	root     string
	err      *reporter
	resolver *resolver

	seen    map[string]bool     // paths
	content map[content]bool    // one file under two paths
	files   map[string]*visited // by path
	bytes   int
}

// content tells files apart as flatc does: by their last name and their text. So
// a file is read once under whatever paths it is found.
type content struct{ base, text string }

type visited struct{ includes []string } // paths

func newFilesParser(o Options, fsys fs.FS) *filesParser {
	err := &reporter{}
	return &filesParser{
		fsys: fsys, include: o.Include, err: err, resolver: newResolver(err),
		seen: map[string]bool{}, content: map[content]bool{}, files: map[string]*visited{},
	}
}

func (p *filesParser) parse(root string) (*schema.Schema, error) {
	p.root = root
	if p.fsys != nil && !fs.ValidPath(root) {
		return nil, ErrorList{{File: p.show(root), Err: fs.ErrInvalid, Message: "this is no path in an fs.FS: " +
			"it has slashes, starts without one at the root of the file system, and has no \".\" and \"..\" in it"}}
	}
	text, err := p.read(root)
	if err != nil {
		return nil, ErrorList{{File: p.show(root), Message: readMessage(err), Err: err}}
	}
	p.file(root, text, 0)
	s := p.resolver.finish()
	if err := p.err.err(); err != nil {
		return nil, err
	}
	s.Files = p.fileList()
	return s, nil
}

func (p *filesParser) show(path string) string {
	if path == p.root && p.FileName != "" {
		return p.FileName
	}
	return path
}

var (
	errTooLarge = fmt.Errorf("the files of the schema have more than %d MiB together, the most that is read", maxText>>20)
	errTooMany  = fmt.Errorf("the schema has more than %d files, the most that are read", maxFiles)
	errFolder   = errors.New("it is a folder, not a file")

	errIrregular = errors.New("it is a pipe or a device, not a file")
)

// read returns the text of a file.
func (p *filesParser) read(name string) (string, error) {
	if len(p.seen) >= maxFiles {
		return "", errTooMany
	}
	if p.fsys == nil {
		switch {
		case name != p.root:
			return "", fs.ErrNotExist
		case len(p.only) > maxText:
			return "", errTooLarge
		}
		return p.only, nil
	}
	f, err := p.fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", errFolder
	}
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(f, int64(maxText-p.bytes)+1))
	if err != nil {
		return "", err
	}
	if n > int64(maxText-p.bytes) {
		return "", errTooLarge
	}
	return b.String(), nil
}

func readMessage(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err // the name is there already
	}
	return "cannot be read: " + err.Error()
}

// file parses one file and those it includes, and declares what they declare.
func (p *filesParser) file(name, text string, depth int) {
	id := content{path.Base(name), text}
	p.seen[name] = true
	if p.content[id] {
		return
	}
	p.content[id] = true
	p.bytes += len(text)
	v := &visited{}
	p.files[name] = v
	tree := parseFile(&source{name: p.show(name), text: text}, p.err)
	for _, include := range tree.includes {
		if p.err.full() {
			return
		}
		p.includeFile(name, v, include, depth)
	}
	p.resolver.file(tree, p.relative(name))
}

func (p *filesParser) includeFile(from string, v *visited, include name, depth int) {
	written := strings.ReplaceAll(include.text, "\\", "/")
	found, text, err := p.locate(from, written)
	if err == nil && depth >= maxIncludeDepth && !p.seen[found] {
		err = fmt.Errorf("files include one another %d deep, the most that is read", maxIncludeDepth)
	}
	if err != nil {
		p.resolver.incomplete = true
		p.err.at(include.span, "cannot include %s: %v", words.Quote(include.text), err)
		p.err.blame(err)
		return
	}
	v.includes = append(v.includes, found)
	if !p.seen[found] {
		p.file(found, text, depth+1)
	}
}

// locate finds an included file: beside the including one, then along the search
// path. The text is "" for a file that was read before.
func (p *filesParser) locate(from, written string) (found, text string, err error) {
	var tried []string
	folders := append([]string{path.Dir(from)}, p.include...)
	folders = append(folders, path.Dir(p.root))
	for _, folder := range folders {
		if strings.HasPrefix(written, "/") {
			break
		}
		candidate := path.Join(folder, written)
		if !fs.ValidPath(candidate) || candidate == "." || slices.Contains(tried, candidate) {
			continue
		}
		tried = append(tried, candidate)
		if p.seen[candidate] {
			return candidate, "", nil
		}
		if p.fsys != nil {
			// Whoever wrote the schema must not have a pipe waited for. The first file
			// may be one: it was named by the caller.
			if info, err := fs.Stat(p.fsys, candidate); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return "", "", errIrregular
			}
		}
		text, err := p.read(candidate)
		if err == nil {
			return candidate, text, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", err
		}
	}
	if len(tried) == 0 {
		return "", "", errors.New("the path leads out of the folder that is read")
	}
	return "", "", &IncludeError{Include: written, Tried: tried}
}

// relative names a file as binary schemas do: "//" and the way from the folder
// of the first file.
func (p *filesParser) relative(name string) string {
	from := path.Dir(p.root)
	up := ""
	for from != "." && !strings.HasPrefix(name, from+"/") {
		from = path.Dir(from)
		up += "../"
	}
	if from != "." {
		name = strings.TrimPrefix(name, from+"/")
	}
	return "//" + up + name
}

func (p *filesParser) fileList() []schema.File {
	var list []schema.File
	for name, v := range p.files {
		sort.Strings(v.includes)
		f := schema.File{Name: p.relative(name)}
		for i, include := range v.includes {
			if i == 0 || include != v.includes[i-1] {
				f.Includes = append(f.Includes, p.relative(include))
			}
		}
		list = append(list, f)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}
