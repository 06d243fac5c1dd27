// Peers holds this implementation against others, and against itself, on the
// same bytes in the same run.
//
// Rounds are interleaved: everything once in each round, ratios within a round,
// the median of the ratios. A ratio is told only if enough rounds agree on who
// is faster and the difference is larger than what the machine shows between a
// thing and itself; otherwise the row says "not separable" and why.
//
// Exit status: 0 when everything that could be compared was, 1 when two legs did
// not compute the same, 2 when something else went wrong.
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
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/works"
	"github.com/fbverify/go/internal/pair"
)

const usage = `usage: go run ./benches/cmd/peers [flags]

Compares this implementation with the Rust crate flatbuffers, the C++ Verifier,
flatc and the accessors that flatc --go generates, in interleaved rounds on the
same bytes. Peers are built from benches/peers; what is not installed is left out.

`

func main() {
	if serving() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// serving acts as a peer where this program was started as one, and says so.
func serving() bool {
	if !slices.Equal(os.Args[1:], []string{peer.ServeArgument}) {
		return false
	}
	root, err := repository(context.Background())
	if err == nil {
		err = peer.Serve(root, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(2)
	}
	return true
}

// options are what the flags say.
type options struct {
	only   *regexp.Regexp
	budget time.Duration
	rounds int
	turn   time.Duration
	json   bool
	list   bool
	about  bool
	short  bool
}

func parse(args []string, stderr io.Writer) (*options, error) {
	var o options
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	only := flags.String("only", "", "compare only works whose names match the regular `expression`")
	flags.DurationVar(&o.budget, "budget", 0, "measure no longer than this, building peers not included; 0 is as long as it takes")
	flags.IntVar(&o.rounds, "rounds", 11, "most rounds for each work; fewer than 5 give no figures")
	flags.DurationVar(&o.turn, "turn", 20*time.Millisecond, "how long each leg runs in a round")
	flags.BoolVar(&o.json, "json", false, "print one JSON object a row")
	flags.BoolVar(&o.list, "list", false, "list the works and what they need, and compare nothing")
	flags.BoolVar(&o.about, "about", false, "print on what and with what it would compare, as a JSON object, and compare nothing")
	flags.BoolVar(&o.short, "short", false, "use smaller inputs where the full ones take seconds to make")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.rounds < 1 || o.turn <= 0 || o.budget < 0 {
		return nil, errors.New("--rounds and --turn must be positive, and --budget must not be negative")
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	return &o, nil
}

// run is the whole command.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 2
	}
	root, err := repository(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 2
	}
	all, err := works.All(root, o.short)
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 2
	}
	var chosen []works.Work
	for _, w := range all {
		if o.only.MatchString(w.Name) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		fmt.Fprintf(stderr, "peers: no work is called anything like %q; --list lists them\n", o.only)
		return 2
	}
	if o.list {
		for _, w := range chosen {
			fmt.Fprintf(stdout, "%-40s %s\n", w.Name, strings.Join(w.Needs, " "))
		}
		return 0
	}
	code, err := compare(ctx, root, o, chosen, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 2
	}
	return code
}

// compare builds the peers that the works need and goes through the works.
func compare(ctx context.Context, root string, o *options, chosen []works.Work, stdout, stderr io.Writer) (code int, err error) {
	temp, err := os.MkdirTemp("", "fbverify-peers-")
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(temp)

	env := &works.Env{Root: root, Temp: temp, Short: o.short}
	defer closePeers(env)
	if err := buildPeers(ctx, env, chosen, stderr); err != nil {
		return 2, err
	}

	about := aboutPeers(ctx, env)
	if o.about {
		return 0, json.NewEncoder(stdout).Encode(map[string]record.About{"about": about})
	}
	var out report = &table{out: stdout}
	if o.json {
		out = &lines{out: stdout}
	}
	out.begin(about.Lines())
	start := time.Now()
	for i, w := range chosen {
		var share time.Duration // of what is left of the budget
		if o.budget > 0 {
			left := o.budget - time.Since(start)
			if left <= 0 {
				fmt.Fprintf(stderr, "peers: the budget of %v is used up; %d works were not reached, from %s on\n", o.budget, len(chosen)-i, w.Name)
				break
			}
			share = left / time.Duration(len(chosen)-i)
		}
		rows, err := one(ctx, w, env, o, share)
		var disagreement *pair.Disagreement
		var skip works.Skip
		switch {
		case errors.Is(err, works.ErrNoPeer):
			fmt.Fprintf(stderr, "peers: %s is left out: none of %s is there\n", w.Name, strings.Join(w.Needs, ", "))
		case errors.As(err, &skip):
			fmt.Fprintf(stderr, "peers: %s is left out: %v\n", w.Name, skip)
		case errors.As(err, &disagreement):
			fmt.Fprintf(stderr, "peers: %s: %v\n", w.Name, err)
			code = 1
		case ctx.Err() != nil:
			out.end()
			return 2, errors.New("interrupted")
		case err != nil:
			fmt.Fprintf(stderr, "peers: %s: %v\n", w.Name, err)
			code = max(code, 2)
		}
		for _, r := range rows {
			out.row(r)
		}
		progress(stderr, start, i+1, len(chosen))
	}
	return code, out.end()
}

// progress tells a person who waits how far it is; nobody else.
func progress(stderr io.Writer, start time.Time, done, all int) {
	file, ok := stderr.(*os.File)
	if !ok {
		return
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	end := "\r"
	if done == all {
		end = "\n"
	}
	fmt.Fprintf(stderr, "%4v: %d of %d works%s", time.Since(start).Round(time.Second), done, all, end)
}

// one compares the legs of one work and returns a row for each other leg.
func one(ctx context.Context, w works.Work, env *works.Env, o *options, share time.Duration) ([]record.Row, error) {
	begin := time.Now()
	ours, others, err := w.Make(ctx, env)
	if err != nil {
		return nil, err
	}
	config := pair.Config{Rounds: o.rounds, Turn: o.turn}
	if share > 0 {
		// What making the input took is part of the share. All rounds should fit
		// into it, and finding out how many iterations a turn takes costs about
		// one round more.
		config.Budget = max(share-time.Since(begin), time.Millisecond)
		fits := config.Budget / time.Duration((o.rounds+1)*(len(others)+2))
		config.Turn = max(min(config.Turn, fits), 100*time.Microsecond)
	}
	series, err := pair.Run(ctx, ours, others, config)
	if err != nil {
		return nil, err
	}
	return w.Report(ours, series), nil
}

// repository returns the folder of the library's go.mod.
func repository(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/fbverify/go").Output()
	dir := strings.TrimSpace(string(out))
	if _, none := os.Stat(filepath.Join(dir, "benches", "peers")); err != nil || dir == "" || none != nil {
		return "", errors.New("run this inside the repository of github.com/fbverify/go: the peers are built from benches/peers")
	}
	return filepath.Clean(dir), nil
}
