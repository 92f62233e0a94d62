package audit

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// worktrees is the section on agents that work in directories of their own.
type worktrees struct {
	*ledger
	made   map[string]*workplace // by lineage of the agent for which it was made
	homes  map[llm.ToolUseID]*workplace
	wrote  map[[2]string]written // versions of files, by path and hash
	shared workplace             // the project's own directory
}

// workplace is a directory in which agents work.
type workplace struct {
	path, branch string
	from         *workplace // of which it was made; nil of the project's own
	made         uint64     // the event at which it was
	brought      uint64     // the last event by which a command may have brought it another's work
	shells       int        // commands that run in the background
	within       int
	outlived     bool // whom it was made for has ended before others in it
	edits        int
	commands     int // and other tools that may have written
	ended        string
}

// written is who has made a version of a file, and from which event on; nil are several.
type written struct {
	in  *workplace
	seq uint64
}

// event takes in what becomes of a worktree.
func (u *worktrees) event(a *agent, b *transcript.Worktree) {
	switch {
	case a == nil:
	case b.Op == "made":
		u.made[b.Lineage] = u.of(a.place, b)
	case a.place == nil || a.place.path == "":
		u.report(wkt04, a, "a worktree of its own to end", "none")
	case b.Op == "made-again":
		*a.place = *u.of(a.place.from, b)
	default:
		u.ends(a.place, a, b.Op)
	}
}

// of is a worktree as it is made of a directory.
func (u *worktrees) of(from *workplace, b *transcript.Worktree) *workplace {
	return &workplace{path: b.Path, branch: b.Branch, from: from, made: u.seq, brought: from.brought}
}

// ends is WKT-04 for the end of a worktree: it is removed where nobody has written
// anything in it, and never after a single edit.
func (u *worktrees) ends(p *workplace, a *agent, op string) {
	p.ended = op
	if u.fails(wkt04, op != "kept" || p.outlived || p.edits+p.commands > 0) {
		u.report(wkt04, a, "a worktree removed in which nothing was written", "kept: "+p.path)
	}
	if u.fails(wkt04, op != "removed" || p.edits != 1 || p.commands > 0) {
		u.report(wkt04, a, "a worktree kept in which a file was edited", "removed: "+p.path)
	}
}

// starts is WKT-08 for a child: it has a worktree where its call asks for one, or its
// definition, and none otherwise.
func (u *worktrees) starts(a, p *agent) {
	if a.link == nil {
		a.place = p.place
	}
	own := u.made[a.lineage]
	if own != nil {
		a.place = own
	}
	if a.ownTree() {
		u.homes[a.facts.ToolUse] = a.place
	}
	if a.place == nil {
		return
	}
	a.place.within++
	s := u.opt.Session
	if s == nil || s.Minimal || a.spawned.input == nil {
		return
	}
	want := field(a.spawned.input, "isolation")
	if want == "remote" && s.Link == nil {
		want = "" // which nobody offers
	}
	if want == "" && !a.fork {
		want = s.Types[a.facts.Type].Isolation
	}
	if u.fails(wkt08, (want == "worktree") == (own != nil)) {
		u.report(wkt08, a, "a worktree of its own: "+word(want == "worktree"), word(own != nil))
	}
}

// writes takes in a call that has changed files.
func (u *worktrees) writes(a *agent, c *call) {
	if x := c.use; x != nil && c.name == "Edit" && x.file != "" && !u.linked(x.file) {
		a.place.edits++
		return
	}
	a.place.commands++
	a.place.brought = u.seq
}

// returns takes in that a former agent goes on where it worked.
func (u *worktrees) returns(a *agent) {
	if a.place != nil {
		a.place.within++
	}
}

// leaves takes an agent out of the directory in which it worked.
func (u *worktrees) leaves(a *agent) {
	if p := a.place; p != nil {
		p.within--
		a.tells = p.within == 0 || a.apart()
		p.outlived = p.outlived || p.within > 0 && a.apart()
	}
}

// linked reports whether a path is in every worktree.
func (u *worktrees) linked(at string) bool {
	if strings.HasPrefix(at, ".agentsim/") {
		return true
	}
	if s := u.opt.Session; s != nil {
		for _, d := range s.Linked {
			if rest, within := strings.CutPrefix(at, d); within && strings.HasPrefix(rest, "/") {
				return true
			}
		}
	}
	return false
}

