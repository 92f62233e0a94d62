// Package overview is what agentsim says without a command: what recorded sessions of
// this machine cost, and what the repository here puts in front of agents.
//
// Rules:
//   - It reads, and writes nothing.
//   - At most ten lines, each with the command that shows more.
//   - What is read of sessions is bounded, the newest first, and a bound that cuts is
//     said.
package overview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/heads"
	"agentsim/metrics/report"
	"agentsim/sim/client"
)

// Print says what there is to see.
func Print(s *ui.Env) error {
	d := &report.Document{}
	seen := sessionsSeen(s, d)
	if !repositorySeen(d) && !seen {
		d.Label("nothing", "no recorded session in ~/.claude/projects, and no git repository here")
		d.Label("try", "agentsim run fork-vs-subagent", "agentsim check DIR")
	}
	d.Label("commands", "agentsim --help")
	return s.Print("table", d)
}

// sessionsSeen says what the sessions of this machine cost.
func sessionsSeen(s *ui.Env, d *report.Document) bool {
	dir, shown := projects(s)
	found := list(dir)
	if len(found) == 0 {
		return false
	}
	m := &money{again: map[string]*lost{}}
	read := m.read(s, found)
	text := fmt.Sprintf("%s in %s", ui.Plural(len(found), "session"), shown)
	if m.cut {
		text += fmt.Sprintf("; only %s read, the newest first: all would take long", ui.Count(int64(read)))
	}
	d.Label("sessions", text)
	if m.unread > 0 {
		d.Label("unread", ui.Plural(m.unread, "session")+" cannot be read: agentsim import --dry-run "+ui.Quote(dir)+" says why")
	}
	if m.sums(); m.newest == 0 {
		return true
	}
	text = fmt.Sprintf("%s for %s in the 30 days to %s, at list prices of %s", report.Money(m.cost), ui.Things(m.requests, "request"), day(m.newest), cachemodel.Newest())
	if m.unpriced > 0 {
		text += fmt.Sprintf("; %s more have no price", ui.Count(m.unpriced))
	}
	d.Label("cost", text)
	if why := m.why(); why != "" {
		d.Label("again", why)
	}
	if b := m.dearest(); b != nil && b.cost > 0 {
		d.Label("dearest", fmt.Sprintf("session %s of %s: %s, %s", ui.Excerpt(b.id), day(b.last), report.Money(b.cost), ui.Things(b.requests, "request")))
		d.Label("more", "agentsim import "+ui.Quote(b.file), "agentsim inspect, then agentsim inspect RUN --misses")
	}
	return true
}

// repositorySeen says what the repository here puts in front of agents.
func repositorySeen(d *report.Document) bool {
	if g, err := hostdir.ReadGit(".", hostdir.Limits{}); err != nil || g == nil {
		return false // a repository that git cannot tell of is told of by commands that need it
	}
	r, err := loading.ReadRepository(".", "", "", nil, cachemodel.Lookup)
	if err != nil {
		return false
	}
	_, own := r.Tokens(r.Agents[0])
	kinds := strings.Join(sizes(r.Heads), ", ")
	if kinds != "" {
		kinds = ": " + kinds
	}
	d.Label("repository", fmt.Sprintf("%s tok of its files in front of the main agent as %s sends it, beside git's status and the client's own%s", ui.Count(own), r.Client, kinds))
	d.Label("more", "agentsim check")
	return true
}

// sizes are those of what stands in front of the main agent by kind of part, the
// largest first.
func sizes(h *heads.Heads) (out []string) {
	of := map[client.Kind]int64{}
	for _, i := range h.Agents[0].Parts {
		if p := h.Parts[i]; p.Own() {
			of[p.Kind] += p.Tokens
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(of), func(a, b client.Kind) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) }) {
		out = append(out, fmt.Sprintf("%s %s", k, ui.Count(of[k])))
	}
	return out
}
