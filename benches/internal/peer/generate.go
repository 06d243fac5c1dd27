package peer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fbverify/go/benches/internal/families"
	"github.com/fbverify/go/benches/internal/realfiles"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
)

// A format is what flatc makes one file of code from for each language.
type format struct {
	name  string            // of the file and of the Rust module: "arrow"
	files map[string][]byte // schemas
	whole string            // the one of them that includes all others
	roots []string          // full names of the types that are verified

	notInRust bool
}

var nested = regexp.MustCompile(`nested_flatbuffer: "(\w+)"`)

// base is what flatc's file is called after.
func (f *format) base() string { return strings.TrimSuffix(f.whole, path.Ext(f.whole)) }

// formatsOfRows returns the formats of the rows' types; root is the folder of this
// repository.
func formatsOfRows(root string) ([]format, error) {
	var all []format
	at := map[string]int{}
	for _, s := range families.Schemas {
		name, file, _ := strings.Cut(s.Name, "/")
		source, included := formats.Files(), s.Name+".fbs"
		if name == "inputs" { // each a format of its own
			source, name, included = inputs.Schemas(), file, file+".fbs"
		}
		i, ok := at[name]
		if !ok {
			i = len(all)
			at[name] = i
			all = append(all, format{name: name, whole: name + "_all.fbs", files: map[string][]byte{}})
			err := fs.WalkDir(source, ".", func(p string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || path.Ext(p) != ".fbs" {
					return err
				}
				all[i].files[p], err = fs.ReadFile(source, p)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		f := &all[i]
		f.files[f.whole] = fmt.Appendf(f.files[f.whole], "include %q;\n", included)
		f.roots = append(f.roots, s.Roots...)
	}
	for _, b := range realfiles.Bare {
		if b.Schema == "" || slices.ContainsFunc(all, func(f format) bool { return slices.Contains(f.roots, b.Root) }) {
			continue
		}
		f := format{files: map[string][]byte{}, whole: path.Base(b.Schema), roots: []string{b.Root}, notInRust: b.NotInRust}
		f.name = f.base()
		f.whole = f.name + ".fbs"
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(path.Dir(b.Schema)), "*"+path.Ext(b.Schema)))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			base := filepath.Base(name)
			if path.Ext(name) == ".bfbs" { // from which flatc writes structs in an order that does not compile
				if base != path.Base(b.Schema) {
					continue
				}
				s, err := bfbs.Load(text)
				if err != nil {
					return nil, err
				}
				var source bytes.Buffer
				if err := fbs.Write(&source, s); err != nil {
					return nil, err
				}
				// flatc's Rust for a nested buffer compiles only if its type has its full name.
				namespace := b.Root[:strings.LastIndex(b.Root, ".")+1]
				base, text = f.whole, nested.ReplaceAll(source.Bytes(), []byte(`nested_flatbuffer: "`+namespace+`$1"`))
			}
			f.files[base] = text
		}
		if f.files[f.whole] != nil { // the corpus is not everywhere
			all = append(all, f)
		}
	}
	return all, nil
}

// generate has flatc write the code of the peer of that language, "cpp" or "rust",
// and the list of what it can verify, and returns the folder. What is there already
// for the same schemas is used again.
func (b Builder) generate(language string) (string, error) {
	all, err := formatsOfRows(b.Root)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.Root, "benches", "peers", "build", language)
	hash := sha256.New()
	fmt.Fprintln(hash, oracle.FlatcVersion, layoutOfCode)
	for _, f := range all {
		fmt.Fprintln(hash, f.name, f.roots, f.notInRust)
		for _, name := range slices.Sorted(maps.Keys(f.files)) {
			fmt.Fprintf(hash, "%s %d\n%s", name, len(f.files[name]), f.files[name])
		}
	}
	stamp := []byte(hex.EncodeToString(hash.Sum(nil)))
	if made, err := os.ReadFile(filepath.Join(dir, "stamp")); err == nil && bytes.Equal(made, stamp) {
		return dir, nil
	}
	flatc, err := oracle.FindFlatc()
	if err != nil {
		return "", &Missing{Peer: map[string]string{"cpp": "the C++ Verifier", "rust": "the Rust crate"}[language],
			Tool: "flatc", Err: err, Install: "It writes the peer's code."}
	}
	b.logf("generating code in benches/peers/build/%s", language)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	var headers, list bytes.Buffer
	for _, f := range all {
		if language == "rust" && f.notInRust {
			continue
		}
		var code map[string][]byte
		if language == "cpp" {
			code, err = flatc.GenCpp(f.files, f.whole, "--gen-all")
		} else {
			code, err = flatc.GenRust(f.files, f.whole, "--gen-all")
		}
		if err != nil {
			return "", fmt.Errorf("flatc, %s for %s: %w", language, f.name, err)
		}
		switch language {
		case "cpp":
			fmt.Fprintf(&headers, "#include \"%s_generated.h\"\n", f.base())
			for _, root := range f.roots {
				fmt.Fprintf(&list, "WORK(%q, ::%s)\n", root, strings.ReplaceAll(root, ".", "::"))
			}
		case "rust":
			fmt.Fprintf(&headers, "#[path = \"%s_generated.rs\"]\npub mod %s;\n", f.base(), f.name)
			for _, root := range f.roots {
				words := strings.Split(root, ".")
				for i := range len(words) - 1 {
					words[i] = snake(words[i])
				}
				fmt.Fprintf(&list, "work!(%q, generated::%s::%s),\n", root, f.name, strings.Join(words, "::"))
			}
		}
		for name, text := range code {
			if err := os.WriteFile(filepath.Join(dir, path.Base(name)), text, 0o666); err != nil {
				return "", err
			}
		}
	}
	listed := map[string]string{"cpp": list.String(), "rust": "&[\n" + list.String() + "]\n"}[language]
	ending := map[string]string{"cpp": ".inc", "rust": ".rs"}[language]
	for name, text := range map[string]string{"mod" + ending: headers.String(), "works" + ending: listed, "stamp": string(stamp)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// layoutOfCode changes with what generate writes beside flatc's code.
const layoutOfCode = 1

// snake is how flatc spells a namespace in Rust: "FlatGeobuf" is "flat_geobuf".
func snake(name string) string {
	var s strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			s.WriteByte('_')
		}
		s.WriteRune(unicode.ToLower(r))
	}
	return s.String()
}