// versionShown is the hash of a file's version that a result shows, "" for none.
func versionShown(result, at string) string {
	for {
		_, rest, found := strings.Cut(result, "[[file ")
		if !found {
			return ""
		}
		if of, is := strings.CutPrefix(rest, at); is && strings.HasPrefix(of, " ") {
			hash, _, _ := strings.Cut(of[1:], " ")
			return hash
		}
		result = rest
	}
}

// shows is WKT-05 for what Read or Edit shows of a file: no version that somebody has
// made in another directory, unless it was there when this one was made of that, or a
// command has brought it since, here or where this one was made of.
func (u *worktrees) shows(a *agent, x *use, b *llm.Block) {
	at := x.file
	if b.IsError || a.place == nil || a.edited || x.name == "Read" && len(u.wrote) == 0 || u.linked(at) {
		return
	}
	hash := versionShown(b.Content.Raw(), at)
	if hash == "" {
		return
	}
	key := [2]string{at, hash}
	by, known := u.wrote[key]
	if x.name == "Edit" || x.name == "Write" {
		if known && by.in != a.place {
			u.wrote[key] = written{}
		} else if !known {
			u.wrote[key] = written{a.place, a.recorded(x.id).began}
		}
		return
	}
	if !known || by.in == nil {
		return
	}
	if u.fails(wkt05, by.in == a.place || by.seq < a.place.brought || a.place.shells > 0 || a.place.stemsFrom(by)) {
		u.report(wkt05, a, "no version of "+at+" from another directory", hash+", made in "+orNone(by.in.path))
	}
}

// stemsFrom reports whether a worktree was made of a directory after a version stood there.
func (p *workplace) stemsFrom(by written) bool {
	for q := p; q.from != nil; q = q.from {
		if q.from == by.in {
			return by.seq < q.made
		}
	}
	return false
}

// told is WKT-04 for the result of a child that its parent waited for: it names the
// worktree that is kept, and none that is not.
func (u *worktrees) told(a *agent, c *call, b *llm.Block, replaced bool) {
	raw := b.Content.Raw()
	if c == nil || b.IsError || replaced || a.edited || !strings.HasPrefix(raw, `{"status":"completed"`) {
		return
	}
	p := u.homes[c.id]
	if p == a.place {
		p = nil // who waits tells it, at its own end
	}
	u.names(a, p.kept(`","worktreeBranch":"`, `"`), raw, `,"worktreePath":"`)
}

// leavesTree is what the notification of an agent's end names of its worktree, "" for none. A
// resumed agent may have another one before anybody reads of it.
func (a *agent) leavesTree() string {
	if a == nil || !a.tells {
		return ""
	}
	return a.place.kept("</worktreePath>\n<worktreeBranch>", "</worktreeBranch>")
}

// kept names a worktree that is kept, by its path and branch, "" of any other directory.
func (p *workplace) kept(between, end string) string {
	if p == nil || p.path == "" || p.ended == "removed" {
		return ""
	}
	return "/" + p.path + between + p.branch + end
}

// names is WKT-04 for a text: it names the worktree that it has to, and no other one.
func (u *worktrees) names(a *agent, want, raw, open string) {
	_, rest, found := strings.Cut(raw, open)
	if u.fails(wkt04, found == (want != "") && strings.Contains(rest, want)) {
		u.report(wkt04, a, "a result that names a worktree that is kept: "+orNone(want), orNone(short(rest)))
	}
}

// apart reports whether an agent works in another directory than its parent.
func (a *agent) apart() bool { return a.parent != nil && a.place != a.parent.place }

// ownTree reports whether an agent works in a worktree.
func (a *agent) ownTree() bool { return a.place != nil && a.place.path != "" }

// surroundings is what an agent is told of where it works.
func (u *fronts) surroundings(a *agent) string {
	text := surroundingsText
	if u.opt.Session.NoCommit == "none" {
		text = strings.Replace(text, "Git repository: yes", "Git repository: no", 1)
	}
	if a.ownTree() {
		text = strings.Replace(text, "/work/project\n", "/work/project/"+a.place.path+"\n", 1)
	}
	return text
}
