package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func runs(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(args, &out, &errs); got != status {
		t.Fatalf("fbproto %s: exit status %d, want %d\n%s", strings.Join(args, " "), got, status, errs.String())
	}
	return out.String(), errs.String()
}

func TestTheSchemaThatIsThereIsCarriedOn(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "m.proto", `syntax = "proto3"; message M { string b = 2; }`)
	runs(t, statusDone, "-o", "m.fbs", "m.proto")
	write(t, "m.proto", `syntax = "proto3"; message M { int32 a = 1; string b = 2; }`)
	if _, stderr := runs(t, statusFault, "-check", "-o", "m.fbs", "m.proto"); !strings.Contains(stderr, "m.fbs") {
		t.Errorf("-check does not say which file: %s", stderr)
	}
	runs(t, statusDone, "-o", "m.fbs", "m.proto")
	runs(t, statusDone, "-o", "m.fbs", "-check", "m.proto")
	b, _ := os.ReadFile("m.fbs")
	if !strings.Contains(string(b), "a:int (id: 1, proto: 1);") {
		t.Errorf("a new field did not get the next id:\n%s", b)
	}
	runs(t, statusDone, "-o", "m.fbs", "-new", "m.proto")
	if b, _ = os.ReadFile("m.fbs"); !strings.Contains(string(b), "a:int (id: 0, proto: 1);") {
		t.Errorf("-new did not begin anew:\n%s", b)
	}
}

func TestFilesAreFoundByPathAndByName(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "api/v1/m.proto", `syntax = "proto3"; package v1; import "v1/n.proto"; message M { N n = 1; }`)
	write(t, "api/v1/n.proto", `syntax = "proto3"; package v1; message N { M m = 1; optional string s = 2; } message M {}`)
	if _, stderr := runs(t, statusFault, "-I", "api", "api/v1/m.proto"); !strings.Contains(stderr, "v1/n.proto:1:") {
		t.Errorf("a fault has no place: %s", stderr)
	}
	write(t, "api/v1/n.proto", `syntax = "proto3"; package v1; message N { optional string s = 2; }`)
	a, _ := runs(t, statusDone, "-I", "api", "api/v1/m.proto")
	b, _ := runs(t, statusDone, "v1/m.proto", "-I", "api", "-root", "v1.M")
	if !strings.Contains(b, a) || !strings.HasSuffix(b, "root_type v1.M;\n") {
		t.Errorf("a path and a name give\n%s\n%s", a, b)
	}
}

func TestNamesAreFlagsForTheGenerator(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "m.proto", `syntax = "proto3"; package p; message A { message Sub {} Sub s = 1; } message B { message Sub {} Sub s = 1; }`)
	out, _ := runs(t, statusDone, "-names", "-o", "m.fbs", "m.proto")
	for _, want := range []string{"-name p.A__.Sub=ASub\n", "-name p.B__.Sub=BSub\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{}, {"-nonsense"}, {"-check", "m.proto"}, {"-names", "m.proto"}, {"-identifier", "AB", "m.proto"}, {"../../x.proto"},
	} {
		if _, stderr := runs(t, statusUsage, args...); stderr == "" {
			t.Errorf("fbproto %q says nothing", args)
		}
	}
	runs(t, statusFault, "gone.proto")
	if out, _ := runs(t, statusDone, "--help"); out != help {
		t.Errorf("--help prints %q", out)
	}
}
