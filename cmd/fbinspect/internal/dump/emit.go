package dump

import (
	"fmt"
	"io"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// treeEmitter writes a partial dump as a tree, faults where they are.
type treeEmitter struct {
	w     io.Writer
	style ui.Style
	level int
	err   error
}

func (t *treeEmitter) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, ui.Indent(t.level-1)+format+"\n", args...)
	}
}

func (t *treeEmitter) open(name string, list bool, what string) {
	if t.level > 0 {
		if what != "" {
			what = " " + t.style.Type(what)
		}
		t.print("%s:%s", t.style.Field(name), what)
	}
	t.level++
}

func (t *treeEmitter) close(bool) { t.level-- }

func (t *treeEmitter) value(name, text, _ string) { t.print("%s: %s", t.style.Field(name), text) }

func (t *treeEmitter) fault(name string, err error) {
	if name != "" {
		name = t.style.Field(name) + ": "
	}
	t.print("%s%s", name, t.style.Bad("!! "+err.Error()))
}

func (t *treeEmitter) end() error { return t.err }

// shallow leaves out what nests deeper than some objects and lists.
type shallow struct {
	emitter
	depth int // objects and lists to print, the root's own aside
	level int // of those that are open
}

func (s *shallow) open(name string, list bool, what string) {
	if s.level++; s.level <= s.depth {
		s.emitter.open(name, list, what)
	}
	if s.level == s.depth+1 {
		if list {
			s.emitter.value(name, "[…]", `"[...]"`)
		} else {
			s.emitter.value(name, "{…}", `"{...}"`)
		}
	}
}

func (s *shallow) close(list bool) {
	if s.level <= s.depth {
		s.emitter.close(list)
	}
	s.level--
}

func (s *shallow) value(name, tree, json string) {
	if s.level <= s.depth {
		s.emitter.value(name, tree, json)
	}
}

func (s *shallow) fault(name string, err error) {
	if s.level <= s.depth {
		s.emitter.fault(name, err)
	}
}

// jsonEmitter writes a partial dump as JSON. What is damaged is left out of objects
// and null in arrays.
type jsonEmitter struct {
	w     io.Writer
	head  func(path string) string // what stands before a value, in an object that it starts; nil = nothing
	stack []jsonLevel
	begun bool
	err   error
}

// begin starts a line for a value.
func (j *jsonEmitter) begin(path string) {
	j.finish()
	j.begun = true
	if j.head != nil {
		j.write(j.head(path))
	}
}

// finish ends the line of a value.
func (j *jsonEmitter) finish() {
	if !j.begun {
		return
	}
	if j.head != nil {
		j.write("}")
	}
	j.write("\n")
}

type jsonLevel struct {
	list  bool
	wrote bool
}

func (j *jsonEmitter) write(text string) {
	if j.err == nil {
		_, j.err = io.WriteString(j.w, text)
	}
}

// member starts a member or an element.
func (j *jsonEmitter) member(name string) {
	if len(j.stack) == 0 {
		return
	}
	top := &j.stack[len(j.stack)-1]
	if top.wrote {
		j.write(",")
	}
	top.wrote = true
	if !top.list {
		j.write(ui.JSONString(name) + ":")
	}
}

func (j *jsonEmitter) open(name string, list bool, _ string) {
	j.member(name)
	j.stack = append(j.stack, jsonLevel{list: list})
	j.write(map[bool]string{true: "[", false: "{"}[list])
}

func (j *jsonEmitter) close(list bool) {
	j.stack = j.stack[:len(j.stack)-1]
	j.write(map[bool]string{true: "]", false: "}"}[list])
}

func (j *jsonEmitter) value(name, _, text string) {
	j.member(name)
	j.write(text)
}

func (j *jsonEmitter) fault(name string, err error) {
	if n := len(j.stack); n > 0 && !j.stack[n-1].list {
		return
	}
	j.member(name)
	j.write("null")
}

func (j *jsonEmitter) end() error {
	j.finish()
	return j.err
}
