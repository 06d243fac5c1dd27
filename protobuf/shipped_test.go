package protobuf_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	// Their files are registered, and so are those of descriptor.proto.
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/apipb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/sourcecontextpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/typepb"
	_ "google.golang.org/protobuf/types/pluginpb"

	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/protobuf"
	"github.com/fbverify/go/schema"
)

// checkFiles makes a schema of files and checks its text.
func checkFiles(t *testing.T, files []protoreflect.FileDescriptor) *schema.Schema {
	t.Helper()
	s, warnings, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[protobuf.WarningKind]int{}
	for _, w := range warnings {
		kinds[w.Kind]++
	}
	t.Logf("%d tables, %d enums and unions, %d services; warnings %v; text of %d bytes", len(s.Objects), len(s.Enums), len(s.Services), kinds, len(text(t, s)))
	return s
}

// comesBack converts at least n random messages of a file, of all its types in turn, and returns
// how many those were.
func comesBack(t *testing.T, s *schema.Schema, f protoreflect.FileDescriptor, n int) (made, types int) {
	t.Helper()
	list := messagesOf([]protoreflect.FileDescriptor{f})
	if len(list) == 0 {
		return 0, 0
	}
	r := rand.New(rand.NewPCG(uint64(len(list)), 26))
	for _, d := range list {
		c := converter(t, s, d)
		for range (n + len(list) - 1) / len(list) {
			m := dynamicpb.NewMessage(d)
			fill(r, m, 2)
			roundTrip(t, c, m)
			made++
		}
	}
	return made, len(list)
}

// builds compiles the Go code that fbgen writes for a schema.
func builds(t *testing.T, s *schema.Schema) {
	t.Helper()
	made, err := gogen.Generate([]gogen.Input{{Name: "x.fbs", Schema: s}}, gogen.Options{Package: "public", TypeNames: protobuf.GoNames(s)})
	if err != nil {
		t.Errorf("fbgen: %v", err)
		return
	}
	// It has to lie in a module that requires the library.
	dir, err := os.MkdirTemp(".", "_public")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, f := range made {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "./"+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the code does not compile: %v\n%.2000s", err, out)
	}
}

func TestTheFilesThatComeWithProtobufComeBack(t *testing.T) {
	var files []protoreflect.FileDescriptor
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		files = append(files, f)
		return true
	})
	if len(files) < 12 {
		t.Fatalf("only %d files are registered", len(files))
	}
	slices.SortFunc(files, func(a, b protoreflect.FileDescriptor) int { return strings.Compare(a.Path(), b.Path()) })
	s := checkFiles(t, files)
	if !testing.Short() {
		builds(t, s)
	}
	for _, f := range files {
		comesBack(t, s, f, 200)
	}
}
