package gogen

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fbverify/go/schema"
)

// Import says that another Go package has the types of a schema file.
type Import struct {
	File string // as the schema's includes name it
	Path string // of the Go package
}

// goPackage is another Go package that has types of the schema.
type goPackage struct {
	path  string
	alias string
	names scope
	files []string // that it was generated from, as the schema names them
}

// addPackages gives each imported path a name that nothing else has in generated code.
func (g *model) addPackages() error {
	taken := scope{}
	for name := range importPaths {
		taken[name] = true
	}
	for name := range reservedParams {
		taken[name] = true
	}
	for _, in := range g.opts.Imports {
		file := g.declaredIn(in.File)
		if file == "" {
			return fmt.Errorf("fbgen: no type is declared in a file %s; the schema's types are declared in %s", in.File, strings.ReplaceAll(strings.Join(g.files(), ", "), "//", ""))
		}
		i := slices.IndexFunc(g.packages, func(p *goPackage) bool { return p.path == in.Path })
		if i < 0 {
			name := path.Base(in.Path)
			if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" && path.Dir(in.Path) != "." {
				name = path.Base(path.Dir(in.Path)) // a version
			}
			name = PackageName(name)
			i, g.packages = len(g.packages), append(g.packages, &goPackage{path: in.Path, alias: taken.take(name, name+"fb"), names: scope{}})
		}
		g.packages[i].files = append(g.packages[i].files, file)
	}
	return nil
}

