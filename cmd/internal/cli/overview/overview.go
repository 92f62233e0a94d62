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
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/heads"
	"agentsim/metrics/report"
	"agentsim/sim/client"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/judge"
	"agentsim/sim/vtime"
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
	text += m.lacks()
	d.Label("cost", text)
	if why := m.why(); why != "" {
		d.Label("again", why)
	}
	if b := m.dearest(); b != nil && b.cost > 0 {
		d.Label("dearest", fmt.Sprintf("session %s of %s: %s, %s in these 30 days", ui.Excerpt(b.id), day(b.last), report.Money(b.cost), ui.Things(b.requests, "request")))
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

// Bounds on what is read of sessions.
const (
	maxRead  = 3 * time.Second
	maxBytes = 256 << 20
	maxOne   = 64 << 20 // of one session's main file
	window   = vtime.Duration(30 * 24 * time.Hour)
)

// sessionFile is a session's main file.
type sessionFile struct {
	name    string
	bytes   int64
	written time.Time
	agents  []string // files of its sub-agents that are beside it, as older clients wrote them
}

// projects is where the client keeps sessions, and what people call it.
func projects(s *ui.Env) (dir, shown string) {
	if dir = s.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		dir = filepath.Join(dir, "projects")
		return dir, dir
	}
	if home := s.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".claude", "projects"), "~/.claude/projects"
	}
	return "", ""
}

// list finds the sessions in the directories of projects, the newest first.
func list(dir string) (out []sessionFile) {
	if dir == "" {
		return nil
	}
	names, _ := filepath.Glob(filepath.Join(globbed(dir), "*", "*.jsonl")) // the pattern is sound
	var agents []sessionFile
	at := map[string]int{} // main files, by their names without the ending
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f := sessionFile{name: name, bytes: info.Size(), written: info.ModTime()}
		if strings.HasPrefix(filepath.Base(name), "agent-") {
			agents = append(agents, f)
			continue
		}
		at[strings.TrimSuffix(name, ".jsonl")], out = len(out), append(out, f)
	}
	for _, f := range agents {
		if i, known := at[filepath.Join(filepath.Dir(f.name), sessionOf(f.name))]; known {
			out[i].agents = append(out[i].agents, f.name)
		} else {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b sessionFile) int { return b.written.Compare(a.written) })
	return out
}

// sessionID finds the session that a line belongs to; head is in how many bytes of a file
// the first is looked for.
var sessionID = regexp.MustCompile(`"sessionId":"([^"]+)"`)

const head = 64 << 10

// sessionOf is the session that an agent's file belongs to, "" where it does not say.
func sessionOf(name string) string {
	f, err := hostdir.Machine{}.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, head)) // what could be read says it, or nothing does
	if m := sessionID.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// globbed is a directory whose name a pattern takes as it is.
