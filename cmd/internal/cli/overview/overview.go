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
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/project"
)

// Print says what there is to see; false, and nothing, where there is neither a
// recorded session nor a repository.
func Print(s *ui.Env) (bool, error) {
	d := &report.Document{}
	seen := sessionsSeen(s, d)
	seen = repositorySeen(d) || seen
	if !seen {
		return false, nil
	}
	d.Label("commands", "agentsim --help")
	return true, s.Print("table", d)
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
	g, err := hostdir.ReadGit(".", hostdir.Limits{}, nil)
	if err != nil || g == nil {
		return false // a repository that git cannot tell of is told of by commands that need it
	}
	dir, err := hostdir.OpenDir(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	layout := client.Find(client.Default)
	found := project.Read(project.Source{Dir: dir, Name: ".", Path: hostdir.Real("."),
		Git: &project.Git{Branch: g.Branch, Main: g.Main, Status: g.Status, Commits: g.Commits}}, layout, 0)
	sizes, total := heads(found, layout)
	d.Label("repository", fmt.Sprintf("%s tok of it in front of the main agent as %s sends it, beside the client's own: %s", report.Quantity(total), layout.Name, strings.Join(sizes, ", ")))
	d.Label("more", "agentsim check")
	return true
}

// heads are the sizes of what stands in front of the main agent by kind of part, the
// largest first.
func heads(found *project.Found, layout *client.Layout) (out []string, total int64) {
	counter := tokens.Approx(counted)
	sizes := map[client.Kind]int64{}
	for _, p := range found.Parts {
		if layout.Row(p.Kind).Main == client.Nowhere {
			continue
		}
		text := llm.NewText(llm.Prose, p.Text)
		if p.Bytes > 0 {
			text = llm.NewText(llm.JSON, strings.Repeat("x", p.Bytes))
		}
		b := llm.Block{Kind: llm.Text, Content: text}
		n := counter.Tokens(b.Measure())
		sizes[p.Kind], total = sizes[p.Kind]+n, total+n
	}
	kinds := slices.DeleteFunc(slices.Clone(client.Kinds[:]), func(k client.Kind) bool { return sizes[k] == 0 })
	slices.SortStableFunc(kinds, func(a, b client.Kind) int { return cmp.Compare(sizes[b], sizes[a]) })
	for _, k := range kinds {
		out = append(out, fmt.Sprintf("%s %s", k, report.Quantity(sizes[k])))
	}
	return out, total
}

// counted is the model by whose approximate counter sizes are told.
const counted = "claude-sonnet-5-5"
