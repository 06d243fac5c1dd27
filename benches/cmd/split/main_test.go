package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/rows"
)

func TestPartsAddUpToTheWhole(t *testing.T) {
	var stdout bytes.Buffer
	if err := run(context.Background(), []string{"--rows", "500", "--rounds", "1", "--turn", "1ms", "--json"}, &stdout, io.Discard); err != nil {
		t.Fatal(err)
	}
	sums, wholes := map[string]float64{}, map[string]float64{}
	lines := json.NewDecoder(&stdout)
	for {
		var p record.Part
		if err := lines.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Part != record.Whole {
			sums[p.Via] += p.NS
			continue
		}
		wholes[p.Via] = p.NS
		if p.Allocs == nil || *p.Copied < 100 {
			t.Errorf("%s: nothing is said of memory", p.Via)
		}
	}
	if len(wholes) != len(rows.Ways) {
		t.Errorf("%d ways", len(wholes))
	}
	// In a single round, differences add up to the last minuend.
	for via, whole := range wholes {
		if math.Abs(sums[via]-whole) > 1e-6*whole {
			t.Errorf("%s: the parts are %v ns a row together, and the whole is %v", via, sums[via], whole)
		}
	}
}

func TestTheTableHasARowForEachWay(t *testing.T) {
	var stdout bytes.Buffer
	if err := run(context.Background(), []string{"--rows", "200", "--rounds", "5", "--turn", "1ms"}, &stdout, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, way := range rows.Ways {
		if !strings.Contains(stdout.String(), way.Name) {
			t.Errorf("no %s in:\n%s", way.Name, &stdout)
		}
	}
}

func TestWrongUseIsExplained(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--rows", "0"}, "--rows"},
		{[]string{"--rows", "999999999"}, "--rows"},
		{[]string{"--rounds", "0"}, "--rounds"},
		{[]string{"here"}, `"here"`},
		{[]string{"--nope"}, "nope"},
	} {
		if err := run(context.Background(), c.args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	if err := run(context.Background(), []string{"--help"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
}

func TestAnInterruptEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, []string{"--rows", "200"}, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
