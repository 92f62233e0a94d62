package overview

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/judge"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

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
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			out = append(out, sessionFile{name, info.Size(), info.ModTime()})
		}
	}
	slices.SortStableFunc(out, func(a, b sessionFile) int { return b.written.Compare(a.written) })
	return out
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
}

// call is one request of it, and what it paid for again and why.
type call struct {
	at      vtime.Instant
	cost    cachemodel.Picodollars
	priced  bool
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
		roots := []string{f.name}
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
	for i, v := range judge.Classify(x) {
		r := &x.Requests[i]
		m.newest, b.last = max(m.newest, r.Start), max(b.last, r.Start)
		if !r.Billed {
			continue
		}
		c := call{at: r.Start}
		if p, err := rundb.PriceOf(r.Model); err == nil {
			c.priced, c.cost = true, p.Cost(r.Usage)
			hit := sqlite.Hit(r.Usage, v.Lost(r))
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
	}
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
			list = append(list, fmt.Sprintf("%s %s", c, report.Money(l.cost)))
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
