// Package repo checks revisions out of a git repository side by side, and leaves
// nothing behind.
package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fbverify/go/benches/internal/compare/exe"
)

// Worktree is the name of the working tree as it is, in place of a revision.
const Worktree = "worktree"

// A Repo is a git repository, with the checkouts that were made of it.
type Repo struct {
	Root      string // of the working tree
	Temp      string // a folder for what is built; Close removes it
	worktrees []string
}

// Open opens the repository that a folder lies in.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{Root: dir}
	root, err := r.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s is in no git repository: %w", dir, err)
	}
	r.Root = filepath.FromSlash(root)
	// Below a folder of our own the checkouts can have the neighbours that the
	// repository has.
	if r.Temp, err = os.MkdirTemp("", "fbcompare-"); err != nil {
		return nil, err
	}
	if r.Temp, err = filepath.EvalSymlinks(r.Temp); err != nil { // as git will print it
		return nil, err
	}
	return r, nil
}

// A Tree is a checkout.
type Tree struct {
	Dir      string // of its root
	Rev      string // as it was asked for
	Commit   string // in full
	Modified bool   // the working tree, with changes that are in no commit
}

// Short names the tree in a few characters.
func (t *Tree) Short() string {
	name := t.Commit[:min(12, len(t.Commit))]
	if t.Modified {
		name += " and changes"
	}
	return name
}

// Resolve returns the commit that a revision names.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	commit, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		text := fmt.Sprintf("there is no revision %q here", rev)
		if shallow, _ := r.git(ctx, "rev-parse", "--is-shallow-repository"); shallow == "true" {
			text += "; this is a shallow clone, which git fetch --unshallow completes"
		}
		return "", errors.New(text)
	}
	return commit, nil
}

// Tree returns a revision checked out, or the working tree where it lies if rev
// is [Worktree]. HEAD of a working tree with changes is refused, since whoever
// asks for it would take the figures for those of the changes.
func (r *Repo) Tree(ctx context.Context, rev, name string) (*Tree, error) {
	dirty := func() (bool, error) {
		changes, err := r.git(ctx, "status", "--porcelain", "--ignore-submodules=none")
		return changes != "", err
	}
	if rev == Worktree {
		commit, err := r.Resolve(ctx, "HEAD")
		if err != nil {
			return nil, err
		}
		modified, err := dirty()
		return &Tree{r.Root, rev, commit, modified}, err
	}
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	if name == "head" && (rev == "HEAD" || rev == "@") {
		modified, err := dirty()
		if err != nil {
			return nil, err
		}
		if modified {
			return nil, fmt.Errorf("the working tree has changes that %s has not: commit them, or compare them with --head %s", rev, Worktree)
		}
	}
	dir := filepath.Join(r.Temp, name)
	r.worktrees = append(r.worktrees, dir) // even if what follows is interrupted
	// A git that is killed in the middle leaves a repository in which no later git
	// worktree works, so this one may finish.
	if _, err := r.git(context.WithoutCancel(ctx), "-c", "core.hooksPath="+os.DevNull, "-c", "advice.detachedHead=false",
		"worktree", "add", "--quiet", "--detach", "--force", dir, commit); err != nil {
		return nil, fmt.Errorf("checking out %s: %w", rev, err)
	}
	return &Tree{dir, rev, commit, false}, ctx.Err()
}

// Neighbours gives the checkouts the neighbours of the repository's folder:
// benchmarks that find data beside the repository find it from all checkouts,
// or one side would measure what the other has not.
func (r *Repo) Neighbours() error {
	parent := filepath.Dir(r.Root)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil // what cannot be read has no neighbours to offer
	}
	for _, e := range entries {
		name := e.Name()
		from := filepath.Join(parent, name)
		if from == r.Root || from == r.Temp || strings.HasPrefix(name, ".") || !e.IsDir() {
			continue
		}
		if err := os.Symlink(from, filepath.Join(r.Temp, name)); err != nil && !errors.Is(err, os.ErrExist) {
			return nil // systems without symbolic links do without
		}
	}
	return nil
}

// Differs tells whether paths differ between a commit and a tree.
func (r *Repo) Differs(ctx context.Context, base string, head *Tree, paths ...string) (bool, error) {
	args := []string{"diff", "--name-only", base}
	if head.Rev != Worktree {
		args = append(args, head.Commit)
	}
	names, err := r.git(ctx, append(append(args, "--"), paths...)...)
	return names != "", err
}

// Close removes the checkouts and all that was built. It does so after an
// interruption too, and takes no longer than it must.
func (r *Repo) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var problems []error
	prune := false
	for _, dir := range r.worktrees {
		if _, err := r.git(ctx, "worktree", "remove", "--force", dir); err != nil {
			prune = true
		}
	}
	r.worktrees = nil
	if err := os.RemoveAll(r.Temp); err != nil {
		problems = append(problems, err)
	}
	if prune {
		if _, err := r.git(ctx, "worktree", "prune"); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// git runs git in the repository and returns what it wrote, without the last
// line's end.
func (r *Repo) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	exe.Alone(cmd)
	cmd.Dir = r.Root
	cmd.Env = append(environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", &exe.CommandError{Command: "git " + strings.Join(args, " "), Err: err, Tail: strings.TrimSpace(stderr.String())}
	}
	return strings.TrimRight(stdout.String(), "\r\n"), nil
}

// environ is the environment without what binds git to another repository than
// the one it runs in, as in a hook.
func environ() []string {
	var kept []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE":
		default:
			kept = append(kept, e)
		}
	}
	return kept
}
