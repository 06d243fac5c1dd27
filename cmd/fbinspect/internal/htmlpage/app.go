package htmlpage

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed assets/app.html
var appPage string

//go:embed assets/app.js
var appScript string

//go:embed assets/worker.js
var workerScript string

const (
	module     = "github.com/fbverify/go/cmd/fbinspect"
	appPackage = module + "/internal/htmlpage/app"
)

// BuildApp builds the program that makes pages in a browser: its WebAssembly, and the script
// that runs what Go makes. It needs the Go toolchain. Inside a checkout of the module it builds
// that; elsewhere it builds the released version, which go install fetches.
func BuildApp(ctx context.Context, version string) (wasm, script []byte, err error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, nil, errors.New("--app builds its program with the Go toolchain, and there is no go on this machine's PATH: install it from https://go.dev/dl, or make the page on a machine that has it; it runs anywhere")
	}
	run := func(env []string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, tool, args...)
		cmd.Env = append(os.Environ(), env...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(said.Bytes()))
		}
		return bytes.TrimSpace(out), nil
	}
	dir, err := os.MkdirTemp("", "fbinspect-app-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	js := []string{"GOOS=js", "GOARCH=wasm", "GOWASM="}
	flags := []string{"-trimpath", "-ldflags=-s -w"}
	built := filepath.Join(dir, "app.wasm")
	if main, err := run(nil, "list", "-m", "-f", "{{.Main}}", module); err == nil && string(main) == "true" {
		_, err = run(js, append(append([]string{"build"}, flags...), "-o", built, appPackage)...)
		if err != nil {
			return nil, nil, err
		}
	} else {
		if !strings.HasPrefix(version, "v") || strings.Contains(version, "+") || strings.HasPrefix(version, "v0.0.0-") {
			return nil, nil, fmt.Errorf("--app builds its program from the source of fbinspect, and this fbinspect, %s, is of no released version: run it inside a checkout of the module, where cmd/fbinspect is", version)
		}
		cache, err := run(nil, "env", "GOMODCACHE")
		if err != nil {
			return nil, nil, err
		}
		// go install has no -o, and GOBIN is not for another platform: what it makes is below GOPATH.
		env := append(js, "GOPATH="+dir, "GOMODCACHE="+string(cache), "GOBIN=", "GOFLAGS=-mod=mod")
		if _, err := run(env, append(append([]string{"install"}, flags...), appPackage+"@"+version)...); err != nil {
			return nil, nil, err
		}
		built = filepath.Join(dir, "bin", "js_wasm", "app")
	}
	if wasm, err = os.ReadFile(built); err != nil {
		return nil, nil, err
	}
	root, err := run(nil, "env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	script, err = os.ReadFile(filepath.Join(string(root), "lib", "wasm", "wasm_exec.js"))
	return wasm, script, err
}

// WriteApp writes the page that opens what is dropped on it, of what BuildApp returned.
func WriteApp(w io.Writer, wasm, script []byte) error {
	if bytes.Contains(bytes.ToLower(script), []byte("</script")) {
		return errors.New("the toolchain's wasm_exec.js cannot stand in a page: it has the end of a script in it")
	}
	before, rest, _ := strings.Cut(appPage, "{{wasm}}")
	if _, err := io.WriteString(w, strings.Replace(before, "{{style}}", style, 1)); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	z, err := gzip.NewWriterLevel(text, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(wasm); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err = strings.NewReplacer("{{exec}}", string(script), "{{worker}}", workerScript, "{{script}}", appScript).WriteString(w, rest)
	return err
}
