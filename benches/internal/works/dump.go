package works

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
)

// dumpWorks is a model of 4 MB turned into JSON by two programs, each started
// anew: what a person at a terminal waits for.
func dumpWorks() []Work {
	return []Work{{
		Name:  "dump/json",
		Needs: []string{Flatc},
		Make: func(ctx context.Context, env *Env) (pair.Leg, []pair.Leg, error) {
			if env.Flatc == "" || env.Inspect == "" {
				return pair.Leg{}, nil, ErrNoPeer
			}
			model, err := env.file("model.tflite", inputs.Model(4<<20))
			if err != nil {
				return pair.Leg{}, nil, err
			}
			out := filepath.Join(env.Temp, "model.json") // where flatc puts it
			ours := filepath.Join(env.Temp, "ours.json")
			// Both indent by two spaces, so that they write as many bytes.
			return program("fbinspect dump --json", ours, func(ctx context.Context) error {
					file, err := os.Create(ours)
					if err != nil {
						return err
					}
					cmd := exec.CommandContext(ctx, env.Inspect, "dump", "--json", "--indent", "2", model)
					cmd.Stdout = file
					return finish(cmd, file)
				}), []pair.Leg{program("flatc --json", out, func(ctx context.Context) error {
					schema := filepath.Join(env.Root, "schema", "formats", "tflite", "tflite.fbs")
					return finish(exec.CommandContext(ctx, env.Flatc, "--json", "--strict-json", "--raw-binary", "-o", env.Temp, schema, "--", model))
				})}, nil
		},
	}}
}

// finish runs a command and closes what it wrote to. The error holds what the
// command said.
func finish(cmd *exec.Cmd, closers ...io.Closer) error {
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	for _, c := range closers {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

// program is a leg of whole runs of a program that writes a JSON file. Its sum
// is that of the JSON's values, whatever their order and spelling.
func program(name, out string, run func(context.Context) error) pair.Leg {
	var (
		mu    sync.Mutex
		known []byte // output whose sum is known
		sum   uint64
	)
	return pair.Leg{Name: name, Run: func(ctx context.Context, n int) (pair.Sample, error) {
		mu.Lock()
		defer mu.Unlock()
		start := time.Now()
		for range n {
			if err := run(ctx); err != nil {
				return pair.Sample{}, err
			}
		}
		elapsed := time.Since(start)
		text, err := os.ReadFile(out)
		if err != nil {
			return pair.Sample{}, err
		}
		if known == nil || !bytes.Equal(text, known) {
			if sum, err = sumJSON(text); err != nil {
				return pair.Sample{}, fmt.Errorf("%s: %w", name, err)
			}
			known = text
		}
		return pair.Sample{Elapsed: elapsed, Sum: sum}, nil
	}}
}

// sumJSON returns a hash of a JSON value: the same for objects whose keys come
// in another order, for numbers that are spelt otherwise, and for numbers that
// differ after the fifth digit, which printers of floats choose differently.
func sumJSON(text []byte) (uint64, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return 0, err
	}
	if _, err := d.Token(); err != io.EOF {
		return 0, fmt.Errorf("more than one JSON value")
	}
	h := fnv.New64a()
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			io.WriteString(h, "{")
			for _, k := range slices.Sorted(maps.Keys(v)) {
				io.WriteString(h, strconv.Quote(k))
				walk(v[k])
			}
			io.WriteString(h, "}")
		case []any:
			io.WriteString(h, "[")
			for _, e := range v {
				walk(e)
			}
			io.WriteString(h, "]")
		case json.Number:
			f, err := v.Float64()
			switch {
			case err != nil:
				io.WriteString(h, v.String())
			case f == math.Trunc(f) && math.Abs(f) < 1<<53:
				io.WriteString(h, strconv.FormatFloat(f, 'f', 0, 64))
			default:
				io.WriteString(h, strconv.FormatFloat(f, 'g', 6, 64))
			}
			io.WriteString(h, ",")
		case string:
			io.WriteString(h, strconv.Quote(v))
		default:
			fmt.Fprint(h, v, ",")
		}
	}
	walk(value)
	return h.Sum64(), nil
}
