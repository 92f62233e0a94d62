package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Options narrow what is measured. The zero value takes all.
type Options struct {
	Since  vtime.Instant // sessions that began before are left out
	Type   string        // only agents of this type, as recorded or as a profile calls it
	Model  string        // only threads whose first request names a model with this in its name
	Joined bool          // all sources are one
	// WithoutLast leaves out the last request of each sub-agent, as lines of progress do.
	WithoutLast bool
}

// Measure takes sessions in, one after another, and keeps their figures.
type Measure struct {
	opt      Options
	sources  map[string]int32
	sessions []session
	byKey    map[string]int32
	cells    map[cell]*series
	parted   *sides // of the sessions so far; nil before it is asked for
}

// session is what is kept of one.
type session struct {
	key      string // the same for the same session in other formats
	source   int32
	requests int64
	content  bool
	start    vtime.Instant
	dropped  bool // it is measured from another source
}

// stratum is what sessions are halved within; those that do not count are apart.
func (x *session) stratum() int32 {
	if x.dropped {
		return -1
	}
	return x.source
}

// cell is where a figure stands in a profile.
type cell struct {
	source                    int32
	role, family, typ, figure string
}

// What is counted and is no figure.
const (
	threadsCount = "~threads"
	placeholders = "~placeholders"  // outputs of requests
	lastRequests = "~last_requests" // threads that are recorded without theirs
	redacted     = "~redacted"      // thinking
)

// New begins a measurement.
func New(opt Options) *Measure {
	return &Measure{opt: opt, sources: map[string]int32{}, byKey: map[string]int32{}, cells: map[cell]*series{}}
}

// keyOf is a session's identity in all formats: rows of public sessions hold the
// beginning of its id's hash, others an id of their own corpus.
func keyOf(s *recording.Session) string {
	const hashed = 6
	switch id, err := hex.DecodeString(s.ID); {
	case s.Format != "rows":
		sum := sha256.Sum256([]byte(s.ID))
		return hex.EncodeToString(sum[:hashed])
	case err == nil && len(id) == hashed:
		return s.ID
	}
	return s.Origin + "/" + s.ID
}

// Add takes a session in. Sessions of one source are measured together. Of a session
// that comes twice, from two sources or in two formats, the one with content and
// with more requests counts.
func (m *Measure) Add(source string, s *recording.Session) {
	if len(s.Requests) == 0 || s.Requests[0].Start < m.opt.Since {
		return
	}
	m.parted = nil
	if m.opt.Joined {
		source = ""
	}
	src, ok := m.sources[source]
	if !ok {
		src = int32(len(m.sources))
		m.sources[source] = src
	}
	x := session{key: keyOf(s), source: src, requests: int64(len(s.Requests)), start: s.Requests[0].Start,
		content: slices.ContainsFunc(s.Requests, func(r recording.Request) bool { return r.Answer != nil })}
	if i, twice := m.byKey[x.key]; twice {
		if !x.better(&m.sessions[i]) {
			x.dropped = true
			m.sessions = append(m.sessions, x)
			return
		}
		m.sessions[i].dropped = true
	}
	m.byKey[x.key] = int32(len(m.sessions))
	m.sessions = append(m.sessions, x)
	m.visit(s)
}

// better reports whether x tells more than y of the same session.
func (x *session) better(y *session) bool {
	if x.content != y.content {
		return x.content
	}
	return x.requests > y.requests
}

// visit measures the session that was added last.
func (m *Measure) visit(s *recording.Session) {
	v := &visit{m: m, s: s, at: int32(len(m.sessions) - 1), verdicts: judge.Classify(s), threads: make([]thread, len(s.Threads)),
		named: s.Format != "rows" && s.Format != "kv-cache-tester"}
	v.key = rng.Root(0).Sub("sample").Sub(m.sessions[v.at].key)
	of, position := s.ByThread()
	v.position = position
	for i := range v.threads {
		v.threads[i].requests = of[i]
		v.begin(int32(i))
	}
	for i := range v.threads {
		if v.threads[i].counts {
			v.thread(int32(i))
		}
	}
	v.spawned()
	v.overlap()
}

// Empty reports whether nothing was measured.
func (m *Measure) Empty() bool { return len(m.cells) == 0 }

// Profile is what was taken in comes to.
func (m *Measure) Profile() *Profile {
	return m.profile(func(s int32) bool { return !m.sessions[s].dropped }, m.halvings())
}

// Whole is Profile without floors, which take most of its time.
func (m *Measure) Whole() *Profile {
	return m.profile(func(s int32) bool { return !m.sessions[s].dropped }, nil)
}

// halvings are the sides of all sessions.
func (m *Measure) halvings() *sides {
	if m.parted == nil {
		m.parted = part(m.sessions)
	}
	return m.parted
}

// Side is the side of a session in a halving; ok is false where it does not count.
func (m *Measure) Side(halving int, s *recording.Session) (side, ok bool) {
	i, ok := m.byKey[keyOf(s)]
	return ok && m.halvings()[halving][i], ok
}

