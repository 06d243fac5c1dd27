// Split says where the time goes when a stream of 100,000 rows is decoded: to
// framing, to verification, to decoding, or to what the program does with the
// rows, so that it can be told whether the format is the problem at all.
//
// Parts are found by subtraction. A stage does what the one before it does and
// one thing more; all stages take turns in each round, and a part is the
// difference of two of them within a round. The first stage, moving the bytes
// through a buffer, is the floor that no decoder gets below.
//
// Exit status: 0, or 2 when something went wrong.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/rows"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
)

const usage = `usage: go run ./benches/cmd/split [flags]

Splits the time of decoding rows into moving bytes, framing, verification,
decoding and the program's own work, for each way of holding a row; counts
allocations and copied bytes.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "split:", err)
		os.Exit(2)
	}
}

// maxRows keeps the stream, about 120 bytes a row, below a gigabyte or so.
const maxRows = 10_000_000

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("split", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	count := flags.Int("rows", 100_000, "how many rows the stream has")
	rounds := flags.Int("rounds", 21, "most rounds; fewer than 5 separate nothing")
	turn := flags.Duration("turn", 20*time.Millisecond, "how long each stage runs in a round")
	budget := flags.Duration("budget", 0, "measure about this long at most; 0 is as long as it takes")
	asJSON := flags.Bool("json", false, "print one JSON object a part")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *count < 1 || *count > maxRows:
		return fmt.Errorf("--rows must be between 1 and %d", maxRows)
	case *rounds < 1 || *turn <= 0 || *budget < 0:
		return errors.New("--rounds and --turn must be positive, and --budget must not be negative")
	}
	parts, err := split(ctx, *count, pair.Config{Rounds: *rounds, Turn: *turn, Budget: *budget})
	if err != nil {
		return err
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		for _, p := range parts {
			if err := out.Encode(p); err != nil {
				return err
			}
		}
		return nil
	}
	return table(stdout, parts)
}

// split measures a stream of count rows.
func split(ctx context.Context, count int, config pair.Config) ([]record.Part, error) {
	stream := inputs.Rows(count)
	if _, err := rows.ProveAll(stream, count); err != nil {
		return nil, err
	}
	stages, err := rows.Stages(stream)
	if err != nil {
		return nil, err
	}
	var legs []pair.Leg
	at := map[[2]string]int{}
	for i, s := range stages {
		sum, err := s.Prove()
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", s.Via, s.Name, err)
		}
		at[[2]string{s.Via, s.Name}] = i
		legs = append(legs, pair.Leg{Name: s.Via + " " + s.Name, Run: func(_ context.Context, n int) (pair.Sample, error) {
			start := time.Now()
			for range n {
				if err := s.Run(); err != nil {
					return pair.Sample{}, err
				}
			}
			return pair.Sample{Elapsed: time.Since(start), Sum: sum}, nil
		}})
	}
	series, err := pair.Run(ctx, legs[0], legs[1:], config)
	if err != nil {
		return nil, err
	}

	var parts []record.Part
	for _, way := range rows.Ways {
		common := func(name string) int { return at[[2]string{"", name}] }
		before := common(rows.Framed)
		add := func(part string, stage, less int) {
			p := difference(series, stage, less, count)
			p.Via, p.Part = way.Name, part
			parts = append(parts, p)
		}
		add(record.Floor, common(rows.Moved), pair.Nothing)
		add(record.Verify, common(rows.Verified), common(rows.Moved))
		add(record.Framing, common(rows.Framed), common(rows.Verified))
		if decoded, ok := at[[2]string{way.Name, rows.Decoded}]; ok {
			add(record.Decoding, decoded, before)
			before = decoded
		}
		worked := at[[2]string{way.Name, rows.Worked}]
		add(record.Work, worked, before)
		add(record.Whole, worked, pair.Nothing)
		memory, err := way.Memory(stream, count)
		if err != nil {
			return nil, err
		}
		whole := &parts[len(parts)-1]
		whole.Allocs, whole.Allocated, whole.Copied = &memory.Allocs, &memory.Allocated, &memory.Copied
	}
	return parts, nil
}

// difference is what a stage takes longer than another, a row.
func difference(s *pair.Series, stage, less, count int) record.Part {
	d := s.Difference(stage, less)
	n := float64(count)
	return record.Part{NS: d.Median / n, Low: d.Low / n, High: d.High / n, Rounds: d.Rounds, Agree: d.Agree, Separable: d.Separable, Reason: d.Reason}
}

// table prints the parts for a person.
func table(out io.Writer, parts []record.Part) error {
	fmt.Fprintln(out, "Nanoseconds a row, medians on this machine; what is not separable from nothing is in parentheses.")
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "via\t")
	for _, name := range append(record.Parts[:len(record.Parts):len(record.Parts)], record.Whole) {
		fmt.Fprintf(w, "%s\t", name)
	}
	fmt.Fprintln(w, "allocs\tallocated B\tcopied B\t")
	for _, way := range rows.Ways {
		fmt.Fprintf(w, "%s\t", way.Name)
		for _, name := range append(record.Parts[:len(record.Parts):len(record.Parts)], record.Whole) {
			cell := ""
			for _, p := range parts {
				if p.Via != way.Name || p.Part != name {
					continue
				}
				if cell = fmt.Sprintf("%.1f", p.NS); !p.Separable {
					cell = "(" + cell + ")"
				}
				if p.Allocs != nil {
					cell += fmt.Sprintf("\t%.2f\t%.0f\t%.0f", *p.Allocs, *p.Allocated, *p.Copied)
				}
			}
			fmt.Fprintf(w, "%s\t", cell)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
