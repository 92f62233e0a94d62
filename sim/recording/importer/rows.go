package importer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// row is one request without content, as one line of JSON. The fields are those
// of requests.jsonl.gz; file, which it has besides, says where a row came from and has
// no place in a recording.Request. Root is how a row without pred
// begins: root, logical (behind a compaction), missing (its parent was not found).
type row struct {
	Repo, Agent, Session, Thread string
	Req, Pred                    string // hashes
	Model, Ver                   string
	AgentType                    string      `json:"agent_type"`
	SpawnedBy                    string      `json:"spawned_by"`
	ForkedFrom                   string      `json:"forked_from"`
	MissReason                   string      `json:"miss_reason"`
	Via                          string      // agent_progress: from progress lines of the spawner's thread
	Seq                          int64       // Codex: of the request in its file, the copied head of a fork included
	TStart                       json.Number `json:"t_start"` // seconds since 1970
	TFirst                       json.Number `json:"t_first"`
	TLast                        json.Number `json:"t_last"`
	Read, Uncached, Output       int64
	Write5m                      int64 `json:"write_5m"`
	Write1h                      int64 `json:"write_1h"`
	Lines                        int
	OutputFinal                  bool `json:"output_final"`
	UserTurn                     bool `json:"user_turn"`
	Compact                      bool
	Root                         string
}

// clientCodex is how rows and rollouts name the client whose API bills no writes.
const clientCodex = "codex"

// rowSession is a session under construction.
type rowSession struct {
	recording.Session
	skips   skips
	threads map[string]int32
	at      map[string]int32 // requests by id
	preds   []string         // of each request
	spawner []string         // of each thread
	last    []int32          // of each thread, the request that came last
	rounds  []int64          // TraceLab: the number of each request
}

// rowFile is a file being read whose lines tell of sessions by themselves.
type rowFile struct {
	name     string
	sessions map[sessionKey]*rowSession
	order    []*rowSession
	requests int
	names    map[string]string
}

