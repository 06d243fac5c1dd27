// Package gogen writes Go code for FlatBuffers schemas: views that read verified
// buffers, owned structs, builder functions, enums and the compiled types. It is
// what cmd/fbgen runs.
//
// # Names
//
// Go names are made of the schema's by the conventions of Go (see goName): the
// field row_id becomes the getter RowID, the enum value CONV_2D of BuiltinOperator
// the constant BuiltinOperatorConv2D.
//
// All types of a run go into one package, except those of files that Options.Imports
// leave to others. A type is named by the last word of its full name, whatever other
// namespaces there are. Two types of one name are an error, and so is a type that has the
// name of what is made of another, as HeroT and Hero: Options.TypeNames call one of them
// otherwise, and the error says how. So no name changes when a type, a namespace, a field
// or a key is added.
//
// A name that is taken is changed by rules that depend on nothing but the schema.
// In a table or struct, names are given in the order of field ids; the methods of
// views and owned structs are taken from the start, and a field whose name is
// taken gets the word Field after it, and then a number from 2 up (fields pack and
// pack_field are PackField and PackFieldField). Each field takes the names of all its
// methods (Name, HasName, NameRoot) before the next, so that a field that is added to
// a table changes none. Names that fmt, encoding and other packages give a meaning to
// (String, GoString, Error, IsZero, MarshalJSON and its like) are methods of no field:
// string is read by StringField. In the package, tables, structs, enums and unions are named first, in the order of their full names, then what is
// derived from them: owned structs, unions' values and vectors, what lists an enum's
// values, constants, vectors with a key, builder functions, fixed views. A constant that
// is called as something else of its enum or union gets a number from 2 up.
package gogen

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
)

// Options say what to generate.
type Options struct {
	// Package is the name of the Go package.
	Package string

	// ReadOnly leaves out what writes: owned structs and builder functions.
	ReadOnly bool

	// Fixed adds views of the layout that writers make when all fields are set, for
	// every table. Without it, tables with the attribute fixed_view have them, and those
	// of Samples.
	Fixed bool

	// Flatc names things as the Go code of flatc does, and gives views flatc's accessors
	// beside the library's own.
	Flatc bool

	// Mutable adds methods that write scalars in place.
	Mutable bool

	// CopyStrings makes the strings that views return copies, which live on when the
	// buffer is used again.
	CopyStrings bool

	// GRPC adds stubs of rpc_services, which import the module grpc.
	GRPC bool

	// Imports are the Go packages that have the types of some of the schema's files.
	// They must have been generated from the same definitions, which the compiler checks.
	Imports []Import

	// TypeNames are the Go names of types, by the types' full names, where the rule's
	// do not do.
	TypeNames map[string]string

	// Samples are messages whose common vtables become fixed layouts.
	Samples []Sample
}

// File is one generated file.
type File struct {
	Name string // without folders
	Data []byte
}

// The generated files. Their names do not depend on the schema, so that a run
// replaces all that the one before wrote.
const (
	fileSchema  = "fb_schema.go"
	fileEnums   = "fb_enums.go"
	fileStructs = "fb_structs.go"
	fileViews   = "fb_views.go"
	fileOwned   = "fb_owned.go"
	fileBuild   = "fb_build.go"
	fileGRPC    = "fb_grpc.go"
	fileBFBS    = "fb_schema.bfbs"
)

// FileNames returns the names of all files that a run may write; a schema without
// enums, say, has no file for them.
func FileNames() []string {
	return []string{fileSchema, fileEnums, fileStructs, fileViews, fileOwned, fileBuild, fileGRPC, fileBFBS}
}

