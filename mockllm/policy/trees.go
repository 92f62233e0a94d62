package policy

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// A lead that isolates asks for a worktree for each item that edits, and some definitions
// bring one; whoever gets one is asked for a commit. The branch that a result or a
// notification names the lead merges, one after another and before anything else. A file in
// conflict it reads, and puts what both sides have in the place of what stands between the
// marks. A branch that cannot be merged makes its items fail.

const (
	commitAsked = "You work on a branch of your own, which is merged when you are done: commit what you change."
	toMerge     = "To merge: " // in a summary
	missedMerge = "merge"      // what is missing of an item whose branch was not merged

	mergeCommand  = "git merge "
	abortCommand  = "git merge --abort"
	concluding    = "git commit --no-edit"
	conflictIn    = "Merge conflict in "
	nothingMerged = "Already up to date."
	unfinished    = "Exiting because of unfinished merge"
	unresolved    = "Exiting because of an unresolved conflict"

	oursMark, bothMark, theirsMark = "<<<<<<< ", "=======", ">>>>>>> "
)

// trees is what a lead knows of the branches of its agents.
type trees struct {
	branches []branch // to be merged, in the order in which they were named
	torn     []int    // files of the first that are in conflict
	mended   []int    // of these, those in which both sides were made one
	over     bool     // its merge is given up
	again    bool     // … to begin again
	refused  set      // items whose branch was not merged
}

type branch struct {
	name  string
	items []int
}

// branchesOf reads which branches a result, a notification or a summary names.
func branchesOf(t *Table, raw string, n *note) (out []branch) {
	switch {
	case !t.merges:
	case n.notice:
		for _, one := range strings.Split(raw, noticeOpen)[1:] {
			_, rest, _ := strings.Cut(one, "<worktreeBranch>")
			if name, _, ok := strings.Cut(rest, "</worktreeBranch>"); ok && t.summaryItem(one) >= 0 {
				out = append(out, branch{name, []int{t.summaryItem(one)}})
			}
		}
	case n.summary:
		for line := range strings.Lines(raw) {
			if rest, ok := strings.CutPrefix(line, toMerge); ok {
				b := branch{}
				b.name, _, _ = strings.Cut(rest, " ")
				t.marks.Scan(rest, func(k mark.Mark) {
					if i, ok := t.itemIndex[k.Args[0]]; ok {
						b.items = append(b.items, i)
					}
				})
				out = append(out, b)
			}
		}
	default:
		const field = `,"worktreeBranch":"`
		if at := strings.LastIndex(raw, field); at >= 0 {
			out = append(out, branch{name: unquote(raw[at+len(field):])})
		}
	}
	return out
}

// toMergeText says in a summary which branches are not merged.
func toMergeText(m mind) (text string) {
	for _, b := range m.s.trees.branches {
		text += m.itemList("\n"+toMerge+b.name, b.items, mark.Done)
	}
	return text
}

// branched takes a branch that an agent has left. One whose items are not done is not
// merged.
func branched(f *folder, b branch) {
	undone := func(i int) bool { return !f.s.done.has(i) }
	if len(b.items) == 0 || slices.ContainsFunc(b.items, undone) {
		return
	}
	x := own(&f.s.trees)
	x.branches = append(slices.Clip(x.branches), b)
}

// mended takes a file in conflict for one whose sides were made one. What was read of it
// stands no more.
func mended(f *folder, file int) {
	x := own(&f.s.trees)
	x.mended = append(slices.Clip(x.mended), file)
	f.file(file).stale = true
}

// treeResult takes what came of a command of a merge.
func treeResult(f *folder, u *use, b *llm.Block) {
	if len(f.s.trees.branches) == 0 || u.name != f.t.names.bash {
		return
	}
	raw, said := u.input.Raw(), b.Content.Raw()
	is := func(command string) bool { return strings.HasPrefix(raw, `{"command":"`+command) }
	switch x := own(&f.s.trees); {
	case is(abortCommand) && x.again && !b.IsError:
		x.over, x.again = false, false
	case is(abortCommand):
		merged(f, true)
	case is(commitOpen) && strings.Contains(raw, concluding):
		if x.over = b.IsError; !x.over {
			merged(f, false)
		}
	case !is(mergeCommand):
	case strings.Contains(said, unfinished) || strings.Contains(said, unresolved):
		x.over, x.again = true, true
	case strings.Contains(said, conflictIn):
		tear(f, said)
	default:
		merged(f, b.IsError || strings.HasPrefix(said, nothingMerged))
	}
}

