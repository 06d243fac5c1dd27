package htmlpage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
)

// chromium is the one browser of all tests; each has a page of its own.
var chromium = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		return nil, errors.New("no Chromium on this machine: the page is not opened in a browser")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.WindowSize(1300, 800))
	alloc, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, _ := chromedp.NewContext(alloc)
	ending = func() {
		chromedp.Cancel(ctx)
		cancel()
	}
	if err := chromedp.Run(ctx); err != nil {
		return nil, fmt.Errorf("%s is installed and does not start: %w", path, err)
	}
	return ctx, nil
})

// ending closes the browser, where one was started.
var ending = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	ending()
	os.Exit(code)
}

// browser opens a page of a headless Chromium, or skips the test where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	all, err := chromium()
	if err != nil {
		oracle.Missing(t, err.Error())
	}
	ctx, cancel := chromedp.NewContext(all)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// page makes the page of a file and returns its address.
func page(t *testing.T, file, schema string) string {
	t.Helper()
	types, err := input.LoadTypes(schema, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	src, err := input.OpenMapped(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var b bytes.Buffer
	if _, err := htmlpage.Write(context.Background(), &b, &annotate.Annotator{Types: types}, src, htmlpage.Options{DataLimit: htmlpage.DataLimit}); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(out, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + out
}

// console gathers what the page complains of.
type console struct {
	mu   sync.Mutex
	said []string
}

func (c *console) listen(ctx context.Context) {
	chromedp.ListenTarget(ctx, func(ev any) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			text := ev.ExceptionDetails.Text
			if e := ev.ExceptionDetails.Exception; e != nil {
				text += " " + e.Description
			}
			c.said = append(c.said, text)
		case *runtime.EventConsoleAPICalled:
			if ev.Type == runtime.APITypeError || ev.Type == runtime.APITypeWarning {
				c.said = append(c.said, fmt.Sprint(ev.Args))
			}
		}
	})
}

func (c *console) check(t *testing.T, what string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.said) > 0 {
		t.Errorf("%s: the browser says %s", what, strings.Join(c.said, "\n"))
	}
	c.said = nil
}

// shot keeps a picture of the page where SCREENSHOTS names a folder.
func shot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	var b []byte
	if err := chromedp.Run(ctx, chromedp.Sleep(200*time.Millisecond), chromedp.CaptureScreenshot(&b)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// until waits for a condition of the page. Right after another page was opened the
// browser may be asked in the name of the one before, which is gone.
func until(condition string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			err := chromedp.Poll(condition, nil, chromedp.WithPollingTimeout(20*time.Second)).Do(ctx)
			if err == nil || !strings.Contains(err.Error(), "Cannot find context") || time.Now().After(deadline) {
				return err
			}
		}
	})
}

// click clicks with the mouse on the first element that a script finds, once the element is
// painted and stays where it is: a browser that lays out for the first time may move it.
func click(find string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		script := "(() => { const e = " + find + `; if (!e) return null;
			const b = e.getBoundingClientRect(), x = b.left + Math.min(b.width, 40) / 2, y = b.top + b.height / 2;
			return {X: x, Y: y, Hit: e.contains(document.elementFromPoint(x, y))}; })()`
		type place struct {
			X, Y float64
			Hit  bool
		}
		var before *place
		for deadline := time.Now().Add(20 * time.Second); ; {
			var at *place
			if err := chromedp.Evaluate(script, &at).Do(ctx); err != nil {
				return err
			}
			if at != nil && at.Hit && before != nil && *before == *at {
				return chromedp.MouseClickXY(at.X, at.Y).Do(ctx)
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("what a click is meant for, %s, is at %+v after 20 s", find, at)
			}
			before = at
			if err := painted().Do(ctx); err != nil {
				return err
			}
		}
	})
}

// query types into the search field.
func query(text string) chromedp.Action {
	return chromedp.Tasks{
		chromedp.Evaluate(`$("query").value = ""; $("query").focus()`, nil),
		chromedp.KeyEvent(text),
		chromedp.Sleep(300 * time.Millisecond), // the page waits for a pause in the typing
	}
}

func focus(id string) chromedp.Action { return chromedp.Evaluate(`$("`+id+`").focus()`, nil) }

// state is what both sides show as selected.
type state struct {
	Tree   string // the selected row of the structure
	Hex    string // the selected bytes, in hex
	Status string
}

const readState = `({
	Tree: document.querySelector('#tree .selected')?.textContent ?? '',
	Hex: [...document.querySelectorAll('#hex .b.s')].map(e => e.textContent).join(' '),
	Status: document.querySelector('#status').textContent,
})`

