package protobuf_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/protobuf"
)

// project is a Go module that ships .proto files. Those in dir are imported by their
// path below dir, with prefix before it; only holds what their paths contain, where not all are taken.
type project struct {
	name, module, dir, prefix, only string
	imported                        bool // for others to import: it declares options alone
	known                           bool // the well-known types, which flatc has not
}

var projects = []project{
	{name: "gogoproto", module: "github.com/cosmos/gogoproto@v1.7.2", dir: "protobuf", only: "google/protobuf/", known: true},
	{name: "containerd", module: "github.com/containerd/containerd/api@v1.12.0"},
	{name: "Kubernetes", module: "k8s.io/api@v0.37.2", prefix: "k8s.io/api/"},
	{name: "Kubernetes machinery", module: "k8s.io/apimachinery@v0.37.2", prefix: "k8s.io/apimachinery/"},
	{name: "Substrait", module: "github.com/substrait-io/substrait@v0.108.0", dir: "proto"},
	{name: "protovalidate", module: "github.com/bufbuild/protovalidate@v1.2.2", dir: "proto/protovalidate"},
	{name: "protoc-gen-validate", module: "github.com/envoyproxy/protoc-gen-validate@v1.3.3", only: "validate/"},
	{name: "CEL", module: "cel.dev/expr@v0.26.0", dir: "proto"},
	{name: "googleapis", module: "github.com/gogo/googleapis@v1.4.1", only: "google/"},
	{name: "etcd", module: "go.etcd.io/etcd/api/v3@v3.7.3", prefix: "etcd/api/", only: "version"},
	{name: "etcd", module: "go.etcd.io/etcd/api/v3@v3.7.3", prefix: "etcd/api/", only: "mvccpb"},
	{name: "Prometheus", module: "github.com/prometheus/client_model@v0.6.3"},
	{name: "vtprotobuf", module: "github.com/planetscale/vtprotobuf@v0.6.0", dir: "testproto", only: "scalars"},
	{name: "gogoproto", module: "github.com/cosmos/gogoproto@v1.7.2", only: "gogoproto/", imported: true},
	{name: "grpc-go", module: "google.golang.org/grpc@v1.85.0", only: "interop/stress"},
	{name: "protobuf-go", module: "google.golang.org/protobuf@v1.36.12", dir: "cmd/protoc-gen-go/testdata", prefix: "cmd/protoc-gen-go/testdata/", only: "nested_messages"},
}

// The tables of outcomes: a line for each file with project, path, message types and random messages
// that came back; and a line for each difference from flatc --proto with path and what it is.
const (
	publicTable = "testdata/public.txt"
	flatcTable  = "testdata/public-flatc.txt"
)

// filesEach is how many files of one project are tried by themselves. All of
// them are in the project's schema, whose code is compiled.
const filesEach = 8

// publicFiles parses the files of each project, which it downloads, and returns the texts that flatc needs, too.
func publicFiles(t *testing.T) (lists [][]protoreflect.FileDescriptor, texts map[string][]byte) {
	t.Helper()
	if os.Getenv("FBVERIFY_SLOW") == "" {
		t.Skip("FBVERIFY_SLOW is not set: this downloads modules and takes minutes")
	}
	all, known := fstest.MapFS{}, fstest.MapFS{}
	names := make([][]string, len(projects))
	for i, p := range projects {
		if p.known {
			p.load(t, known)
		} else {
			names[i] = p.load(t, all)
		}
	}
	texts = map[string][]byte{}
	for _, files := range []fstest.MapFS{known, all} {
		for name, file := range files {
			texts[name] = file.Data
		}
	}
	lists = make([][]protoreflect.FileDescriptor, len(projects))
	for i, p := range projects {
		if p.known || p.imported {
			continue
		}
		list, err := protobuf.ParseFS(all, names[i]...)
		if err != nil {
			t.Fatal(err)
		}
		lists[i] = list
	}
	return lists, texts
}

// tried returns the first files of a list that declare messages.
func tried(list []protoreflect.FileDescriptor) (some []protoreflect.FileDescriptor) {
	for _, d := range list {
		if d.Messages().Len() > 0 && len(some) < filesEach {
			some = append(some, d)
		}
	}
	return some
}

// TestPublicFiles is for a machine that can download modules:
//
//	FBVERIFY_SLOW=1 go test -v -timeout 60m -run PublicFiles ./protobuf
//
// It makes one schema of the files of each project, compiles the Go code that fbgen writes for it,
// and has 10,000 random messages of each file come back.
func TestPublicFiles(t *testing.T) {
	lists, _ := publicFiles(t)
	rows := make([][]string, len(projects))
	t.Run("projects", func(t *testing.T) {
		for i, p := range projects {
			if len(lists[i]) == 0 {
				continue
			}
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				s := checkFiles(t, lists[i])
				builds(t, s)
				for _, d := range tried(lists[i]) {
					n, types := comesBack(t, s, d, 10_000)
					rows[i] = append(rows[i], fmt.Sprintf("%s\t%s\t%d\t%d", p.name, d.Path(), types, n))
				}
			})
		}
	})
	if !t.Failed() {
		sameTable(t, publicTable, slices.Concat(rows...))
	}
}

