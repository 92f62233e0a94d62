package agent

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/shell"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/workspace"
	"agentsim/sim/worktree"
)

// place is a directory in which agents work: the project's own, or a worktree.
type place struct {
	fs   *workspace.FS
	repo *shell.Repo

	tree     *worktree.Worktree // nil of the project's own
	from     *place             // of whose branch it was made
	removed  bool
	within   int  // agents in it that live
	outlived bool // whom it was made for has ended before others, and has said that it stays
	remote   bool // it is an environment elsewhere
}

// isolated is the isolation by which an agent works in a worktree.
const isolated = "worktree"

// tasksDir is where output files are, relative to the project: every agent has the same.
var tasksDir = strings.TrimSuffix(outputDir, "/")

// of is the place, the project's own directory for nil.
func (p *place) of(w *World) *place {
	if p == nil {
		return w.project
	}
	return p
}

// directory is where a place is, absolute.
func (w *World) directory(p *place) string {
	if p == nil || p.remote {
		return w.cfg.Root
	}
	return w.cfg.Root + "/" + worktree.Path(p.tree.Slug)
}

// isolate makes a worktree for a child whose call or definition asks for one (WKT-08).
// Any other child works where its parent does.
func (b *spawning) isolate() error {
	a := b.by
	b.place = a.place
	from := a.place.of(a.w)
	if b.remote() {
		b.place = from.elsewhere()
	}
	if b.isolation() != isolated {
		return nil
	}
	maker := worktree.Memory{FS: from.fs, Repo: from.repo, Linked: append([]string{tasksDir}, a.w.cfg.Repository.Linked...)}
	id := llm.AgentID(a.w.cfg.Key.Sub(b.lineage).Sub("agent").Uint64()) // as it will have it
	p, err := from.branch(maker, worktree.AgentSlug(id.String(), maker.Taken))
	if err != nil {
		return err
	}
	b.place = p
	a.w.rec.emit(a.ref, &transcript.Worktree{Op: "made", Path: worktree.Path(p.tree.Slug), Branch: worktree.Branch(p.tree.Slug), Lineage: b.lineage})
	return nil
}

// branch makes a worktree of the place's own branch.
func (p *place) branch(maker worktree.Memory, slug string) (*place, error) {
	t, err := worktree.Make(maker, slug)
	if err != nil {
		return nil, err
	}
	copied := t.Tree.(*worktree.Copy)
	return &place{fs: copied.FS, repo: copied.Repo, tree: t, from: p}, nil
}

// enter takes an agent in.
func (p *place) enter(a *Agent) {
	a.ownPlace = p != a.parent.place
	if a.place = p; p != nil {
		p.within++
	}
}

// leave ends an agent's stay in a worktree. The last to leave ends it: unchanged it goes.
func (p *place) leave(a *Agent) {
	if p == nil || p.remote {
		return
	}
	if p.within--; p.within > 0 {
		p.outlived = p.outlived || a.ownPlace
		return
	}
	ev := transcript.Worktree{Op: "kept", Path: worktree.Path(p.tree.Slug), Branch: worktree.Branch(p.tree.Slug)}
	if !p.outlived && !p.tree.End() {
		ev.Op, p.removed = "removed", true
	}
	a.w.rec.emit(a.ref, &ev)
}

// again is the place for an agent that goes on: a worktree that was removed is made
// anew, of what its maker's branch is at by now.
func (p *place) again(a *Agent) *place {
	if p == nil || p.remote {
		return p
	}
	p.tree.Reopen()
	if !p.removed {
		return p
	}
	maker := worktree.Memory{FS: p.from.fs, Repo: p.from.repo, Linked: append([]string{tasksDir}, a.w.cfg.Repository.Linked...)}
	now, err := p.from.branch(maker, p.tree.Slug)
	if err != nil {
		panic("agent: " + err.Error()) // its branch went with it
	}
	a.w.rec.emit(a.ref, &transcript.Worktree{Op: "made-again", Path: worktree.Path(now.tree.Slug), Branch: worktree.Branch(now.tree.Slug)})
	*p = *now
	return p
}

