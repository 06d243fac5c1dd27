// Package seeds keeps the inputs that fuzz targets start from in files, in the format
// that Go's engine reads, and makes them anew:
//
//	go test ./schema -run Seeds -update
//
// A test of each package holds its files to what makes them, so that nobody has to
// trust bytes without a name. What the engine finds lies beside them, named for its
// hash, and is not touched.
package seeds

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Update says that files are to be written, not compared.
var Update = flag.Bool("update", false, "write the seeds of fuzz targets, and what else is compared, anew")

// Seed are the arguments of one call of a fuzz target: []byte, string, uint8 and uint64.
type Seed []any

// Set are the seeds of a target, by what they hold: "union-without-value".
type Set map[string]Seed

// found is how Go's engine names what it finds.
var found = regexp.MustCompile(`^[0-9a-f]{16}$`)

func dir(target string) string { return filepath.Join("testdata", "fuzz", target) }

// Check compares the files of a target with the seeds, or writes them: no file may
// be another than its seed, no seed without a file, and no file without a seed.
func Check(t *testing.T, target string, set Set) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, seed := range set {
		if name != Name(name) || found.MatchString(name) {
			t.Errorf("%s: %q is no name for a seed", target, name)
		}
		want := encode(t, seed)
		file := filepath.Join(dir(target), name)
		if *Update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its test makes (%v): add -update to write it", file, err)
		}
	}
	for _, name := range names(t, target) {
		if _, ok := set[name]; ok {
			continue
		}
		if file := filepath.Join(dir(target), name); !*Update {
			t.Errorf("no seed makes %s: add -update to remove it", file)
		} else if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// Keep is Check for seeds of random data, which change with the generator that makes
// them: the files may hold others, for which good reports no error.
func Keep(t *testing.T, target string, set func() Set, good func(name string, seed Seed) error) {
	t.Helper()
	if *Update {
		Check(t, target, set())
	}
	files := names(t, target)
	if len(files) == 0 {
		t.Fatalf("%s has no seeds: add -update to write them", target)
	}
	for _, name := range files {
		file := filepath.Join(dir(target), name)
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		seed, err := decode(string(content))
		if err == nil {
			err = good(name, seed)
		}
		if err != nil {
			t.Errorf("%s: %v: add -update to write all of them anew", file, err)
		}
	}
}

// names lists the seeds of a target that are in files.
func names(t *testing.T, target string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir(target))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !found.MatchString(e.Name()) {
			list = append(list, e.Name())
		}
	}
	return list
}

// Bytes returns the first argument of a seed's file.
func Bytes(content []byte) ([]byte, error) {
	seed, err := decode(string(content))
	if err != nil {
		return nil, err
	}
	if b, ok := append(seed, nil)[0].([]byte); ok {
		return b, nil
	}
	return nil, fmt.Errorf("its first argument is no []byte")
}

var strange = regexp.MustCompile(`[^a-z0-9]+`)

// Name makes a file's name of words.
func Name(words string) string {
	return strings.Trim(strange.ReplaceAllString(strings.ToLower(words), "-"), "-")
}

const header = "go test fuzz v1\n"

// encode writes a seed as Go's engine does.
func encode(t *testing.T, seed Seed) []byte {
	t.Helper()
	b := []byte(header)
	for _, arg := range seed {
		switch arg := arg.(type) {
		case []byte:
			b = fmt.Appendf(b, "[]byte(%q)\n", arg)
		case string:
			b = fmt.Appendf(b, "string(%q)\n", arg)
		case uint8:
			b = fmt.Appendf(b, "byte(%q)\n", rune(arg))
		case uint64:
			b = fmt.Appendf(b, "uint64(%d)\n", arg)
		default:
			t.Fatalf("a seed of type %T", arg)
		}
	}
	return b
}

// decode reads what encode writes.
func decode(text string) (seed Seed, err error) {
	body, ok := strings.CutPrefix(text, header)
	if !ok {
		return nil, fmt.Errorf("it does not start with %q", header)
	}
	for line := range strings.Lines(body) {
		arg, err := argument(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("%.40s…: %w", line, err)
		}
		seed = append(seed, arg)
	}
	return seed, nil
}

func argument(line string) (any, error) {
	e, err := parser.ParseExpr(line)
	if err != nil {
		return nil, err
	}
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, fmt.Errorf("no conversion of one value")
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return nil, fmt.Errorf("no literal")
	}
	typ := line[:int(call.Lparen)-1]
	switch typ {
	case "[]byte", "string":
		text, err := strconv.Unquote(lit.Value)
		if typ == "[]byte" {
			return []byte(text), err
		}
		return text, err
	case "byte":
		text, err := strconv.Unquote(lit.Value)
		if c := []rune(text); err == nil && len(c) == 1 && c[0] < 256 {
			return uint8(c[0]), nil
		}
		return nil, fmt.Errorf("%s is no byte", lit.Value)
	case "uint64":
		return strconv.ParseUint(lit.Value, 0, 64)
	}
	return nil, fmt.Errorf("no type of a seed: %s", typ)
}