// painted waits until the browser has painted what changed, however busy the machine is: rows
// that come into view are made in one frame, and may scroll in the next.
func painted() chromedp.Action {
	const frames = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 20))))`
	return chromedp.Evaluate(frames, nil, awaited)
}

// awaited has the value of a script's promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

func read(t *testing.T, ctx context.Context, actions ...chromedp.Action) state {
	t.Helper()
	var s state
	actions = append(actions, chromedp.Sleep(50*time.Millisecond), painted(), painted(), chromedp.Evaluate(readState, &s))
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBothSidesOfThePageAgree(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	file := filepath.Join(oracle.RepoRoot(), "testdata", "tflite", "conv.tflite")
	if err := chromedp.Run(ctx, chromedp.Navigate(page(t, file, "")), until(`document.querySelector("#tree .row")`)); err != nil {
		t.Fatal(err)
	}
	c.check(t, "on opening")

	// A click on the bytes finds the field: version is at 0x38.
	s := read(t, ctx, click(`document.querySelector('#hex .b[data-pos="57"]')`))
	if !strings.Contains(s.Tree, "version: 3") || s.Hex != "03 00 00 00" || !strings.Contains(s.Status, "scalar Model.version = 3") {
		t.Errorf("after a click on the bytes of version: %+v", s)
	}
	shot(t, ctx, "light")

	// A click on the field finds the bytes: those of the string.
	s = read(t, ctx, click(`[...document.querySelectorAll('#tree .row')].find(e => e.textContent.includes('description')).querySelector('.name')`))
	if !strings.Contains(s.Tree, `description: "a model of our own making"`) || !strings.HasPrefix(s.Hex, "19 00 00 00 61 20 6d 6f") {
		t.Errorf("after a click on description: %+v", s)
	}

	// Search by a value deep inside opens what is above it.
	s = read(t, ctx, query("CONV_2D"))
	if !strings.Contains(s.Tree, "builtin_code: 3 (CONV_2D)") || !strings.Contains(s.Status, "Model.operator_codes[0].builtin_code") {
		t.Errorf("after a search for CONV_2D: %+v", s)
	}
	s = read(t, ctx, query("0x5c"))
	if s.Hex != "01 00 00 00" || !strings.Contains(s.Tree, "metadata") {
		t.Errorf("after a search for 0x5c: %+v", s)
	}
	s = read(t, ctx, query("54 46 4c 33"))
	if s.Hex != "54 46 4c 33" || !strings.Contains(s.Status, `identifier`) {
		t.Errorf("after a search for bytes: %+v", s)
	}
	s = read(t, ctx, query("no such thing"))
	var hits string
	if err := chromedp.Run(ctx, chromedp.Evaluate(`$("hits").textContent`, &hits)); err != nil || hits != "none" {
		t.Errorf("a search in vain says %q, %v", hits, err)
	}

	// Keys: from an offset to where it leads, and back.
	s = read(t, ctx, click(`document.querySelector('#hex .b[data-pos="44"]')`), focus("hex"), chromedp.KeyEvent(kb.Enter))
	if s.Hex != "19 00 00 00" {
		t.Errorf("after following the offset of description: %+v", s)
	}
	s = read(t, ctx, chromedp.KeyEvent(kb.Backspace))
	if s.Hex != "10 00 00 00" || !strings.Contains(s.Tree, "description") {
		t.Errorf("after going back: %+v", s)
	}
	s = read(t, ctx, focus("tree"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown))
	if !strings.Contains(s.Tree, "version") {
		t.Errorf("after Home and one down: %+v", s)
	}
	var theme string
	if err := chromedp.Run(ctx, chromedp.KeyEvent("t"), chromedp.Evaluate(`document.documentElement.dataset.theme`, &theme)); err != nil || theme != "dark" {
		t.Errorf("after t the theme is %q, %v", theme, err)
	}
	shot(t, ctx, "dark")
	c.check(t, "after all")
}

func TestFaultsAreListedAndJumpedTo(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	file := filepath.Join(oracle.RepoRoot(), "testdata", "damaged", "layout-damaged.vortex")
	if err := chromedp.Run(ctx, chromedp.Navigate(page(t, file, "")), until(`document.querySelector("#faults button")`)); err != nil {
		t.Fatal(err)
	}
	// The first fault is selected from the start, and to be seen on both sides.
	const seen = `["#hex .b.x", "#tree .selected"].every((what) => {
		const r = document.querySelector(what)?.getBoundingClientRect(), around = document.querySelector(what.split(" ")[0]).getBoundingClientRect();
		return r && r.top >= around.top && r.bottom <= around.bottom;
	})`
	var visible bool
	if err := chromedp.Run(ctx, painted(), painted(), chromedp.Evaluate(seen, &visible)); err != nil || !visible {
		t.Errorf("the fault is out of sight when the page opens: %v", err)
	}
	s := read(t, ctx, click(`document.querySelector("#faults li:nth-child(1) button")`))
	if s.Hex != "ff ff ff 7f" || !strings.Contains(s.Status, "out-of-bounds: the table's vtable offset") {
		t.Errorf("after a click on the fault: %+v", s)
	}
	if !strings.Contains(s.Status, "What to make of it: ") {
		t.Errorf("the page does not say what to make of the fault: %+v", s)
	}
	var marked string
	if err := chromedp.Run(ctx, chromedp.Evaluate(`[...document.querySelectorAll('#hex .b.x')].map(e => e.textContent).join(' ')`, &marked)); err != nil || marked != "ff ff ff 7f" {
		t.Errorf("the marked bytes are %q, %v", marked, err)
	}
	shot(t, ctx, "fault")
	s = read(t, ctx, focus("tree"), chromedp.KeyEvent("F"))
	if !strings.Contains(s.Status, "unreadable") {
		t.Errorf("after F: %+v", s)
	}
	c.check(t, "with faults")
}

// TestEveryFileOpensWithoutComplaint opens the page of every file of testdata and of a known
// format in the corpus, selects its middle, and asks that both sides have something selected.
// Without FBVERIFY_SLOW=1 it opens each fifteenth.
func TestEveryFileOpensWithoutComplaint(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	flatbuffers := filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers")
	files, err := filepath.Glob(filepath.Join(oracle.RepoRoot(), "testdata", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"arrow/*/*", "tflite/*", "flatgeobuf/*", "schemas/*/*"} {
		more, err := filepath.Glob(filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	opened := 0
	for _, file := range files {
		schema := ""
		switch filepath.Ext(file) {
		case ".bin", ".stream":
			schema = filepath.Join(flatbuffers, "survey.fbs")
			if strings.Contains(file, "archive") || strings.Contains(file, "offset64") {
				schema = filepath.Join(flatbuffers, "archive.fbs")
			}
		case ".vortex", ".arrow", ".arrows", ".message", ".feather", ".tflite", ".fgb", ".bfbs":
		default:
			if !strings.Contains(file, "corpus") {
				continue
			}
		}
		info, err := os.Stat(file)
		if err != nil || info.IsDir() {
			continue
		}
		if opened++; opened%15 != 0 && os.Getenv("FBVERIFY_SLOW") == "" {
			continue
		}
		if err := chromedp.Run(ctx, chromedp.Navigate(page(t, file, schema)), until(`document.readyState === "complete"`)); err != nil {
			t.Fatal(err)
		}
		if info.Size() > 0 {
			s := read(t, ctx, chromedp.Evaluate(`selectAt(Math.floor(D.size / 2))`, nil))
			if s.Tree == "" || s.Hex == "" || !strings.HasPrefix(s.Status, "0x") {
				t.Errorf("%s: the middle of the file selects %+v", file, s)
			}
		}
		c.check(t, file)
	}
	if opened < 60 {
		t.Errorf("only %d files were opened", opened)
	}
}

// TestTextOfAFileIsNoMarkupOnThePage opens the page of a FlatBuffer whose strings, schema and
// name are markup and script, and looks for what would come of them.
func TestTextOfAFileIsNoMarkupOnThePage(t *testing.T) {
	ctx := browser(t)
	var c console
	c.listen(ctx)
	const evil = "</script><script>window.owned = 1</script><img src=x onerror=\"window.owned = 1\"><!--{{script}}{{data}}${window.owned = 1}\u2028'"
	dir := t.TempDir()
	s, err := fbs.ParseFS(fstest.MapFS{"s.fbs": {Data: []byte("/// " + evil + "\nenum E: byte { A }\ntable T { text:string; words:[string]; e:E; inner:T; }\nroot_type T;")}}, "s.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(map[string]any{"text": evil, "words": []string{evil, "\x1b[31m" + evil}, "inner": map[string]any{"text": evil}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := dynamic.EncodeJSON(typ, value, nil)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(b)
	damaged[bytes.LastIndex(damaged, []byte("</script>"))] = 0xff // no UTF-8, at a string of markup
	for name, content := range map[string][]byte{"sound": b, "damaged": damaged, "unknown": []byte(evil)} {
		types, err := input.LoadTypes(filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "survey.fbs"), nil, "")
		if name != "unknown" {
			file := filepath.Join(dir, "s.bfbs")
			binary, e := bfbs.Marshal(s)
			if e != nil {
				t.Fatal(e)
			}
			if e := os.WriteFile(file, binary, 0o644); e != nil {
				t.Fatal(e)
			}
			types, err = input.LoadTypes(file, nil, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := htmlpage.Write(context.Background(), &out, &annotate.Annotator{Types: types}, input.FromBytes(evil, content), htmlpage.Options{DataLimit: htmlpage.DataLimit}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name+".html")
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		var owned bool
		var title string
		err = chromedp.Run(ctx, chromedp.Navigate("file://"+file), until(`document.readyState === "complete" && document.querySelector("#tree .row")`),
			chromedp.Evaluate(`for (const n of roots) setOpen(n, true); for (let i = 0; i < D.size; i += 7) selectAt(i)`, nil),
			query("script"), chromedp.Sleep(200*time.Millisecond),
			chromedp.Evaluate(`"owned" in window || document.images.length > 0 || document.scripts.length !== 2`, &owned), chromedp.Title(&title))
		if err != nil {
			t.Fatal(err)
		}
		if owned {
			t.Errorf("%s: text of the file became markup", name)
		}
		if !strings.HasPrefix(title, "</script><script>") {
			t.Errorf("%s: the title is %q", name, title)
		}
		c.check(t, name)
	}
}