// left is the worktree that an agent leaves changed behind, and its branch; "" for none,
// and while others are in it for one of whom it was made: that one tells it.
func (p *place) left(a *Agent) (dir, branch string) {
	if p == nil || p.removed || p.remote || p.within > 0 && !a.ownPlace {
		return "", ""
	}
	return a.w.directory(p), worktree.Branch(p.tree.Slug)
}

// Unmerged lists, when it is called, the paths that are changed in the worktree of an agent
// that lives and not in the project, since nobody merged its branch; nil where it has none.
func Unmerged(a *Agent) func() []string {
	if a.life == nil || a.place == nil || a.place.tree == nil {
		return nil
	}
	p, project := a.place, a.w.project.repo
	return func() []string { return p.repo.Unmerged(project) }
}

// appendLeft says it in a result.
func (p *place) appendLeft(a *Agent, b []byte) []byte {
	if dir, branch := p.left(a); dir != "" {
		b = llm.AppendQuoted(append(b, `,"worktreePath":`...), dir)
		b = llm.AppendQuoted(append(b, `,"worktreeBranch":`...), branch)
	}
	return b
}

// leftWords says it behind an error.
func (p *place) leftWords(a *Agent) string {
	dir, branch := p.left(a)
	if dir == "" {
		return ""
	}
	return ". What it changed is in " + dir + ", on branch " + branch
}

// gitStatus is what an agent in a place is told of the repository, where text is what
// those in the project's directory are told. In a new worktree nothing is changed.
func (p *place) gitStatus(text string) string {
	if p == nil || p.remote || text == "" {
		return text
	}
	own := "Current branch: " + worktree.Branch(p.tree.Slug) + "\n\nStatus:\n(clean)\n"
	before, status, found := strings.Cut(text, "\nStatus:\n")
	if !found {
		return own + "\n" + text
	}
	for line := range strings.Lines(before) {
		if !strings.HasPrefix(line, "Current branch:") && strings.TrimSpace(line) != "" {
			own = strings.TrimSpace(line) + "\n" + own
		}
	}
	if _, rest, more := strings.Cut(status, "\n\n"); more {
		own += "\n" + rest
	}
	return own
}

// conflicts records what a tool use came upon that another agent has changed: a merge's
// conflicts, an edit that was refused, and a file that a command wrote over.
func (u *toolUse) conflicts(env *tool.Env) {
	a, fs := u.by, env.FS
	report := func(c transcript.Conflict) { a.w.rec.emit(a.ref, &c) }
	if s := u.result.Shell; s != nil {
		for _, c := range s.Conflicts {
			report(transcript.Conflict{Path: c.Path, At: "merge", First: c.Ours, Second: c.Theirs, Base: c.Base, Other: c.Other})
		}
	}
	apart := func(log []workspace.Write, path, seen string) {
		for i := len(log) - 1; i >= 0; i-- {
			if w := &log[i]; w.Path == path {
				if w.By != a.ref {
					report(transcript.Conflict{Path: path, At: "directory", First: w.By, Second: a.ref, Base: w.Before, Other: seen})
				}
				return
			}
		}
	}
	if s := env.Stale; s.Path != "" {
		apart(fs.Log(), s.Path, s.Seen)
	}
	if !u.command() {
		return
	}
	for _, l := range u.wrote {
		for i := l.from; i < l.to; i++ {
			w := &fs.Log()[i]
			if s := u.result.Shell; s != nil && slices.Contains(s.Merged, w.Path) {
				continue // which is what a merge is for
			}
			if seen, ok := a.ctx.Files.Get(w.Path); ok && w.By == a.ref && seen.Hash != w.Before {
				apart(fs.Log()[:i], w.Path, seen.Hash)
			}
		}
	}
}
