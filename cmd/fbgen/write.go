package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/internal/gogen"
)

// write puts the files of a package into dir, each by way of a temporary file, so
// that none is ever there by half. Files of an earlier run that the package no
// longer has go. A Go file that fbgen did not write is not touched, nor is one of the
// inputs.
func write(dir string, made []gogen.File, inputs []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return usageError{fmt.Errorf("fbgen: %w", err)}
	}
	keep := map[string]bool{}
	for _, f := range made {
		keep[f.Name] = true
	}
	for _, name := range gogen.FileNames() {
		path := filepath.Join(dir, name)
		if err := files.Distinct(path, inputs...); err != nil {
			return usageError{fmt.Errorf("fbgen: %w", err)}
		}
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return usageError{fmt.Errorf("fbgen: %w", err)}
		case strings.HasSuffix(name, ".go") && !bytes.HasPrefix(old, []byte(gogen.Header)):
			return usageError{fmt.Errorf("fbgen: %s is there, and fbgen did not write it: it does not start with %q", path, gogen.Header)}
		}
	}
	for _, f := range made {
		if err := writeFile(filepath.Join(dir, f.Name), f.Data); err != nil {
			return usageError{fmt.Errorf("fbgen: %w", err)}
		}
	}
	for _, name := range gogen.FileNames() {
		if keep[name] {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return usageError{fmt.Errorf("fbgen: %w", err)}
		}
	}
	return nil
}

// check compares a folder with what a run would write into it.
func check(dir string, made []gogen.File) error {
	want := map[string][]byte{}
	for _, f := range made {
		want[f.Name] = f.Data
	}
	var other []string
	for _, name := range gogen.FileNames() {
		old, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return usageError{fmt.Errorf("fbgen: %w", err)}
		}
		if data, ok := want[name]; ok != (err == nil) || !bytes.Equal(data, old) {
			other = append(other, name)
		}
	}
	if len(other) > 0 {
		return fmt.Errorf("fbgen: -check: %s is not what fbgen writes: %s; run it without -check", dir, strings.Join(other, ", "))
	}
	return nil
}

// samePackage refuses a folder whose Go files, but for those of earlier runs, are of
// another package: they would not compile together.
func samePackage(dir, pkg string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return usageError{fmt.Errorf("fbgen: %w", err)}
	}
	for _, path := range paths {
		if slices.Contains(gogen.FileNames(), filepath.Base(path)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err != nil || strings.HasSuffix(path, "_test.go") && file.Name.Name == pkg+"_test" {
			continue // what is wrong with it is for the compiler to say
		}
		if file.Name.Name != pkg {
			return usageError{fmt.Errorf("fbgen: %s is of package %s, and this would be package %s: say -package %[2]s, or another folder with -o", path, file.Name.Name, pkg)}
		}
	}
	return nil
}

// writeFile replaces a file at once, and leaves one alone that is right already,
// so that builds that look at times have nothing to do.
func writeFile(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	out, err := files.Create(path, nil)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return out.Close(err)
}
