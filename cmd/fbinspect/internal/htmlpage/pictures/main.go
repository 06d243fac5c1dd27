// Command pictures makes the pictures of the README: what fbinspect html shows of a damaged
// file, light and dark. It needs a Chromium, and DejaVu fonts to come out as they are.
//
//	go run ./cmd/fbinspect/internal/htmlpage/pictures            # docs/html-light.png and -dark.png
//	go run ./cmd/fbinspect/internal/htmlpage/pictures -o FOLDER
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/internal/oracle"
)

// damaged is the file of the README's transcript.
const damaged = "offset-overwritten.tflite"

func main() {
	folder := flag.String("o", filepath.Join(oracle.RepoRoot(), "docs"), "`FOLDER` to write to")
	flag.Parse()
	if err := run(*folder); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	dir, err := os.MkdirTemp("", "pictures-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	page := filepath.Join(dir, "page.html")
	if err := write(page); err != nil {
		return err
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if path == "" {
		return errors.New("no Chromium on this machine (Debian: apt install chromium fonts-dejavu-core)")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1300, 600))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	for _, theme := range []string{"light", "dark"} {
		var shot []byte
		err := chromedp.Run(ctx,
			chromedp.EmulateViewport(1300, 600),
			chromedp.Navigate("file://"+page),
			chromedp.Poll(`document.querySelector("#hex .b.x")`, nil, chromedp.WithPollingTimeout(20*time.Second)),
			chromedp.Evaluate(fmt.Sprintf(`if ((document.documentElement.dataset.theme ?? "light") !== %q) document.getElementById("theme").click()`, theme), nil),
			chromedp.Sleep(300*time.Millisecond),
			chromedp.CaptureScreenshot(&shot))
		if err != nil {
			return err
		}
		small, err := shrink(shot)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "html-"+theme+".png"), small, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// write makes the page.
func write(page string) error {
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "damaged", damaged))
	if err != nil {
		return err
	}
	types, err := input.LoadTypes("", nil, "")
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if _, err := htmlpage.Write(context.Background(), &out, &annotate.Annotator{Types: types}, input.FromBytes(damaged, b), htmlpage.Options{DataLimit: htmlpage.DataLimit}); err != nil {
		return err
	}
	return os.WriteFile(page, out.Bytes(), 0o666)
}

// shrink makes a picture with a palette of the 256 colours that it has most of.
func shrink(b []byte) ([]byte, error) {
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	count := map[color.RGBA]int{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)]++
		}
	}
	colours := make([]color.RGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	key := func(c color.RGBA) uint32 { return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A) }
	sort.Slice(colours, func(i, j int) bool {
		if a, b := count[colours[i]], count[colours[j]]; a != b {
			return a > b
		}
		return key(colours[i]) < key(colours[j])
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), 256)] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	small := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
			i, ok := nearest[c]
			if !ok {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			small.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
	return out.Bytes(), err
}
