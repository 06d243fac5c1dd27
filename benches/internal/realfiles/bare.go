package realfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
)

// Bare are files that are FlatBuffers and nothing else, of types that are no known
// file format's, with their schemas. Paths are relative to the folder of this
// repository.
var Bare = []struct {
	Schema string // .fbs or .bfbs, "" for that of schemas in binary form
	Root   string // full name of the root type
	Files  string // a pattern

	// NotInRust says that flatc refuses to write Rust for the schema, or writes what
	// does not compile: vectors of unions, 64-bit offsets, structs in unions.
	NotInRust bool
}{
	{"testdata/flatbuffers/survey.fbs", "cave.survey.Survey", "testdata/flatbuffers/survey*.bin", true},
	{"testdata/flatbuffers/survey.fbs", "cave.survey.Survey", "testdata/flatbuffers/surveys.stream", true},
	{"testdata/flatbuffers/archive.fbs", "cave.archive.Archive", "testdata/flatbuffers/archive*.bin", true},
	{"../shared/corpus/schemas/google/monster_test.bfbs", "MyGame.Example.Monster", "../shared/corpus/google/*.mon", false},
	{"../shared/corpus/schemas/google/annotated_binary.bfbs", "AnnotatedBinary.Foo", "../shared/corpus/google/annotated_binary.bin", true},
	{"", "reflection.Schema", "testdata/flatbuffers/*.bfbs", false},
	{"", "reflection.Schema", "../shared/corpus/schemas/*/*.bfbs", false},
}

// BareType returns the type of a root of Bare, nil where there is no such root or
// its schema is not there.
func BareType(root, name string) (*fbverify.Type, error) {
	for _, b := range Bare {
		if b.Root != name {
			continue
		}
		if b.Schema == "" {
			s, err := formats.Load("reflection/reflection")
			if err != nil {
				return nil, err
			}
			return fbverify.Compile(s, name)
		}
		file := filepath.Join(root, filepath.FromSlash(b.Schema))
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var s *schema.Schema
		if path.Ext(b.Schema) == ".bfbs" {
			s, err = bfbs.Load(text)
		} else {
			s, err = fbs.ParseFS(os.DirFS(filepath.Dir(file)), path.Base(b.Schema))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Schema, err)
		}
		return fbverify.Compile(s, name)
	}
	return nil, nil
}

// bareFiles returns the files of Bare. Messages in streams, and in files that say so
// by their names, start with their length.
func bareFiles(root string) ([]File, error) {
	var files []File
	for _, b := range Bare {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(b.Files)))
		if err != nil {
			return nil, err
		}
		t, err := BareType(root, b.Root)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			base := filepath.Base(name)
			file := File{Name: path.Join(filepath.Base(filepath.Dir(name)), base), Size: len(data)}
			var opts *fbverify.Options
			framing := fbverify.Unframed
			if strings.Contains(base, "size-prefixed") || strings.Contains(base, "_sp.") || path.Ext(base) == ".stream" {
				framing = fbverify.SizePrefixed
				opts = &fbverify.Options{Framing: framing}
			}
			for at := 0; at < len(data); {
				message, _, err := framing.Message(data[at:])
				if err != nil {
					return nil, fmt.Errorf("%s: no message at %d: %w", name, at, err)
				}
				end := at + len(message)
				part := Part{Name: fmt.Sprintf("message[%d]", len(file.Parts)), Root: b.Root, Bytes: data[at:end:end], Type: t, Options: opts}
				err = part.Verify()
				if errors.Is(err, fbverify.ErrMisaligned) && b.Schema == "" {
					at = end // flatc leaves some schemas so, and all verifiers refuse them
					continue
				}
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				file.Parts = append(file.Parts, part)
				at = end
			}
			if len(file.Parts) > 0 {
				files = append(files, file)
			}
		}
	}
	return files, nil
}