// TestFlatcOnPublicFiles lists how names and types differ from those of flatc --proto.
func TestFlatcOnPublicFiles(t *testing.T) {
	lists, texts := publicFiles(t)
	f := oracle.NewFlatc(t)
	var rows []string
	for _, list := range lists {
		for _, d := range tried(list) {
			for _, line := range compareWithFlatc(t, f, texts, d) {
				rows = append(rows, d.Path()+"\t"+line)
			}
		}
	}
	sameTable(t, flatcTable, rows)
}

// sameTable compares a table with what was seen, or writes it with -update.
func sameTable(t *testing.T, name string, rows []string) {
	t.Helper()
	got := strings.Join(rows, "\n") + "\n"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || string(want) != got {
		t.Errorf("%s is not what was seen (%v), which is\n%s", name, err, got)
	}
}

func TestTheTableOfPublicFilesIsWhole(t *testing.T) {
	b, err := os.ReadFile(publicTable)
	if err != nil {
		t.Fatal(err)
	}
	seen, files := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(b)) {
		var types, n int
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 4 {
			t.Fatalf("%q has %d cells, not 4", line, len(cells))
		}
		if _, err := fmt.Sscan(cells[2]+" "+cells[3], &types, &n); err != nil || types < 1 || n < 10_000 {
			t.Errorf("%s: %d types, %d messages, not 10,000 (%v)", cells[1], types, n, err)
		}
		seen[cells[0]], files[cells[1]] = true, true
	}
	if len(files) < 50 || len(seen) < 10 {
		t.Errorf("there are %d files of %d projects, not 50 of 10", len(files), len(seen))
	}
	b, err = os.ReadFile(flatcTable)
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		name, _, _ := strings.Cut(line, "\t")
		compared[name] = true
	}
	if !maps.Equal(compared, files) {
		t.Errorf("%s and %s are not of the same files", publicTable, flatcTable)
	}
	for _, p := range projects {
		if !p.imported && !p.known && !seen[p.name] {
			t.Errorf("no file of %s is in the table", p.name)
		}
	}
}

// load adds a project's files, and returns the names of those that are tried.
func (p project) load(t *testing.T, all fstest.MapFS) (names []string) {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", p.module)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var module struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &module)
	}
	if err != nil {
		oracle.Missing(t, fmt.Sprintf("%s cannot be downloaded: %v", p.module, err))
	}
	root := os.DirFS(filepath.Join(module.Dir, filepath.FromSlash(p.dir)))
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".proto" {
			return err
		}
		b, err := fs.ReadFile(root, name)
		if full := p.prefix + name; err == nil && strings.Contains(full, p.only) {
			all[full] = &fstest.MapFile{Data: b}
			names = append(names, full)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// compareWithFlatc lists how what the file declares differs in the schema from what flatc makes of it.
func compareWithFlatc(t *testing.T, f *oracle.Flatc, texts map[string][]byte, d protoreflect.FileDescriptor) (list []string) {
	t.Helper()
	theirs, err := flatcSchema(f, texts, d.Path())
	if err != nil {
		reason := strings.Join(strings.Fields(err.Error()), " ")
		if _, after, ok := strings.Cut(reason, "error: "); ok {
			reason = after
		}
		who := "schema/fbs refuses what flatc makes"
		if failure := (*oracle.Failure)(nil); errors.As(err, &failure) {
			who = "flatc makes nothing"
		}
		return []string{fmt.Sprintf("%s: %.120s", who, reason)}
	}
	// flatc makes tables of all that is imported, used or not.
	files := []protoreflect.FileDescriptor{d}
	for i := range d.Imports().Len() {
		files = append(files, d.Imports().Get(i).FileDescriptor)
	}
	ours, _, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	nulls := 0
	for _, line := range differences(ours, theirs) {
		name := strings.TrimPrefix(strings.TrimPrefix(line, "table "), "enum ")
		switch {
		case !strings.HasPrefix(name, string(d.Package())+"."):
			// It is of an import.
		case strings.HasSuffix(line, ": here = null"):
			nulls++
		default:
			list = append(list, line)
		}
	}
	if nulls > 0 {
		list = append(list, fmt.Sprintf("%d fields: here = null", nulls))
	}
	if len(list) == 0 {
		list = []string{"the same"}
	}
	return list
}
