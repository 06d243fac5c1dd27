// Package judge is the engine of fbinspect verify for programs: the same verdicts, in the
// same lines, on files that a pipeline or a service names.
//
//	e, err := judge.New(judge.Options{})
//	if err != nil { … }
//	for f := range judge.Files(ctx, []string{"/data"}, true) {
//		v, err := e.File(ctx, f)
//		if err != nil { … }
//		os.Stdout.Write(v.Line) // as of fbinspect verify -r --json /data
//	}
package judge

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"sync"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// Options are the flags of fbinspect verify that bear on verdicts. The zero value has their
// defaults.
type Options struct {
	Schema      string   // a .fbs or .bfbs file, or the name of a known schema
	IncludeDirs []string // where included .fbs files are looked for too
	Root        string   // the root type
	Format      string   // of all files, as --format takes it; "" = found out
	All         bool     // every fault, not only the first of each part

	Verify fbverify.Options // limits and exceptions
}

// Engine judges files. It is safe for concurrent use.
type Engine struct {
	checker verdict.Checker
	scratch sync.Pool // of *verdict.Scratch
}

// New makes an engine. It fails where the schema cannot be read, or the format is unknown.
func New(o Options) (*Engine, error) {
	format := container.Unknown
	if o.Format != "" {
		var err error
		if format, err = container.ParseFormat(o.Format); err != nil {
			return nil, fmt.Errorf("format %q: %w", o.Format, err)
		}
	}
	types, err := input.LoadTypes(o.Schema, o.IncludeDirs, o.Root)
	if err != nil {
		return nil, err
	}
	e := &Engine{checker: verdict.Checker{Types: types, Format: format, Options: o.Verify, All: o.All, KeepParts: true}}
	e.scratch.New = func() any { return new(verdict.Scratch) }
	return e, nil
}

// File is the name of a file, as [Files] gives it. One that was named by itself needs Name
// only.
type File struct {
	Name     string // a path, or a URL
	InFolder bool   // nobody named it: it is passed over where it is of no known kind
	Err      error  // why what was named is no file; its verdict tells
}

// Files gives the files that names mean, until ctx ends: paths, patterns and URLs, and with
// recursive what is in folders, in the order that fbinspect verify takes them. Names in
// folders have to fit one of the patterns of include, where there are any; a pattern that is
// not sound fits none.
func Files(ctx context.Context, names []string, recursive bool, include ...string) iter.Seq[File] {
	return func(yield func(File) bool) {
		for f := range (verdict.Find{Recursive: recursive, Include: include}).Each(ctx, names) {
			if !yield(File{f.Name, f.InFolder, f.Err}) {
				return
			}
		}
	}
}

// Verdict is what is to be said of one file.
type Verdict struct {
	File   string // its name, without the secrets of a URL
	Format string // a name that fbinspect's --format takes, or "unknown"
	Valid  bool

	// Verdict is "sound", "deviating" or "damaged"; "" where there is none, for the reason
	// that Error gives (it could not be judged) or Skipped (it is of no known kind).
	Verdict        string
	Error, Skipped string

	Size   int64          // in bytes; 0 where it is not known
	Faults int            // how many
	Kinds  map[string]int // how many faults there are of each kind

	// Line is the line of fbinspect verify --json, with its line feed. Of a file that was
	// passed over that verb prints it with -v only.
	Line []byte
}

// File judges a file. What keeps it from a verdict, the end of ctx too, is in the verdict's
// Error; the error that is returned is of the writing of Line.
func (e *Engine) File(ctx context.Context, f File) (*Verdict, error) {
	var r verdict.Result
	if f.Err != nil {
		r = verdict.Unfit(f.Name, f.Err)
	} else {
		scratch := e.scratch.Get().(*verdict.Scratch)
		defer e.scratch.Put(scratch)
		r = e.checker.Check(ctx, f.Name, f.InFolder, scratch)
	}
	var line bytes.Buffer
	if err := (&verdict.JSON{W: &line}).Write(&r); err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	return &Verdict{
		File: r.File, Format: r.Format, Valid: r.Valid, Verdict: r.Verdict, Error: r.Error, Skipped: r.Skipped,
		Size: r.Size, Faults: r.Faults, Kinds: maps.Clone(r.Kinds), Line: line.Bytes(),
	}, nil
}
