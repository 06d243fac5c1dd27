package htmlpage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fbverify/go/internal/oracle"
)

func testdata(parts ...string) string {
	return filepath.Join(append([]string{oracle.RepoRoot(), "testdata"}, parts...)...)
}

// sizes of windows, in CSS pixels.
var windows = []struct{ width, height int64 }{{400, 800}, {1400, 800}}

// TestThePageIsUsedWithKeysAlone goes to each part of the page by Tab and works it by keys, in
// a narrow and a wide window, light and dark.
func TestThePageIsUsedWithKeysAlone(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	address := page(t, testdata("damaged", "layout-damaged.vortex"), "")
	text := func(js string) (s string) {
		t.Helper()
		if err := chromedp.Run(ctx, painted(), chromedp.Evaluate(js, &s)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	key := func(k string, modifiers ...chromedp.KeyOption) {
		t.Helper()
		if err := chromedp.Run(ctx, chromedp.KeyEvent(k, modifiers...)); err != nil {
			t.Fatal(err)
		}
	}
	const focused = `document.activeElement.id || document.activeElement.closest("[id]")?.id + " " + document.activeElement.tagName`
	for _, w := range windows {
		if err := chromedp.Run(ctx, chromedp.EmulateViewport(w.width, w.height), chromedp.Navigate(address), until(`document.querySelector("#tree .row")`)); err != nil {
			t.Fatal(err)
		}
		at := fmt.Sprintf("at %d pixels", w.width)
		if got := text(`$("faults").querySelectorAll("button").length + ""`); got == "0" {
			t.Fatal("no faults")
		}
		// Tab meets all of the page; the list of faults is one stop.
		met := map[string]bool{}
		for range 24 {
			var id string
			if err := chromedp.Run(ctx, chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(focused, &id)); err != nil {
				t.Fatal(err)
			}
			met[id] = true
		}
		for _, id := range []string{"query", "faults BUTTON", "tree", "divider", "hex"} {
			if !met[id] {
				t.Errorf("%s: Tab never comes to %s, but to %v", at, id, met)
			}
		}
		// The divider moves.
		before := text(`$("divider").getAttribute("aria-valuenow") + " " + ($("structure").offsetWidth * ` + map[bool]string{true: "0", false: "1"}[w.width < 700] + ` + $("structure").offsetHeight)`)
		text(`$("divider").focus(); ""`)
		key(kb.ArrowRight)
		after := text(`$("divider").getAttribute("aria-valuenow") + " " + ($("structure").offsetWidth * ` + map[bool]string{true: "0", false: "1"}[w.width < 700] + ` + $("structure").offsetHeight)`)
		if before[:2] == after[:2] || strings.Fields(before)[1] == strings.Fields(after)[1] {
			t.Errorf("%s: the divider stays: %s, %s", at, before, after)
		}
		// Rows of bytes fit: eight where sixteen do not.
		want := map[bool]string{true: "8", false: "16"}[w.width < 700]
		if got := text(`document.querySelector("#hex .row").querySelectorAll(".b").length + ""`); got != want {
			t.Errorf("%s: %s bytes in a row", at, got)
		}
		if got := text(`[$("hex").scrollWidth <= $("hex").clientWidth, document.documentElement.scrollWidth <= innerWidth].join()`); got != "true,true" {
			t.Errorf("%s: rows or the page are cut: %s", at, got)
		}
		for _, theme := range []string{"light", "dark"} {
			if got := text(`document.documentElement.dataset.theme`); got != theme {
				key("t")
			}
			if got := text(`document.documentElement.dataset.theme`); got != theme {
				t.Errorf("%s: t leads to %s", at, got)
			}
			shot(t, ctx, fmt.Sprintf("keys-%d-%s", w.width, theme))
		}
		key("t")
		// A path as the page prints it, by search; up in the breadcrumb; the values at the cursor.
		s := read(t, ctx, chromedp.KeyEvent("/"), query("postscript.footer.offset"))
		if !strings.Contains(s.Tree, "offset: ") || !strings.Contains(s.Status, "Postscript.footer.offset") {
			t.Errorf("%s: after a search for a path: %+v", at, s)
		}
		key(kb.Escape)
		if got := text(focused); got != "tree" {
			t.Errorf("%s: Escape leads to %s", at, got)
		}
		key(kb.End)
		key(kb.ArrowRight)
		if got := text(`[...document.querySelectorAll("#crumbs button")].map(b => b.textContent).join(" ")`); got == "" {
			t.Errorf("%s: no breadcrumb", at)
		}
		if text(`String($("inspector").open)`) != "true" {
			key("i")
		}
		text(`selectAt(0); $("hex").focus(); ""`)
		if got := text(`$("inspector").textContent`); !strings.Contains(got, "u32"+fmt.Sprint(uint32('V')|'T'<<8|'X'<<16|'F'<<24)) || !strings.Contains(got, `text"VTXF`) {
			t.Errorf("%s: the values at the cursor are %s", at, got)
		}
	}
	c.check(t, "with keys")
}

// TestSearchTakesWhatThePagePrints: for spans all over several files the path in the status, the
// offset in both of its spellings, and hex lead back to the same place.
func TestSearchTakesWhatThePagePrints(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	for _, file := range []string{testdata("tflite", "conv.tflite"), testdata("damaged", "layout-damaged.vortex")} {
		if err := chromedp.Run(ctx, chromedp.Navigate(page(t, file, "")), until(`document.querySelector("#tree .row")`)); err != nil {
			t.Fatal(err)
		}
		var wrong []string
		const js = `(() => {
			const wrong = [];
			let paths = 0;
			for (let s = 0; s < S.size.length; s += 1 + Math.floor(S.size.length / 300)) {
				for (const q of [String(starts[s]), thousands(starts[s]), "0x" + starts[s].toString(16), "@" + starts[s]]) {
					search(q);
					if (hits[0] !== starts[s]) wrong.push(q + ": " + hits[0]);
				}
				if (!["scalar", "offset", "text"].includes(D.kinds[S.kind[s]])) continue;
				const path = spanPath(s);
				selectAt(starts[s]);
				const node = selected.node;
				search(path);
				paths++;
				if (!hits.some((n) => n === node)) wrong.push(path + ": " + hits.map((n) => n.name ?? n));
			}
			if (!paths) wrong.push("no paths");
			return wrong.slice(0, 10);
		})()`
		if err := chromedp.Run(ctx, chromedp.Evaluate(js, &wrong)); err != nil {
			t.Fatal(err)
		}
		if len(wrong) > 0 {
			t.Errorf("%s: %s", filepath.Base(file), strings.Join(wrong, "\n"))
		}
	}
	c.check(t, "with searches")
}

// TestTheFaultsAreThereWithoutAScript reads the page where scripts are off.
func TestTheFaultsAreThereWithoutAScript(t *testing.T) {
	ctx := browser(t)
	address := page(t, testdata("damaged", "layout-damaged.vortex"), "")
	var text string
	err := chromedp.Run(ctx, emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(address), chromedp.Text("body", &text), emulation.SetScriptExecutionDisabled(false))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"out-of-bounds", "0x", "the table's vtable offset", "What to make of it", "layout-damaged.vortex: Vortex file", "fault"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the page:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Follow") || strings.Contains(text, "Legend") {
		t.Errorf("what needs a script is shown:\n%s", text)
	}
	shot(t, ctx, "static")
}

// TestPaddingIsFolded: parts that belong together are one row, padding in them another.
func TestPaddingIsFolded(t *testing.T) {
	ctx := browser(t)
	files, err := filepath.Glob(testdata("*", "*.arrow"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var roots int
	for _, file := range append(files[:min(2, len(files))], testdata("damaged", "layout-damaged.vortex")) {
		var got []int
		if err := chromedp.Run(ctx, chromedp.Navigate(page(t, file, "")), until(`document.querySelector("#tree .row")`),
			chromedp.Evaluate(`[roots.filter((n) => n.name.includes("padding")).length, D.regions.length - roots.length,
				D.regions.filter((r, i) => { selectAt(r.offset); let n = selected.node; while (n && n !== regionNodes[i]) n = n.parent; return !n || n.parent && !visible.includes(n.parent); }).length]`, &got)); err != nil {
			t.Fatal(err)
		}
		if got[0] > 1 { // between two parts of different kinds
			t.Errorf("%s: %d rows of padding at the top", file, got[0])
		}
		roots += got[1]
		if got[2] > 0 {
			t.Errorf("%s: %d parts are not found in their groups", file, got[2])
		}
	}
	if roots == 0 {
		t.Error("no parts in groups")
	}
	shot(t, ctx, "arrow")
}

// checker is axe-core, the checker of accessibility; the test is skipped where it is missing.
func checker(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "internal", "oracle", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		oracle.Missing(t, "axe-core is not installed (internal/oracle/install.sh): "+err.Error())
	}
	return string(axe)
}

// axe runs the checker on what is shown now. Frames of another origin it does not enter.
func axe(t *testing.T, ctx context.Context, script, what string) {
	t.Helper()
	var result string
	err := chromedp.Run(ctx, chromedp.Evaluate(script+`; ""`, nil), painted(),
		chromedp.Evaluate(`axe.run({iframes: false}).then((r) => JSON.stringify({passes: r.passes.length, violations: r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html + " " + n.failureSummary).join("; "))}))`, &result, awaited))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Passes     int
		Violations []string
	}
	if err := json.Unmarshal([]byte(result), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Violations) > 0 || got.Passes < 10 {
		t.Errorf("%s: of %d rules that hold: %s", what, got.Passes, strings.Join(got.Violations, "\n"))
	}
}

// TestAxeFindsNothing runs the checker on the page with faults, narrow and wide, light and dark;
// with FBVERIFY_SLOW=1 also on one without.
func TestAxeFindsNothing(t *testing.T) {
	script := checker(t)
	ctx := browser(t)
	for i, file := range []string{testdata("damaged", "layout-damaged.vortex"), testdata("tflite", "conv.tflite")} {
		if i > 0 && os.Getenv("FBVERIFY_SLOW") == "" {
			break // each takes seconds
		}
		address := page(t, file, "")
		for _, w := range windows {
			for _, theme := range []string{"light", "dark"} {
				err := chromedp.Run(ctx, chromedp.EmulateViewport(w.width, w.height), chromedp.Navigate(address), until(`document.querySelector("#tree .row")`),
					chromedp.Evaluate(`if (document.documentElement.dataset.theme !== "`+theme+`") $("theme").click(); selectAt(D.size >> 1); for (const d of document.querySelectorAll("details")) d.open = true; ""`, nil))
				if err != nil {
					t.Fatal(err)
				}
				axe(t, ctx, script, fmt.Sprintf("%s at %d pixels, %s", filepath.Base(file), w.width, theme))
			}
		}
	}
}
