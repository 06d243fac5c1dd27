package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"
)

// mutant is one change of one condition, or something that is not counted.
type mutant struct {
	id       int
	file     string
	line     int
	function string
	from, to string
	nth      int // of those that are alike in the function, from 1 on

	by string // the test that caught it
}

// key names a mutant in a way that other changes of its file leave alone.
func (m *mutant) key() string {
	key := fmt.Sprintf("%s %s: %s => %s", m.file, m.function, m.from, m.to)
	if m.nth > 1 {
		key += fmt.Sprintf(" (%d)", m.nth)
	}
	return key
}

func (m *mutant) String() string { return fmt.Sprintf("%s:%d %s", m.file, m.line, m.key()) }

// file is a source file being mutated.
type file struct {
	name     string
	src      []byte
	set      *token.FileSet
	next     int // free id
	function string
	mutants  []*mutant
	edits    []edit
}

type edit struct {
	from, to int // in the source
	text     string
}

// mutate returns the file with every condition replaced by one that depends on
// which mutant was picked, and the name of its package.
func (f *file) mutate() (text, pkg string, err error) {
	f.set = token.NewFileSet()
	tree, err := parser.ParseFile(f.set, f.name, f.src, parser.SkipObjectResolution)
	if err != nil {
		return "", "", err
	}
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "assert" { // debug builds have those
			continue
		}
		f.function = fn.Name.Name
		returnsBool := fn.Type.Results != nil && len(fn.Type.Results.List) > 0
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				f.condition(n.Cond, true)
			case *ast.SwitchStmt:
				if n.Tag == nil {
					for _, clause := range n.Body.List {
						for _, cond := range clause.(*ast.CaseClause).List {
							f.condition(cond, true)
						}
					}
				}
			case *ast.ReturnStmt:
				if returnsBool {
					for _, result := range n.Results {
						f.condition(result, false)
					}
				}
			case *ast.AssignStmt:
				for _, value := range n.Rhs {
					f.condition(value, false)
				}
				f.count(n)
			case *ast.IncDecStmt:
				f.step(n)
			}
			return true
		})
	}
	sort.Slice(f.edits, func(i, j int) bool { return f.edits[i].from < f.edits[j].from })
	var b strings.Builder
	at := 0
	for _, e := range f.edits {
		if e.from < at {
			return "", "", fmt.Errorf("%s: conditions inside of conditions at byte %d", f.name, e.from)
		}
		b.Write(f.src[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.Write(f.src[at:])
	return b.String(), tree.Name.Name, nil
}

func (f *file) offset(p token.Pos) int { return f.set.Position(p).Offset }

func (f *file) source(e ast.Expr) string { return string(f.src[f.offset(e.Pos()):f.offset(e.End())]) }

// condition mutates an expression; of those that need not be bools only the ones
// that their operator shows to be.
func (f *file) condition(e ast.Expr, isBool bool) {
	if !isBool && !isCondition(e) || f.source(e) == "debug" {
		return
	}
	if before := len(f.mutants); true {
		text := f.expr(e, isBool)
		if len(f.mutants) > before {
			f.edits = append(f.edits, edit{f.offset(e.Pos()), f.offset(e.End()), text})
		}
	}
}

// count mutates a statement that adds to a field, or takes from it: what a walk
// counts, and what is left of its budgets.
func (f *file) count(n *ast.AssignStmt) {
	if n.Tok != token.ADD_ASSIGN && n.Tok != token.SUB_ASSIGN {
		return
	}
	if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok {
		from := f.source(to) + " " + n.Tok.String() + " " + f.source(n.Rhs[0])
		text := fmt.Sprintf("mutantDrop(%d, %s, %s)", f.next, f.source(n.Rhs[0]), f.source(to))
		f.edits = append(f.edits, edit{f.offset(n.Rhs[0].Pos()), f.offset(n.Rhs[0].End()), text})
		f.dropped(n.Pos(), from)
	}
}

// step is count for a statement that adds or takes one.
func (f *file) step(n *ast.IncDecStmt) {
	if to, ok := n.X.(*ast.SelectorExpr); ok {
		text := fmt.Sprintf("%s %c= mutantDrop(%d, 1, %s)", f.source(to), n.Tok.String()[0], f.next, f.source(to))
		f.edits = append(f.edits, edit{f.offset(n.Pos()), f.offset(n.End()), text})
		f.dropped(n.Pos(), f.source(n.X)+n.Tok.String())
	}
}

// dropped adds the mutant that leaves a statement out.
func (f *file) dropped(at token.Pos, statement string) {
	f.mutants = append(f.mutants, &mutant{
		id: f.next, file: f.name, line: f.set.Position(at).Line, function: f.function, from: oneLine(statement), to: "nothing",
	})
	f.next++
}

func isCondition(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isCondition(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	case *ast.BinaryExpr:
		return e.Op == token.LAND || e.Op == token.LOR || comparisons[e.Op] != token.ILLEGAL
	}
	return false
}

// comparisons are what a comparison is weakened or strengthened to.
var comparisons = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
}

// expr returns the text of a bool that is the expression, or one of its mutants.
// A whole condition is also forced to be true and to be false.
func (f *file) expr(e ast.Expr, whole bool) string {
	var alternatives []string
	if whole {
		alternatives = append(alternatives, "true", "false")
	}
	text := f.source(e)
	switch e := e.(type) {
	case *ast.ParenExpr:
		text = "(" + f.expr(e.X, false) + ")"
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			text = "!(" + f.expr(e.X, false) + ")"
			if !whole {
				alternatives = append(alternatives, f.source(e.X))
			}
		}
	case *ast.BinaryExpr:
		switch {
		case e.Op == token.LAND || e.Op == token.LOR:
			text = f.expr(e.X, false) + " " + e.Op.String() + " " + f.expr(e.Y, false)
			alternatives = append(alternatives, f.source(e.X), f.source(e.Y))
		case comparisons[e.Op] != token.ILLEGAL:
			to := comparisons[e.Op]
			if whole && (to == token.NEQ || to == token.EQL) {
				break // true and false are enough
			}
			alternatives = append(alternatives, f.source(e.X)+" "+to.String()+" "+f.source(e.Y))
		}
	}
	if len(alternatives) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString("func() bool { switch mutantID {")
	for _, alternative := range alternatives {
		m := &mutant{
			id: f.next, file: f.name, line: f.set.Position(e.Pos()).Line, function: f.function,
			from: oneLine(f.source(e)), to: oneLine(alternative),
		}
		f.next++
		f.mutants = append(f.mutants, m)
		fmt.Fprintf(&b, " case %d: return %s;", m.id, alternative)
	}
	fmt.Fprintf(&b, " }; return %s }()", text)
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
