package oracle

import (
	"strings"
	"testing"
)

func TestThePythonPackageIsOfTheReleaseOfFlatc(t *testing.T) {
	out, err := Python(t, "-c", "import flatbuffers; print(flatbuffers.__version__)").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != FlatcVersion {
		t.Errorf("version %q, %v", got, err)
	}
}

func TestNodeFindsTheBuilder(t *testing.T) {
	const program = `import('flatbuffers').then(({ Builder }) => console.log(new Builder(1).offset()))`
	out, err := Node(t, t.TempDir(), "-e", program).Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != "0" {
		t.Errorf("%q, %v", got, err)
	}
}
