package benches

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// TestMain says, before the first benchmark, on what it runs, in the "key:
// value" lines that benchstat and benchfmt read as configuration.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f != nil && f.Value.String() != "" {
		for _, line := range provenance() {
			fmt.Println(line)
		}
	}
	os.Exit(m.Run())
}

func provenance() []string {
	lines := []string{
		fmt.Sprintf("cpuid: %s, family %d model %d stepping %d, %d cores, L2 %d KiB, L3 %d KiB", cpuid.CPU.BrandName, cpuid.CPU.Family,
			cpuid.CPU.Model, cpuid.CPU.Stepping, cpuid.CPU.LogicalCores, cpuid.CPU.Cache.L2>>10, cpuid.CPU.Cache.L3>>10),
		"cpu-features: " + strings.Join(cpuid.CPU.FeatureSet(), ","),
		"go: " + runtime.Version(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		var flags []string
		for _, s := range info.Settings {
			if strings.HasPrefix(s.Key, "-") || strings.HasPrefix(s.Key, "GO") && s.Key != "GOOS" && s.Key != "GOARCH" {
				flags = append(flags, s.Key+"="+s.Value)
			}
		}
		lines = append(lines, "build-flags: "+strings.Join(flags, " "))
	}
	return lines
}

func TestProvenanceNamesTheProcessorAndTheToolchain(t *testing.T) {
	all := strings.Join(provenance(), "\n")
	for _, want := range []string{"cpuid: ", "go: go", "build-flags: "} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
	for _, line := range provenance() {
		key, _, ok := strings.Cut(line, ": ")
		if !ok || strings.ToLower(key) != key || strings.ContainsAny(line, "\n\r") {
			t.Errorf("%q is no configuration line of benchfmt", line)
		}
	}
}
