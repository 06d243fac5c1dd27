package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Revision is the files of a git repository as they are in one of its revisions. What lies
// elsewhere on the disk is as it is now.
type Revision struct {
	Name string // as it was given

	top   string            // folder of the repository, in the words of the caller's paths
	blob  map[string]string // path from top, with slashes -> its object
	link  map[string]bool   // of these, the symbolic links
	large map[string]bool   // and those with more than MostSchema bytes
}

// OpenRevision opens the revision of that name, "main" or "HEAD~2", of the repository in which
// a folder lies. It runs git.
func OpenRevision(name, folder string) (*Revision, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	// The prefix and not the top level: git resolves links in the latter.
	prefix, err := git(abs, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	commit, err := git(abs, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{tree}")
	if err != nil {
		return nil, fmt.Errorf("the git repository has no revision %q", name)
	}
	r := &Revision{Name: name, top: abs, blob: map[string]string{}, link: map[string]bool{}, large: map[string]bool{}}
	for range strings.Count(prefix, "/") { // each folder of the prefix ends with one
		r.top = filepath.Dir(r.top)
	}
	list, err := git(r.top, "ls-tree", "-r", "-z", "--long", "--full-tree", strings.TrimSpace(commit))
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(list, "\x00") {
		about, name, ok := strings.Cut(entry, "\t")
		words := strings.Fields(about) // mode, type, object, size
		if ok && len(words) == 4 && words[1] == "blob" {
			r.blob[name], r.link[name] = words[2], words[0] == "120000"
			if size, err := strconv.ParseInt(words[3], 10, 64); err != nil || size > MostSchema {
				r.large[name] = true
			}
		}
	}
	return r, nil
}

// git runs git in a folder and returns what it prints.
func git(folder string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", folder}, args...)...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", errors.New("git is not installed, and revisions are read by it")
		}
		if text := strings.TrimSpace(complaint.String()); text != "" {
			err = errors.New(text)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.String(), nil
}

// inside returns a path from the top of the repository, and whether it lies there.
func (r *Revision) inside(name string) (string, bool) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(r.top, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Has reports whether the revision has a file of that name, and whether it has files in a
// folder of that name.
func (r *Revision) Has(name string) (file, folder bool) {
	rel, ok := r.inside(name)
	if !ok {
		return false, false
	}
	if _, file = r.blob[rel]; file {
		return true, false
	}
	for p := range r.blob {
		if rel == "." || strings.HasPrefix(p, rel+"/") {
			return false, true
		}
	}
	return false, false
}

// Files returns the names of the revision's files in a folder and below it that end in one of
// the extensions, as a caller would name them, in order.
func (r *Revision) Files(folder string, extensions ...string) []string {
	rel, ok := r.inside(folder)
	if !ok {
		return nil
	}
	var names []string
	for p := range r.blob {
		below := p
		if rel != "." {
			if below, ok = strings.CutPrefix(p, rel+"/"); !ok {
				continue
			}
		}
		for _, e := range extensions {
			if strings.HasSuffix(p, e) {
				names = append(names, filepath.Join(folder, filepath.FromSlash(below)))
			}
		}
	}
	sort.Strings(names)
	return names
}

// Read returns the bytes that a file had, at most [MostSchema].
func (r *Revision) Read(name string) ([]byte, error) {
	rel, ok := r.inside(name)
	if !ok {
		return nil, fmt.Errorf("%s lies outside of the git repository", name)
	}
	return r.read(rel)
}

// read returns the bytes of a file by its path from the top, and follows links.
func (r *Revision) read(rel string) ([]byte, error) {
	const most = 16
	for range most {
		object, ok := r.blob[rel]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: rel, Err: fs.ErrNotExist}
		}
		if r.large[rel] {
			return nil, tooLarge(rel, MostSchema)
		}
		text, err := git(r.top, "cat-file", "blob", object)
		if err != nil || !r.link[rel] {
			return []byte(text), err
		}
		rel = path.Join(path.Dir(rel), text)
	}
	return nil, &fs.PathError{Op: "open", Path: rel, Err: errors.New("too many links")}
}

// over returns a file system like disk, the whole of a disk from that root, in which the files
// of the repository are those of the revision.
func (r *Revision) over(root string, disk fs.FS) fs.FS {
	return &revisionFS{r, onDisk(root, r.top), disk}
}

type revisionFS struct {
	r    *Revision
	top  string
	disk fs.FS
}

func (f *revisionFS) Open(name string) (fs.File, error) {
	rel, ok := strings.CutPrefix(name, f.top+"/")
	if f.top == "." {
		rel, ok = name, true
	}
	if !ok {
		return f.disk.Open(name)
	}
	b, err := f.r.read(rel)
	if err != nil {
		if of := (*fs.PathError)(nil); errors.As(err, &of) {
			err = of.Err
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return WithFile(none{}, name, b).Open(name)
}

// none is a file system without files.
type none struct{}

func (none) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