// tear takes the files in conflict that a merge names.
func tear(f *folder, said string) {
	x := own(&f.s.trees)
	x.torn, x.mended = nil, nil
	for line := range strings.Lines(said) {
		if _, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), conflictIn); ok {
			i, known := f.t.fileIndex[path]
			if x.over = x.over || !known; known {
				x.torn = append(x.torn, i)
				f.s.seen = f.s.seen.with(i)
				k := f.file(i)
				k.stale = k.hash != ""
			}
		}
	}
}

// merged ends the merge of the first branch. Refused it leaves its items undone.
func merged(f *folder, refused bool) {
	x := own(&f.s.trees)
	for _, i := range x.branches[0].items {
		if refused {
			f.s.done, f.s.failed, f.s.lost = f.s.done.without(i), f.s.failed.with(i), f.s.lost.with(i)
			x.refused = x.refused.with(i)
		}
	}
	*x = trees{branches: x.branches[1:], refused: x.refused}
}

// lostFor is what is missing of an item that nobody has reported on, or that is in no
// branch but its own.
func (s *state) lostFor(i int) string {
	if s.trees.refused.has(i) {
		return missedMerge
	}
	return "report"
}

// merges does what comes next for the first branch that is to be merged, and reports
// whether there was anything.
func merges(m *Model) bool {
	x := m.s.trees
	switch {
	case len(x.branches) == 0:
		return false
	case x.over:
		return gitRun(m, abortCommand, "Give the merge up")
	case len(x.torn) == 0:
		return m.commit(m.mind().mine()) || gitRun(m, mergeCommand+x.branches[0].name, "Merge the branch of an agent")
	}
	line := commitOpen
	for _, f := range x.torn {
		if !slices.Contains(x.mended, f) {
			if acted, whole := mend(m, f); acted {
				return true
			} else if !whole {
				return gitRun(m, abortCommand, "Give the merge up")
			}
		}
		line += shellWord(m.t.files[f]) + " "
	}
	return gitRun(m, line+"&& "+concluding, "Conclude the merge")
}

// gitRun runs a command for the first branch.
func gitRun(m *Model, command, description string) bool {
	b := &m.s.trees.branches[0]
	it := &m.t.items[b.items[0]]
	m.think(it.key.Sub("merge"), it.think, b.items, "merge what an agent has done")
	m.a.Use(m.q, m.t.names.bash, object("command", command, "description", description), "")
	return true
}

// mend reads a file in conflict, or makes one text of what both sides have. Where it does
// neither, whole says that nothing is in conflict there any more.
func mend(m *Model, file int) (acted, whole bool) {
	i := m.s.trees.branches[0].items[0]
	k := m.s.files.at(file)
	if !k.current() {
		p := &m.plan
		p.reset(m.t, m.s, &m.t.items[i])
		p.file(file, false, filePrefix)
		look := append(p.reads, p.searches...)
		if p.stuck >= 0 || len(look) == 0 {
			return false, false
		}
		m.use(i, look)
		return true, false
	}
	in := mendInput(m.t, file, k)
	if in == nil {
		return false, k.whole
	}
	it := &m.t.items[i]
	m.think(it.key.Sub("mend"), it.think, it.alone, "make one text of both sides")
	m.a.Use(m.q, m.t.names.edit, in, "")
	return true, false
}

// mendInput is the input of an edit that leaves both sides where a file is in conflict, nil
// where it shows no conflict.
func mendInput(t *Table, file int, k *known) *llm.Payload {
	if k.text == nil {
		return nil
	}
	lines := unnumber(k.text.Raw())
	from := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, oursMark) })
	to := len(lines) - 1
	for to >= 0 && !strings.HasPrefix(lines[to], theirsMark) {
		to--
	}
	if from < 0 || to < from {
		return nil
	}
	both := slices.DeleteFunc(slices.Clone(lines[from:to+1]), func(l string) bool {
		return l == bothMark || strings.HasPrefix(l, oursMark) || strings.HasPrefix(l, theirsMark)
	})
	return object("file_path", t.path(file), "old_string", strings.Join(lines[from:to+1], "\n"), "new_string", strings.Join(both, "\n"))
}
