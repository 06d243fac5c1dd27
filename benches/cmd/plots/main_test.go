package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	records  = filepath.Join("..", "..", "results")
	drawings = filepath.Join("..", "..", "pictures")
)

// TestPicturesAreThoseOfTheRecords draws them anew.
func TestPicturesAreThoseOfTheRecords(t *testing.T) {
	out := t.TempDir()
	if code := run([]string{"--records", records, "--out", out}, os.Stderr); code != 0 {
		t.Fatalf("exit status %d", code)
	}
	for _, p := range pictures {
		want, err := os.ReadFile(filepath.Join(out, p.name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(drawings, p.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the records give; run go run ./benches/cmd/plots", p.name)
		}
	}
}

// TestNothingIsDrawnOutsideOfAPicture looks at the places of all texts, their
// widths estimated generously, and of all rectangles.
func TestNothingIsDrawnOutsideOfAPicture(t *testing.T) {
	size := regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)
	text := regexp.MustCompile(`<text x="([-\d.]+)" y="([-\d.]+)" class="([^"]*)" text-anchor="(\w+)">([^<]*)<`)
	for _, p := range pictures {
		svg, err := os.ReadFile(filepath.Join(drawings, p.name))
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
		}
		number := func(s string) float64 {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			return x
		}
		box := size.FindStringSubmatch(string(svg))
		if box == nil {
			t.Fatalf("%s has no size", p.name)
		}
		width, height := number(box[1]), number(box[2])
		texts := text.FindAllStringSubmatch(string(svg), -1)
		if len(texts) < 10 {
			t.Errorf("%s has %d texts", p.name, len(texts))
		}
		for _, m := range texts {
			x, y, wide := number(m[1]), number(m[2]), 7.4*float64(len([]rune(m[5])))
			if strings.Contains(m[3], "title") {
				wide *= 1.25
			}
			switch m[4] {
			case "middle":
				x -= wide / 2
			case "end":
				x -= wide
			}
			if x < 0 || x+wide > width || y < 12 || y > height-4 {
				t.Errorf("%s: %q at %s, %s is cut off", p.name, m[5], m[1], m[2])
			}
		}
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s has a place that is no number", p.name)
		}
	}
}

func TestLabelsArePushedApart(t *testing.T) {
	at := []float64{100, 101, 99, 200}
	apart(at, 17)
	for i := range at {
		for j := range i {
			if gap := at[i] - at[j]; gap < 16.9 && gap > -16.9 {
				t.Errorf("labels %d and %d are %v apart", i, j, gap)
			}
		}
	}
	if at[2] > at[0] || at[0] > at[1] {
		t.Errorf("their order changed: %v", at)
	}
}

func TestWithoutRecordsThereIsNoPicture(t *testing.T) {
	out := t.TempDir()
	if code := run([]string{"--records", t.TempDir(), "--out", out}, io.Discard); code != 2 {
		t.Errorf("exit status %d", code)
	}
	if files, _ := os.ReadDir(out); len(files) != 0 {
		t.Errorf("%d files were written", len(files))
	}
	for _, args := range [][]string{{"--nope"}, {"here"}} {
		if code := run(args, io.Discard); code != 2 {
			t.Errorf("%q: exit status %d", args, code)
		}
	}
}