// Half is what one side of a halving comes to, of which there are Halvings; without
// floors.
func (m *Measure) Half(halving int, side bool) *Profile {
	half := m.halvings()[halving]
	return m.profile(func(s int32) bool { return !m.sessions[s].dropped && half[s] == side }, nil)
}

func (m *Measure) profile(counts func(session int32) bool, halves *sides) *Profile {
	p := &Profile{Version: Version}
	var order []int32 // of sources, by their first sessions
	for _, x := range slices.SortedFunc(slices.Values(m.sessions), func(a, b session) int {
		return cmp.Or(cmp.Compare(a.start, b.start), strings.Compare(a.key, b.key))
	}) {
		if !slices.Contains(order, x.source) {
			order = append(order, x.source)
		}
	}
	for _, i := range order {
		if src := m.source(i, counts, halves); src.Sessions > 0 {
			p.Sources = append(p.Sources, src)
		}
	}
	return p
}

// dated is the first instant that is a date: simulated runs and traces begin at zero.
const dated = vtime.Instant(946_684_800) * vtime.Instant(vtime.Second)

func (m *Measure) source(i int32, counts func(session int32) bool, halves *sides) (out Source) {
	twice := 0
	var from, to vtime.Instant
	for at, x := range m.sessions {
		switch {
		case x.source != i:
		case x.dropped:
			twice++
		case counts(int32(at)):
			out.Sessions++
			out.Requests += x.requests
			if x.start < dated {
				continue
			}
			if to = max(to, x.start); from == 0 || x.start < from {
				from = x.start
			}
		}
	}
	if to > 0 {
		out.From, out.To = from.Day(), to.Day()
	}
	if twice > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d sessions come from two sources; the one that tells more was measured", twice))
	}
	roles := map[[3]string]map[string]Figure{}
	for c, x := range m.cells { // order: each figure goes to its own place
		if c.source != i {
			continue
		}
		unit := Count
		if k := KindOf(c.figure); k != nil {
			unit = k.Unit
		}
		if f, ok := x.figure(unit, counts, halves); ok {
			at := [3]string{c.role, c.family, c.typ}
			if roles[at] == nil {
				roles[at] = map[string]Figure{}
			}
			roles[at][c.figure] = f
		}
	}
	for _, name := range Roles {
		known := len(out.Roles)
		for _, family := range familyNames {
			for _, typ := range append([]string{""}, typeNames...) {
				if figures := roles[[3]string{name, family, typ}]; figures != nil {
					out.Roles = append(out.Roles, roleFrom(name, family, typ, figures))
				}
			}
		}
		if len(out.Roles) == known {
			out.Notes = append(out.Notes, "no "+name+" in the sources: nothing is known of it")
		}
	}
	return out
}

// roleFrom keeps of a role's figures those that tell: of few agents of a type their
// heads, of tools those that are used often enough. What is not there has a reason.
func roleFrom(name, family, typ string, figures map[string]Figure) Role {
	r := Role{Role: name, Family: family, Type: typ, Threads: figures[threadsCount].N, Figures: map[string]Figure{}, Absent: map[string]string{}}
	var rare []string
	for _, figure := range slices.Sorted(maps.Keys(figures)) {
		k := KindOf(figure)
		tool, of, isTool := strings.Cut(figure, ".")
		switch uses := figures[tool+".bytes"].N; {
		case k == nil || typ != "" && r.Threads < minOfType && !k.head:
		case isTool && uses < ThinBelow:
			if of == "bytes" {
				rare = append(rare, tool)
			}
		default:
			r.Figures[figure] = figures[figure]
		}
	}
	if typ != "" {
		return r
	}
	for _, k := range Kinds {
		if _, ok := r.Figures[k.Name]; !ok && why[k.need] != "" && !k.elsewhere(name) {
			r.Absent[k.Name] = why[k.need]
		}
	}
	if len(rare) > 0 {
		r.Absent["rare_tools"] = "fewer than 20 results each: " + strings.Join(rare, " ")
	}
	if n := figures[placeholders].N; n > 0 && r.Figures["output"].N > 0 {
		r.Absent["output_of_others"] = fmt.Sprintf("of %d requests the recordings hold placeholders only", n)
	}
	if n := figures[redacted].N; n > 0 {
		r.Absent["thinking_bytes_of_others"] = fmt.Sprintf("of %d responses the thinking is redacted", n)
	}
	if n := figures[lastRequests].N; n > 0 {
		r.Absent["last_request"] = fmt.Sprintf("of %d threads, which progress lines leave out, with their thinking and text: calls, last_prompt and input_units are without it", n)
	} else {
		delete(r.Figures, "calls_whole")
	}
	return r
}

// elsewhere reports whether a figure is no figure of a role at all.
func (k *Kind) elsewhere(role string) bool {
	switch k.Name {
	case "user_turns", "turn_requests", "turn_requests_few", "growth_user", "user_gap":
		return role != Main
	case "prompt_bytes", "report_bytes", "background":
		return role == Main
	}
	return strings.HasPrefix(k.Name, "overlap_") && role == Main
}