// lineReaderOf reads files by add, which takes one line. The lines of a session may
// stand anywhere in their file; equal ids of different origins are different
// sessions.
func lineReaderOf(add func(f *rowFile, line []byte, number int64, sk *skips) error) reader {
	return func(sources []source, opt *Options, sk *skips, hand func(*recording.Session, *skips) error) error {
		for _, src := range sources {
			f := rowFile{name: src.name, sessions: map[sessionKey]*rowSession{}, names: map[string]string{}}
			file, err := eachLine(src, opt, sk, func(line []byte, number int64, _ bool) error { return add(&f, line, number, sk) })
			if err != nil {
				return err
			}
			slices.SortStableFunc(f.order, func(a, b *rowSession) int {
				return cmp.Or(strings.Compare(a.Origin, b.Origin), strings.Compare(a.ID, b.ID))
			})
			for i, s := range f.order {
				f.order[i] = nil
				s.Files = []recording.File{file}
				s.link(src.name)
				if err := hand(&s.Session, &s.skips); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// row reads one row.
func (f *rowFile) row(line []byte, number int64, sk *skips) error {
	var r row
	if err := json.Unmarshal(line, &r); err != nil {
		sk.add("line that is no row ("+reason(err)+")", f.name, number)
		return nil
	}
	req, ok := r.request()
	if !ok {
		sk.add("row with an instant or a count that cannot be", f.name, number)
		return nil
	}
	if r.Session == "" || r.Thread == "" || r.Agent != clientCodex && r.Req == "" {
		sk.add("row without session, thread or req", f.name, number)
		return nil
	}
	if f.requests++; f.requests > maxRequests {
		return tooMany(f.name, number)
	}
	s := f.session("rows", r.Agent, r.Repo, r.Session, sk, number)
	for _, name := range []*string{&r.Req, &r.Pred, &r.Thread, &r.AgentType, &r.SpawnedBy, &r.Model, &r.Ver, &r.MissReason} {
		*name = plain(*name, &s.skips, f.name, number)
	}
	if i, twice := s.at[r.Req]; twice && r.Req != "" {
		if prompted(s.Requests[i].Usage) != prompted(req.Usage) {
			s.skips.add(twoRows, f.name, number)
		}
		s.skips.add("row of a request that stands in the file already", f.name, number)
		return nil
	}
	req.Thread = s.thread(f, &r)
	if req.ID = r.Req; r.Req == "" {
		req.ID = f.known(r.Thread) + ":" + strconv.FormatInt(r.Seq, 10)
	}
	req.Model, req.Version, req.ServerMiss = f.known(r.Model), f.known(r.Ver), f.known(r.MissReason)
	s.add(req, &r)
	return nil
}

// add appends a request. Rows of Codex name no predecessor: theirs is the one
// before in the thread.
func (s *rowSession) add(req recording.Request, r *row) {
	i := int32(len(s.Requests))
	if r.Agent == clientCodex {
		req.Pred = s.last[req.Thread]
	}
	if r.Req != "" {
		s.at[r.Req] = i
	}
	s.last[req.Thread] = i
	s.Requests = append(s.Requests, req)
	s.preds = append(s.preds, r.Pred)
}

// known returns the same string for equal ones.
func (f *rowFile) known(s string) string {
	if k, ok := f.names[s]; ok {
		return k
	}
	f.names[s] = s
	return s
}

func (f *rowFile) session(format, client, origin, id string, sk *skips, number int64) *rowSession {
	k := sessionKey{origin: short(origin), id: short(id)}
	if s := f.sessions[k]; s != nil {
		return s
	}
	s := &rowSession{threads: map[string]int32{}, at: map[string]int32{}}
	s.Format, s.Client = format, f.known(plain(client, sk, f.name, number))
	s.Origin, s.ID = f.known(plainPath(origin, sk, f.name, number)), plain(id, sk, f.name, number)
	f.sessions[k] = s
	f.order = append(f.order, s)
	return s
}

// compactPrefix begins the id of an agent that summarises a conversation.
const compactPrefix = "acompact-"

// mainThread is how rows and rollouts name a session's first thread.
const mainThread = "main"

func (s *rowSession) thread(f *rowFile, r *row) int32 {
	if i, ok := s.threads[r.Thread]; ok {
		return i
	}
	t := recording.Thread{
		Name: f.known(r.Thread), Kind: recording.SubAgent,
		Type: f.known(r.AgentType), Parent: -1, SpawnedBy: -1, Partial: r.Via == "agent_progress",
	}
	switch {
	case r.ForkedFrom != "":
		t.Kind, t.CopiedHead = recording.Fork, int(min(r.Seq, maxRequests))
	case r.Thread == mainThread:
		t.Kind = recording.Main
	case strings.HasPrefix(r.Thread, compactPrefix):
		t.Kind = recording.Compact
	}
	i := int32(len(s.Threads))
	s.threads[r.Thread] = i
	s.Threads, s.spawner, s.last = append(s.Threads, t), append(s.spawner, r.SpawnedBy), append(s.last, -1)
	return i
}

// request is what a row says by itself. ok is false when a figure cannot be.
func (r *row) request() (q recording.Request, ok bool) {
	q = recording.Request{
		AnswerBlocks: r.Lines,
		Pred:         -1,
		Usage:        llm.Usage{Input: r.Uncached, Write5m: r.Write5m, Write1h: r.Write1h, Read: r.Read, Output: r.Output},
		OutputKnown:  r.OutputFinal, WritesKnown: r.Agent != clientCodex, Billed: true,
		UserTurn: r.UserTurn, Compacted: r.Compact, Orphan: r.Root == "missing",
	}
	if !possible(q.Usage) || r.Seq < 0 || r.Lines < 0 || r.Lines > maxRequests {
		return q, false
	}
	for _, at := range []struct {
		text json.Number
		to   *vtime.Instant
	}{{r.TStart, &q.Start}, {r.TFirst, &q.First}, {r.TLast, &q.Last}} {
		if at.text == "" {
			continue
		}
		ns, ok := parseSeconds(string(at.text))
		if !ok {
			return q, false
		}
		*at.to = vtime.Instant(ns)
	}
	q.First = cmp.Or(q.First, q.Last)
	q.Start = cmp.Or(q.Start, q.First)
	return q, q.Start > 0 && q.Start <= q.First && q.First <= q.Last
}

// maxTokens is more than any count of tokens can be, and so little that a
// session's sum fits.
const maxTokens = 1 << 40

func possible(u llm.Usage) bool {
	all := []int64{u.Input, u.Write5m, u.Write1h, u.Read, u.Output}
	return slices.Min(all) >= 0 && slices.Max(all) <= maxTokens
}

// link finds predecessors and spawners by their ids and puts the session in order.
func (s *rowSession) link(file string) {
	s.chain()
	for i, id := range s.preds {
		if id == "" {
			continue
		}
		p, ok := s.at[id]
		if !ok {
			s.skips.add("predecessor that is not in the file", file, 0)
			s.Requests[i].Orphan = true
			continue
		}
		s.Requests[i].Pred = p
	}
	main, hasMain := s.threads[mainThread]
	for i, id := range s.spawner {
		t := &s.Threads[i]
		spawner, ok := s.at[id]
		switch {
		case t.Name == mainThread:
		case ok:
			t.SpawnedBy, t.Parent = spawner, s.Requests[spawner].Thread
		case hasMain:
			t.Parent = main
		}
		if id != "" && !ok {
			s.skips.add("spawner that is not in the file", file, 0)
		}
	}
	finish(&s.Session, &s.skips, file)
	continued(&s.Session)
	compactions(&s.Session)
}

// continued lets requests of main threads whose predecessor is missing, and those
// behind a compaction, go on from the last one of their thread.
func continued(s *recording.Session) {
	last := int32(-1)
	for i := range s.Requests {
		r := &s.Requests[i]
		if s.Threads[r.Thread].Kind != recording.Main {
			continue
		}
		if r.Pred < 0 && (r.Orphan || r.Compacted) {
			r.Pred = last
		}
		if r.Pred >= 0 && r.Version != "" && !slices.Contains([]string{"", r.Version}, s.Requests[r.Pred].Version) {
			r.Told = append(r.Told, recording.Told{What: recording.VersionTold})
		}
		last = int32(i)
	}
}

// compactions finds what a compaction went on from where its file does not say
// so: what its main thread had last answered when it began.
func compactions(s *recording.Session) {
	seen := make([]bool, len(s.Threads))
	for i := range s.Requests {
		r := &s.Requests[i]
		t := s.Threads[r.Thread]
		first := !seen[r.Thread]
		seen[r.Thread] = true
		if t.Kind != recording.Compact || !first || r.Pred >= 0 || t.Parent < 0 {
			continue
		}
		for p := i - 1; p >= max(0, i-maxBack) && r.Pred < 0; p-- {
			if q := s.Requests[p]; q.Thread == t.Parent && q.Last <= r.Start {
				r.Pred, r.Orphan = int32(p), false
			}
		}
	}
}
