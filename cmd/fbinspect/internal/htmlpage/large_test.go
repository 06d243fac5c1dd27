package htmlpage_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
)

// TestAPageOfFiveMegabytesStaysResponsive opens a buffer of 60,000 tables and 5 MB, and
// measures how long the browser takes to go to places all over it.
func TestAPageOfFiveMegabytesStaysResponsive(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	const text = "table Item { name:string; weight:double; } table Root { items:[Item]; blob:[ubyte]; } root_type Root;"
	s, err := fbs.Parse("large.fbs", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := range 60_000 {
		fmt.Fprintf(&b, `%s{"name":"item number %d","weight":%d.5}`, map[bool]string{true: ","}[i > 0], i, i)
	}
	b.WriteString(`],"blob":[` + strings.TrimSuffix(strings.Repeat("7,", 2_600_000), ",") + `]}`)
	buf, err := dynamic.EncodeJSON(fbverify.MustCompile(s, ""), []byte(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(buf) < 5_000_000 {
		t.Fatalf("the buffer has only %d bytes", len(buf))
	}
	dir := t.TempDir()
	file, fbs := filepath.Join(dir, "large.bin"), filepath.Join(dir, "large.fbs")
	if err := os.WriteFile(file, buf, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fbs, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	address := page(t, file, fbs)
	if err := chromedp.Run(ctx, chromedp.Navigate(address), until(`document.querySelector("#tree .row")`)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(strings.TrimPrefix(address, "file://"))
	if err != nil || info.Size() > 25<<20 {
		t.Errorf("the page has %d bytes, %v", info.Size(), err)
	}
	var usable float64
	if err := chromedp.Run(ctx, chromedp.Evaluate(`performance.getEntriesByName("usable")[0].startTime`, &usable)); err != nil {
		t.Fatal(err)
	}
	t.Logf("a page of %d bytes is usable after %.0f ms", info.Size(), usable)
	if usable > 1000 && os.Getenv("FBVERIFY_SLOW") != "" { // else the machine may be busy with other tests
		t.Errorf("the page is usable after %.0f ms", usable)
	}
	// The first selection builds the list that it opens; those after it are what a person
	// waits for again and again. The best of three counts, so that what else the machine
	// does is not taken for the page's work.
	var slowest float64
	const jump = `(() => {
		const best = new Array(40).fill(0);
		selectAt(D.size >> 1);
		for (let round = 0; round < 3; round++) {
			for (let i = 1; i < 40; i++) {
				const start = performance.now();
				selectAt(Math.floor(D.size * (i * 0.618 % 1)));
				treeRows.now(); hexRows.now();
				const took = performance.now() - start;
				best[i] = round ? Math.min(best[i], took) : took;
			}
		}
		return Math.max(...best);
	})()`
	if err := chromedp.Run(ctx, chromedp.Evaluate(jump, &slowest)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes: the slowest of 39 jumps takes %.0f ms", len(buf), slowest)
	if slowest > 500 {
		t.Errorf("a jump took %.0f ms", slowest)
	}
	got := read(t, ctx, query("item number 59999"))
	if !strings.Contains(got.Tree, `name: "item number 59999"`) || !strings.Contains(got.Status, "Root.items[59999].name") {
		t.Errorf("after a search: %+v", got)
	}
	shot(t, ctx, "large")
	var rows int
	if err := chromedp.Run(ctx, chromedp.Evaluate(`document.querySelectorAll('.row').length`, &rows)); err != nil || rows > 400 {
		t.Errorf("%d rows are on the page, %v", rows, err)
	}
	c.check(t, "with a large file")
}

// TestALargePageLeavesOut what nobody asked for: a buffer of a hundred thousand tables, and one of
// them at its end.
func TestALargePageLeavesOut(t *testing.T) {
	dir := t.TempDir()
	schema := filepath.Join(dir, "rows.fbs")
	if err := os.WriteFile(schema, []byte(growth.RowsSchema), 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := input.LoadTypes(schema, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	buf := growth.Rows(7<<20, 0)
	n := (len(buf) - 64) / 32
	path, err := dynamic.ParsePath(fmt.Sprintf("Root.rows[%d]", n-3))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint("\"", n-3, "\"") // its number
	for _, c := range []struct {
		opts  htmlpage.Options
		there bool
	}{
		{htmlpage.Options{}, false},
		{htmlpage.Options{Path: path}, true},
		{htmlpage.Options{At: []int64{int64(len(buf) - 28*3 + 8)}}, true},
	} {
		var page strings.Builder
		o, err := htmlpage.Write(context.Background(), &page, &annotate.Annotator{Types: types, Format: container.Raw}, input.FromBytes("rows", buf), c.opts)
		if err != nil {
			t.Fatal(err)
		}
		text := page.String()
		if got := strings.Contains(text, want); got != c.there {
			t.Errorf("%+v: the row is on the page: %v", c.opts, got)
		}
		if o.Faults > 0 || o.LeftOut < int64(len(buf)/2) || o.LeftOut > int64(len(buf)) || len(text) > 1<<20 || !strings.Contains(text, "left-out") {
			t.Errorf("%+v: %+v, a page of %d bytes", c.opts, o, len(text))
		}
	}
	// One that is as large as a page shows whole is less than ten times as large on it.
	var page strings.Builder
	small := growth.Rows(1<<20, 0)
	if o, err := htmlpage.Write(context.Background(), &page, &annotate.Annotator{Types: types, Format: container.Raw}, input.FromBytes("rows", small), htmlpage.Options{}); err != nil || o.LeftOut > 0 {
		t.Fatal(o, err)
	}
	if page.Len() > 8*len(small) {
		t.Errorf("a page of %d bytes for %d", page.Len(), len(small))
	}
}

// TestALargePageOpens in a browser, with the row that was asked for.
func TestALargePageOpens(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	dir := t.TempDir()
	schema, file := filepath.Join(dir, "rows.fbs"), filepath.Join(dir, "rows.bin")
	buf := growth.Rows(7<<20, 0)
	for name, content := range map[string][]byte{schema: []byte(growth.RowsSchema), file: buf} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := chromedp.Run(ctx, chromedp.Navigate(page(t, file, schema)), until(`document.querySelector("#tree .row")`)); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := chromedp.Run(ctx, chromedp.Evaluate(`(() => {
		selectAt(64 + 4);
		const vector = regionNodes[0].kids[0];
		const group = kidsOf(vector);
		const row = (i) => kidsOf(group[Math.floor(i / MANY)])[i % MANY];
		return [row(3).what, row(100000).what, document.getElementById("verdict").textContent];
	})()`, &got)); err != nil {
		t.Fatal(err)
	}
	if got[0] != "table Row" || got[1] != "not on this page" || !strings.Contains(got[2], "left out") {
		t.Errorf("%q", got)
	}
	c.check(t, "with a page that leaves out most")
}

// TestAPageOfAHoleIsMadeBeforeItIsRead makes a file of 3 GB that is a hole but for a model at
// its start.
func TestAPageOfAHoleIsMadeBeforeItIsRead(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("such a file cannot be addressed here")
	}
	model, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "tflite", "conv.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "large.tflite")
	if err := os.WriteFile(file, model, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 3<<30); err != nil {
		t.Skip(err)
	}
	src, err := input.OpenMapped(t.Context(), file)
	if err != nil {
		t.Skip(err)
	}
	defer src.Close()
	types, err := input.LoadTypes("", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	o, err := htmlpage.Write(context.Background(), io.Discard, &annotate.Annotator{Types: types}, src, htmlpage.Options{DataLimit: htmlpage.DataLimit})
	if err != nil || o.LeftOut != 3<<30 || o.Faults != 1 || time.Since(start) > 10*time.Second {
		t.Errorf("after %s: %+v, %v", time.Since(start), o, err)
	}
}
