package policy

import (
	"strings"

	"agentsim/sim/llm"
)

// A fork that changed files commits them before it reports, as its directive asks,
// where it has a shell; the report names the commit, or says that there is none. So does
// whoever works on a branch of its own, and a lead before it gives out work to such.

// commitOpen is how a command that commits begins.
const commitOpen = "git add "

// commit commits what the agent changed for its items and has not committed, and
// reports whether there was anything.
func (m *Model) commit(items []int) bool {
	asked := m.s.assign == nil || m.s.assign.fork || m.s.assign.apart
	if !asked || !m.s.proof.bash {
		return false
	}
	var files, changed []int
	for _, i := range items {
		for _, e := range m.t.items[i].edits {
			if m.s.edited.has(e) && !m.s.proof.committed.has(e) {
				files, changed = union(files, m.t.edits[e].file), union(changed, i)
			}
		}
	}
	if len(files) == 0 {
		return false
	}
	if m.s.assign == nil {
		items = changed
	}
	it := &m.t.items[items[len(items)-1]]
	m.think(it.key.Sub("commit"), it.think, items, "commit what was changed")
	m.a.Use(m.q, m.t.names.bash, m.mind().commitInput(items, files), "")
	return true
}

// commitInput is the input of the command that commits files.
func (m mind) commitInput(items, files []int) *llm.Payload {
	line := commitOpen
	for _, f := range files {
		line += shellWord(m.t.files[f]) + " "
	}
	var done []string
	for _, i := range items {
		done = append(done, verbs[m.t.items[i].kind]+" "+m.t.items[i].title)
	}
	line += "&& git commit -m " + shellWord(strings.Join(done, ", "))
	return object("command", line, "description", "Commit what was changed")
}

// shellWord is a text as one word of a shell.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// commitResult enters what a commit came to: its hash, or none.
func (f *folder) commitResult(b *llm.Block) {
	p := own(&f.s.proof)
	p.committed, p.commit = f.s.edited, ""
	if b.IsError {
		return
	}
	_, rest, _ := strings.Cut(b.Content.Raw(), "[")
	head, _, _ := strings.Cut(rest, "]")
	_, p.commit, _ = strings.Cut(head, " ")
}

// changed forgets that the edits of a file were committed, which has been changed
// since.
func (f *folder) changed(file int) {
	for _, e := range f.s.proof.committed.list(nil) {
		if f.t.edits[e].file == file {
			p := own(&f.s.proof)
			p.committed = p.committed.without(e)
		}
	}
}

// committed says behind the files that a fork changed which commit holds them.
func (m mind) committed() string {
	switch pr := m.s.proof; {
	case !pr.bash:
		return ". Nothing was committed: there is no shell."
	case pr.commit == "":
		return ". Nothing was committed: the command did not succeed."
	default:
		return ", commit " + pr.commit
	}
}