// Generate returns the files of one package for all inputs together.
func Generate(inputs []Input, opts Options) ([]File, error) {
	if len(inputs) == 0 {
		return nil, errors.New("fbgen: no schema")
	}
	if opts.Flatc && (opts.Fixed || len(opts.Samples) > 0) {
		return nil, errors.New("fbgen: flatc has no fixed views: they go without its names")
	}
	if !token.IsIdentifier(opts.Package) || opts.Package == "_" {
		return nil, fmt.Errorf("fbgen: %q cannot be the name of a Go package", opts.Package)
	}
	for _, in := range inputs {
		if err := checkNames(in.Schema); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	all, err := merge(inputs)
	if err != nil {
		return nil, err
	}
	bfbs, err := embeddable(all.Schema)
	if err != nil {
		return nil, err
	}
	m, err := newModel(all, opts)
	if err != nil {
		return nil, err
	}
	p, err := newProfile(all, opts.Samples)
	if err != nil {
		return nil, err
	}
	m.addLayouts(p)
	var local []*enum
	for _, e := range m.Enums {
		if e := m.byEnum[e]; e.in == nil {
			local = append(local, e)
		}
	}

	var schemas, enums, structs, views, owned, build source
	m.emitSchema(&schemas)
	for _, e := range local {
		m.emitEnum(&enums, e)
		m.emitFlatcEnum(&enums, e)
	}
	for _, o := range m.Objects {
		if o := m.objects[o]; o.IsStruct && o.compare != "" {
			m.emitCompareStruct(&structs, o)
		}
	}
	for _, o := range m.structs {
		m.emitStruct(&structs, o)
		m.emitFlatcStruct(&structs, o)
		if !opts.ReadOnly {
			m.emitCreate(&structs, o)
		}
	}
	for _, o := range m.tables {
		m.emitView(&views, o)
		m.emitFlatcView(&views, o)
		m.emitMutable(&views, o)
	}
	for _, u := range m.unions {
		m.emitUnion(&views, u)
	}
	if !opts.ReadOnly {
		for _, o := range m.tables {
			m.emitOwned(&owned, o)
			m.emitBuilder(&build, o)
		}
		m.emitForeign(&owned)
		for _, u := range m.unions {
			m.emitOwnedUnion(&owned, u)
		}
	}
	var stubs []byte
	if all := services(inputs); opts.GRPC && len(all) > 0 {
		if stubs, err = m.grpcFile(all); err != nil {
			return nil, err
		}
	}
	if err := m.clashing(); err != nil {
		return nil, err
	}
	var files []File
	for _, f := range []struct {
		name string
		s    *source
	}{{fileSchema, &schemas}, {fileEnums, &enums}, {fileStructs, &structs}, {fileViews, &views}, {fileOwned, &owned}, {fileBuild, &build}} {
		if f.s.Len() == 0 && f.name != fileSchema {
			continue
		}
		doc := ""
		if f.name == fileSchema {
			doc = m.packageDoc(opts.ReadOnly)
		}
		data, err := f.s.file(m, doc)
		if err != nil {
			return nil, err
		}
		files = append(files, File{f.name, data})
	}
	if stubs != nil {
		files = append(files, File{fileGRPC, stubs})
	}
	if len(m.tables) > 0 {
		files = append(files, File{fileBFBS, bfbs})
	}
	return files, nil
}

// embeddable returns the schema in binary form, without what generated code has
// no use for: comments, and where the schema's files lay. It has been read back.
func embeddable(s *schema.Schema) ([]byte, error) {
	bare := *s
	bare.Files, bare.Services = nil, nil
	bare.Objects = make([]*schema.Object, len(s.Objects))
	objects := map[string]*schema.Object{}
	enums := map[string]*schema.Enum{}
	for i, o := range s.Objects {
		bare.Objects[i] = new(schema.Object)
		objects[o.Name] = bare.Objects[i]
	}
	bare.Enums = make([]*schema.Enum, len(s.Enums))
	for i, e := range s.Enums {
		bare.Enums[i] = new(schema.Enum)
		enums[e.Name] = bare.Enums[i]
	}
	c := copier{objects, enums}
	for i, o := range s.Objects {
		to := bare.Objects[i]
		c.object(to, o)
		to.Doc, to.DeclarationFile = nil, ""
		for _, f := range to.Fields {
			f.Doc = nil
		}
	}
	for i, e := range s.Enums {
		to := bare.Enums[i]
		c.enum(to, e)
		to.Doc, to.DeclarationFile = nil, ""
		for _, v := range to.Values {
			v.Doc = nil
		}
	}
	if s.Root != nil {
		bare.Root = objects[s.Root.Name]
	}
	binary, err := bfbs.Marshal(&bare)
	if err != nil {
		return nil, err
	}
	back, err := bfbs.Load(binary)
	if err != nil {
		return nil, fmt.Errorf("fbgen: the binary schema does not read back: %w", err)
	}
	again, err := bfbs.Marshal(back)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(binary, again) {
		return nil, errors.New("fbgen: the binary schema reads back as another")
	}
	return binary, nil
}