// files returns the names of the files that declare types.
func (g *model) files() []string {
	var names []string
	for _, o := range g.Objects {
		names = append(names, o.DeclarationFile)
	}
	for _, e := range g.Enums {
		names = append(names, e.DeclarationFile)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
}

// declaredIn returns the schema's name of a file, which may have more folders in
// front; "" where it has no such file, or several.
func (g *model) declaredIn(file string) string {
	found := ""
	for _, name := range g.files() {
		if name == file {
			return name
		}
		if strings.HasSuffix(name, "/"+strings.TrimPrefix(path.Clean(file), "/")) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// packageOf returns the package that has what a file declares, nil for this one.
func (g *model) packageOf(file string) *goPackage {
	for _, p := range g.packages {
		if slices.Contains(p.files, file) {
			return p
		}
	}
	return nil
}

// derive takes an exported name that is made of the Go name of a type, in the type's
// package. Where another type has it, or what is derived from another has, that is a clash:
// with a number after it, it would change when the other type is added.
func (g *model) derive(in *goPackage, full, name, suffix string) string {
	names, front := g.names, ""
	if in != nil {
		names, front = in.names, in.alias+"."
	}
	word := strings.TrimPrefix(name, front) + suffix
	if first, ok := g.owners[front+word]; ok && first != full {
		g.clashes = append(g.clashes, clash{word, first, full})
	}
	word = names.take(word)
	g.owners[front+word] = full
	return front + word
}

// derivePrefixed is derive for a name that has something in front.
func (g *model) derivePrefixed(in *goPackage, full, prefix, name string) string {
	if in != nil {
		return g.derive(in, full, in.alias+"."+prefix+name[len(in.alias)+1:], "")
	}
	return g.derive(nil, full, prefix+name, "")
}

// clash is a Go name that two types would give to what is made of them.
type clash struct{ word, first, second string }

// clashing returns an error that names all clashes, and a way out of each; nil if there are none.
func (g *model) clashing() error {
	var lines []string
	var flags []string
	for _, c := range g.clashes {
		// The type that is called so goes by another name; else the second of the two, whichever.
		full := c.second
		if g.isCalled(c.first, c.word) {
			full = c.first
		}
		flag := "-name " + full + "=" + g.otherName(full)
		lines = append(lines, fmt.Sprintf("%s and %s would both have a %s in Go", c.first, c.second, c.word))
		flags = append(flags, flag)
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(flags)
	return fmt.Errorf("fbgen: %s; a name must not change when a schema grows: say how to call one of two, as in %s",
		strings.Join(lines, ", "), strings.Join(slices.Compact(flags), " "))
}

// isCalled tells whether a type has a Go name, whatever package it is in.
func (g *model) isCalled(full, word string) bool {
	for _, o := range g.Objects {
		if o.Name == full {
			return strings.HasSuffix("."+cmp.Or(g.objects[o].plain, g.objects[o].goName), "."+word)
		}
	}
	for _, e := range g.Enums {
		if e.Name == full {
			return strings.HasSuffix("."+g.byEnum[e].goName, "."+word)
		}
	}
	return false
}

// otherName is a free Go name for a type: its own with its kind after it.
func (g *model) otherName(full string) string {
	kind := "Table"
	for _, o := range g.Objects {
		if o.Name == full && o.IsStruct {
			kind = "Struct"
		}
	}
	for _, e := range g.Enums {
		switch {
		case e.Name != full:
		case e.IsUnion:
			kind = "Union"
		default:
			kind = "Enum"
		}
	}
	word := g.typeName(full[strings.LastIndexByte(full, '.')+1:]) + kind
	for g.names[word] {
		word += kind
	}
	return word
}

// nameTypes names tables, structs, enums and unions by the last words of their names,
// or as the options say. Two of one name are an error and not for the generator to
// settle: whatever it did would change when a type is added.
func (g *model) nameTypes() error {
	given := map[string]bool{}
	of := map[string]string{}
	name := func(full, file string) (*goPackage, string, error) {
		in := g.packageOf(file)
		short, ok := g.opts.TypeNames[full]
		if ok {
			given[full] = true
		} else {
			short = g.typeName(full[strings.LastIndexByte(full, '.')+1:])
		}
		word := short
		if in != nil {
			word = in.alias + "." + short
			in.names[short] = true
		} else {
			g.names[short] = true
		}
		if first, ok := of[word]; ok {
			return nil, "", fmt.Errorf("fbgen: %s and %s would both be called %s in Go, and a name must not change when a schema grows: "+
				"say how to call one, as in -name %[2]s=%[4]s, or put its file's types into a package of their own with -map FILE=PATH",
				first, full, short, longGoName(full))
		}
		of[word] = full
		g.owners[word] = full
		return in, word, nil
	}
	for _, o := range g.Objects {
		in, word, err := name(o.Name, o.DeclarationFile)
		if err != nil {
			return err
		}
		g.objects[o] = &object{Object: o, in: in, goName: word}
	}
	for _, e := range g.Enums {
		in, word, err := name(e.Name, e.DeclarationFile)
		if err != nil {
			return err
		}
		g.byEnum[e] = &enum{Enum: e, in: in, goName: word}
	}
	for _, o := range g.Objects {
		if o := g.objects[o]; g.opts.Flatc && o.IsStruct {
			o.plain, o.goName = o.goName, g.derive(o.in, o.Name, o.goName, "T")
		}
	}
	for full, short := range g.opts.TypeNames {
		if !given[full] {
			return fmt.Errorf("fbgen: there is no type %s to be called %s", full, short)
		}
		if !isIdentifier(short) || !isUpper(short[0]) {
			return fmt.Errorf("fbgen: %s cannot be called %q: that is no exported name of Go", full, short)
		}
	}
	return nil
}

// longGoName is a name of all words of a type's full name.
func longGoName(full string) string {
	var b strings.Builder
	for _, word := range strings.Split(full, ".") {
		b.WriteString(goName(word))
	}
	return b.String()
}

// schemaFile is a file of the schema as Go code names it.
type schemaFile struct {
	name   string // of the file
	goName string // SchemaCommon_0123456789abcdef, with the package in front if it is another
}

// nameFiles names the constant of each file that this package or another is generated
// from. Its name has a digest of all that the file's types consist of, so that code that
// names it compiles only beside code of the same definitions: views read what a
// verification by the other package's schema has proved.
func (g *model) nameFiles() {
	for _, file := range g.files() {
		base := path.Base(file)
		word := "Schema" + goName(strings.TrimSuffix(strings.Map(func(r rune) rune {
			if r == '_' || r < 0x80 && (isUpper(byte(r)) || isLower(byte(r)) || isDigit(byte(r))) {
				return r
			}
			return '_'
		}, strings.TrimSuffix(base, path.Ext(base))), "_")) + "_" + g.digest(file)
		in := g.packageOf(file)
		if in != nil {
			word = in.alias + "." + word
		} else {
			word = g.names.take(word)
		}
		g.schemaFiles = append(g.schemaFiles, schemaFile{file, word})
	}
}

// digest returns 16 hexadecimal digits of all that the types of a file consist of.
func (g *model) digest(file string) string {
	objects, enums := map[*schema.Object]bool{}, map[*schema.Enum]bool{}
	var todo []schema.Type
	for _, o := range g.Objects {
		if o.DeclarationFile == file {
			todo = append(todo, schema.Type{Object: o})
		}
	}
	for _, e := range g.Enums {
		if e.DeclarationFile == file {
			todo = append(todo, schema.Type{Enum: e})
		}
	}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if o := t.Object; o != nil && !objects[o] {
			objects[o] = true
			for _, f := range o.Fields {
				todo = append(todo, f.Type)
				if nested, err := g.NestedRoot(o, f); err == nil && nested != nil {
					todo = append(todo, schema.Type{Object: nested})
				}
			}
		}
		if e := t.Enum; e != nil && !enums[e] {
			enums[e] = true
			for _, v := range e.Values {
				todo = append(todo, v.Type)
			}
		}
	}
	var lines []string
	for o := range objects {
		lines = append(lines, o.Name+"\n"+strings.Join(describeObject(o), "\n"))
	}
	for e := range enums {
		lines = append(lines, e.Name+"\n"+strings.Join(describeEnum(e), "\n"))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n\n")))
	return hex.EncodeToString(sum[:8])
}
