package ui

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Style writes text in colours, or leaves it as it is. The zero Style leaves it.
type Style struct{ on bool }

// When says when colours are used.
type When string

// The values of --color.
const (
	Auto   When = "auto"   // on a terminal, unless NO_COLOR is set or TERM is dumb
	Always When = "always" // also into a file or a pipe
	Never  When = "never"
)

// StyleFor returns the style for what is written to w.
func StyleFor(w io.Writer, when When) Style {
	switch when {
	case Always:
		return Style{true}
	case Never:
		return Style{}
	}
	return Style{IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns the columns of the terminal that w is, fallback where it is none.
func Width(w io.Writer, fallback int) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return fallback
}

// On reports whether colours are used.
func (s Style) On() bool { return s.on }

func (s Style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bad is for what is wrong.
func (s Style) Bad(text string) string { return s.paint("1;31", text) }

// Good is for what is well.
func (s Style) Good(text string) string { return s.paint("32", text) }

// Warn is for what to look at.
func (s Style) Warn(text string) string { return s.paint("33", text) }

// Bold is for what a reader looks for.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim is for what a reader can pass over.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Type is for the names of types.
func (s Style) Type(text string) string { return s.paint("36", text) }

// Field is for the names of fields.
func (s Style) Field(text string) string { return s.paint("34", text) }

// Text is for strings of a buffer.
func (s Style) Text(text string) string { return s.paint("32", text) }

// Number is for numbers of a buffer.
func (s Style) Number(text string) string { return s.paint("35", text) }

// Mark is for bytes that are wrong.
func (s Style) Mark(text string) string { return s.paint("1;97;41", text) }
