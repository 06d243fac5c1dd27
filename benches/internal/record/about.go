package record

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// About says on what and with what figures were measured.
type About struct {
	CPU    string `json:"cpu"` // as cpuid names it
	Family int    `json:"family"`
	Model  int    `json:"model"`
	Cores  int    `json:"cores"` // logical ones
	L2KiB  int    `json:"l2_kib"`
	L3KiB  int    `json:"l3_kib"`

	// Vectors are the instruction sets that the kernels may choose from.
	Vectors []string `json:"vectors,omitempty"`

	OS   string `json:"os"`
	Arch string `json:"arch"`
	Go   string `json:"go"`

	// Versions of the peers, "" of those that are not there.
	Rust  string `json:"rust,omitempty"`
	CXX   string `json:"cxx,omitempty"`
	Flatc string `json:"flatc,omitempty"`

	Revision string    `json:"revision"` // of this repository, "" if unknown
	Changed  bool      `json:"changed,omitempty"`
	At       time.Time `json:"at"`
	Load     float64   `json:"load"` // of the minute before, -1 if unknown
}

// Here returns About for this machine and the repository in folder root,
// without the peers.
func Here(ctx context.Context, root string) About {
	a := About{
		CPU: cpuid.CPU.BrandName, Family: cpuid.CPU.Family, Model: cpuid.CPU.Model, Cores: runtime.NumCPU(),
		L2KiB: max(cpuid.CPU.Cache.L2, 0) >> 10, L3KiB: max(cpuid.CPU.Cache.L3, 0) >> 10,
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		At: time.Now().UTC().Truncate(time.Second), Load: load(),
	}
	for _, f := range []cpuid.FeatureID{cpuid.AVX2, cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VBMI, cpuid.ASIMD} {
		if cpuid.CPU.Supports(f) {
			a.Vectors = append(a.Vectors, f.String())
		}
	}
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	if revision, err := git("rev-parse", "--short=12", "HEAD"); err == nil {
		a.Revision = revision
		changed, err := git("status", "--porcelain", "--untracked-files=no", "--", "*.go", "*.s", "go.mod")
		a.Changed = err != nil || changed != ""
	}
	return a
}

// load returns the load average of the last minute, where the system tells it as
// Linux does.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return -1
	}
	first, _, _ := strings.Cut(string(text), " ")
	value, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return -1
	}
	return value
}

// Lines are what a person reads of it.
func (a *About) Lines() []string {
	cpu := a.CPU
	if cpu == "" {
		cpu = "a processor that cpuid does not name"
	}
	lines := []string{
		cpu + ", " + strconv.Itoa(a.Cores) + " cores, " + a.OS + "/" + a.Arch,
		a.Go,
	}
	for _, peer := range []string{a.Rust, a.CXX, a.Flatc} {
		if peer != "" {
			lines = append(lines, peer)
		}
	}
	return lines
}