func globbed(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// bill is what a session came to.
type bill struct {
	id, file string
	calls    []call
	last     vtime.Instant
	cost     cachemodel.Picodollars // of the calls that count
	requests int64
	agents   int64 // sub-agents whose requests are not in the recording
}

// call is one request of it, and what it paid for again and why.
type call struct {
	at      vtime.Instant
	cost    cachemodel.Picodollars
	priced  bool
	output  bool // its size is known, and not a placeholder
	again   int64
	dearer  cachemodel.Picodollars
	because string
}

// lost is what a cause made clients write again.
type lost struct {
	tokens int64
	cost   cachemodel.Picodollars
}

// money adds up sessions.
type money struct {
	bills              []bill
	newest             vtime.Instant
	cost               cachemodel.Picodollars
	requests, unpriced int64
	outputs, agents    int64 // requests whose output is a placeholder, and sub-agents whose requests are not there
	again              map[string]*lost
	cut                bool
	unread             int
}

// read reads sessions until a bound cuts, or they are older than the window, and says
// how many. One that is large is skipped.
func (m *money) read(s *ui.Env, found []sessionFile) (n int) {
	began, bytes := s.Now(), int64(0)
	for _, f := range found {
		if found[0].written.Sub(f.written) > time.Duration(window) {
			break
		}
		if bytes+f.bytes > maxBytes || s.Now().Sub(began) > maxRead {
			m.cut = true
			break
		}
		if f.bytes > maxOne {
			m.cut = true
			continue
		}
		bytes += f.bytes
		n++
		roots := append([]string{f.name}, f.agents...)
		if sub := filepath.Join(strings.TrimSuffix(f.name, ".jsonl"), "subagents"); isDir(sub) {
			roots = append(roots, sub)
		}
		if _, err := importer.Read(hostdir.Machine{}, roots, importer.Options{}, func(x *recording.Session) error { m.take(x, f.name); return nil }); err != nil {
			m.unread++
		}
	}
	return n
}

func isDir(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeDir != 0
}

// take keeps what a session's requests cost.
func (m *money) take(x *recording.Session, file string) {
	b := bill{id: x.ID, file: file}
	for _, k := range x.Skipped {
		if k.What == importer.AgentMissing {
			b.agents += k.Count
		}
	}
	for i, v := range judge.Classify(x) {
		r := &x.Requests[i]
		m.newest, b.last = max(m.newest, r.Start), max(b.last, r.Start)
		if !r.Billed {
			continue
		}
		c := call{at: r.Start, output: r.OutputKnown}
		if p, err := rundb.PriceOf(r.Model); err == nil {
			c.priced, c.cost = true, p.Cost(r.Usage)
			hit := r.Usage.Hit(v.Lost(r))
			if c.again = hit.Read - r.Usage.Read; c.again > 0 {
				c.dearer, c.because = c.cost-p.Cost(hit), v.Cause.String()
			}
		}
		b.calls = append(b.calls, c)
	}
	m.bills = append(m.bills, b)
}

// sums adds up the calls of the thirty days before the newest.
func (m *money) sums() {
	for i := range m.bills {
		b := &m.bills[i]
		for _, c := range b.calls {
			switch {
			case m.newest.Sub(c.at) > window:
				continue
			case !c.priced:
				m.unpriced++
				continue
			}
			b.cost, b.requests = b.cost+c.cost, b.requests+1
			if !c.output {
				m.outputs++
			}
			if c.because != "" {
				l := m.again[c.because]
				if l == nil {
					l = &lost{}
					m.again[c.because] = l
				}
				l.tokens, l.cost = l.tokens+c.again, l.cost+c.dearer
			}
		}
		m.cost, m.requests = m.cost+b.cost, m.requests+b.requests
		if b.requests > 0 {
			m.agents += b.agents
		}
	}
}

// lacks says what the recordings do not hold of what was paid; "" where they hold it all.
func (m *money) lacks() string {
	var parts []string
	if m.outputs > 0 {
		parts = append(parts, "the rest of "+ui.Things(m.outputs, "output"))
	}
	if m.agents > 0 {
		parts = append(parts, "the requests of "+ui.Things(m.agents, "sub-agent"))
	}
	if parts == nil {
		return ""
	}
	return "; it was more: the recordings lack " + strings.Join(parts, " and ")
}

// dearest is the session of the largest bill, nil for none.
func (m *money) dearest() *bill {
	var best *bill
	for i := range m.bills {
		if best == nil || m.bills[i].cost > best.cost {
			best = &m.bills[i]
		}
	}
	return best
}

const maxCauses = 3 // that are told

// why says what was written twice and why, the dearest causes first.
func (m *money) why() string {
	causes := slices.SortedFunc(maps.Keys(m.again), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.again[b].cost, m.again[a].cost), strings.Compare(a, b))
	})
	var all lost
	var list []string
	for i, c := range causes {
		l := m.again[c]
		all.tokens, all.cost = all.tokens+l.tokens, all.cost+l.cost
		if i < maxCauses {
			list = append(list, fmt.Sprintf("%s %s", recording.Reason(c), report.Money(l.cost)))
		}
	}
	if all.tokens == 0 {
		return ""
	}
	if n := len(causes) - maxCauses; n > 0 {
		list = append(list, fmt.Sprintf("%d more", n))
	}
	return fmt.Sprintf("%s tok written to the cache twice, %s more than reading them: %s", report.Quantity(all.tokens), report.Money(all.cost), strings.Join(list, ", "))
}

// day is the day of an instant, in UTC.
func day(t vtime.Instant) string { return time.Unix(0, int64(t)).UTC().Format(time.DateOnly) }
