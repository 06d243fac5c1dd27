// Command index measures an index in a file, some gigabytes of rows that are looked up by
// their ids: how long a program that has just started takes to its first answer, with the
// file in the page cache and not, what a random lookup takes then, and how much memory is
// resident, of the program's own and of the file.
//
//	go run ./benches/cmd/index              # two gigabytes; takes some minutes, and 16 GB of memory
//	go run ./benches/cmd/index --size 100   # a hundred megabytes
//
// The ways are: the file mapped and verified; mapped and vouched for, since this program
// wrote it or verified it before; verified, decoded into Go structs and put into a Go map;
// and a Protobuf file with the same rows, decoded into a Go map. Each runs in a process of
// its own, all ways in turn in each round, and all come to the same sum.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"text/tabwriter"

	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/internal/pair"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "index:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("index", flag.ContinueOnError)
	flags.SetOutput(stderr)
	size := flags.Int("size", 2000, "`MB` of rows in the FlatBuffers file, at most 4000")
	lookups := flags.Int("lookups", 1_000_000, "`N` random lookups, made twice")
	rounds := flags.Int("rounds", 3, "`N` times to start each way with the file in the page cache; once more without")
	asJSON := flags.Bool("json", false, "print one JSON object a way")
	child := flags.String("child", "", "for the command's own use: be the process of a `WAY`")
	file := flags.String("file", "", "for the command's own use: the `FILE` of that way")
	count := flags.Int("rows", 0, "for the command's own use: its `N` rows")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *size < 1 || *size > 4000 || *lookups < 1 || *rounds < 1:
		return errors.New("--size must be 1 to 4000, --lookups and --rounds at least 1")
	}
	if *child != "" {
		return be(*child, *file, *count, *lookups, stdout)
	}
	found, err := measure(ctx, *size<<20/bytesPerRow, *lookups, *rounds, stderr)
	if err != nil {
		return err
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		for _, i := range found {
			if err := out.Encode(i); err != nil {
				return err
			}
		}
		return nil
	}
	return table(stdout, found)
}

// measure writes the files and runs the ways.
func measure(ctx context.Context, rows, lookups, rounds int, log io.Writer) ([]record.Index, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "index-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(log, "writing %d rows\n", rows)
	flat, proto := filepath.Join(dir, "rows.fb"), filepath.Join(dir, "rows.pb")
	if err := errors.Join(writeFlat(flat, rows), writeProto(proto, rows)); err != nil {
		return nil, err
	}
	var found []record.Index
	var all [][]reading
	for _, w := range ways {
		name := flat
		if w.proto {
			name = proto
		}
		s, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		found = append(found, record.Index{Way: w.name, Bytes: s.Size(), Entries: rows, Lookups: lookups, Rounds: rounds})
		all = append(all, nil)
	}
	want := uint64(0)
	for round := range rounds + 1 {
		for i, w := range ways {
			name := flat
			if w.proto {
				name = proto
			}
			if round == 0 {
				if err := evict(name); err != nil {
					fmt.Fprintf(log, "%s stays in the page cache: %v\n", filepath.Base(name), err)
				}
			}
			cmd := exec.CommandContext(ctx, self, "--child", w.name, "--file", name, "--rows", fmt.Sprint(rows), "--lookups", fmt.Sprint(lookups))
			cmd.Stderr = log
			out, err := cmd.Output()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			var r reading
			if err := json.Unmarshal(out, &r); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if want == 0 {
				want = r.Sum
			}
			if r.Sum != want {
				return nil, fmt.Errorf("%s: the rows add up to %#x, and those of %s to %#x", w.name, r.Sum, ways[0].name, want)
			}
			fmt.Fprintf(log, "%s: %+v\n", w.name, r)
			if round == 0 {
				found[i].ColdNS = r.FirstNS
				continue
			}
			all[i] = append(all[i], r)
		}
	}
	for i := range found {
		median := func(of func(reading) float64) float64 {
			var values []float64
			for _, r := range all[i] {
				values = append(values, of(r))
			}
			return pair.Quantile(values, 0.5)
		}
		f := &found[i]
		f.FirstNS = median(func(r reading) float64 { return r.FirstNS })
		f.EarlyNS = median(func(r reading) float64 { return r.EarlyNS })
		f.LookupNS = median(func(r reading) float64 { return r.LookupNS })
		f.Own = int64(median(func(r reading) float64 { return float64(r.Own) }))
		f.OfFile = int64(median(func(r reading) float64 { return float64(r.OfFile) }))
	}
	return found, nil
}

// table prints what was found for a person.
func table(out io.Writer, found []record.Index) error {
	fmt.Fprintf(out, "%d rows, %d random lookups, %s on %s/%s; medians of %d runs\n\n", found[0].Entries, found[0].Lookups, runtime.Version(), runtime.GOOS, runtime.GOARCH, found[0].Rounds)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "way\tfile\tfirst answer, not cached\tcached\ta lookup, the first million\tfrom then on\town memory\tthe file's")
	for _, f := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Way, record.Size(int(f.Bytes)), record.Duration(f.ColdNS), record.Duration(f.FirstNS),
			record.Duration(f.EarlyNS), record.Duration(f.LookupNS), record.Size(int(f.Own)), record.Size(int(f.OfFile)))
	}
	return w.Flush()
}
