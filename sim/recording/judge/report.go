package judge

import (
	"cmp"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
	"agentsim/sim/vtime"
)

// Report is what a corpus says of the model.
type Report struct {
	Repos      []Repo        // by name
	Sessions   [Halves]int64 // in each half
	Unplayable []Unplayable  // sessions that were left out, by reason
	Agreement  []Agreement   // the server's diagnosis against ours, by name
	Options    []string      // undocumented points that touched a figure
}

// Unplayable is why sessions were left out, and how many.
type Unplayable struct {
	Why                string // of the first one
	Sessions, Requests int64
}

// Agreement is how often the server named a reason for a miss and what was
// inferred without it.
type Agreement struct {
	Server string
	Ours   recording.Cause
	N      int64
	// Missed and Lost are the tokens that the server and we say were lost; Missed
	// is 0 where the server named none.
	Missed, Lost int64
}

// Cell is a set of requests of one transition.
type Cell struct {
	N         int64
	Class     [Classes]int64
	Predicted int64 // whose read was predicted exactly
	Read      int64 // tokens, as recorded
	Off       Error // of the model
	Naive     Error // of the naive baseline
}

// Classes is how many classes of reads there are.
const Classes = int(recording.FirstOfThread) + 1

// Error is how far predictions of reads are off, in tokens.
type Error struct{ Abs, Signed int64 }

func (e *Error) add(predicted, read int64) {
	d := predicted - read
	e.Signed += d
	e.Abs += max(d, -d)
}

func (e *Error) plus(o Error) { e.Abs, e.Signed = e.Abs+o.Abs, e.Signed+o.Signed }

// Causes is how many causes there are.
const Causes = recording.Causes

// Repo is what the sessions of one origin say.
type Repo struct {
	Name               string
	Sessions, Requests int64
	Usage              llm.Usage // of all requests
	All                All
	// Cells are by transition, and by whether the request came within the lifetime
	// of what its predecessor left: 1 for yes.
	Cells [Transitions][2]Cell
	// Known are the first requests of threads for which an earlier thread told a
	// static prefix; First are all of them.
	Known Cell
	// Lost are the tokens that were expected and not read, by cause; Residue is
	// what the model is off by, by cause. NoCause holds what was read exactly, or beyond a
	// request without marks.
	Lost, Residue [Causes]int64
	Missed        [Causes]int64 // requests, by cause
	// Resets are the requests that lost their history; Late those of them that
	// came more than five minutes after their predecessor.
	Resets, Late int64
}

// Followers sums the requests that have a predecessor.
func (r *Repo) Followers() (c Cell) {
	for t := range First {
		c.Plus(&r.Cells[t][0])
		c.Plus(&r.Cells[t][1])
	}
	return c
}

// Plus adds o to c.
func (c *Cell) Plus(o *Cell) {
	c.N += o.N
	c.Predicted += o.Predicted
	c.Read += o.Read
	for i := range c.Class {
		c.Class[i] += o.Class[i]
	}
	c.Off.plus(o.Off)
	c.Naive.plus(o.Naive)
}

// Steps are the tool-loop steps of one model within the lifetime, main thread and
// sub-agents together, without those that missed only the previous write: what
// IMP-06 demands exactness of. lag is how many of the latter there are.
func (r *Repo) Steps() (n, exact, lag int64) {
	for _, t := range [...]Transition{MainLoop, SubLoop} {
		c := &r.Cells[t][1]
		lag += c.Class[recording.Visibility]
		n += c.N
		exact += c.Predicted
	}
	return n - lag, exact, lag
}

// Judge plays the sessions of each origin through the model and compares.
func Judge(sessions []*recording.Session) (*Report, error) {
	rep := &Report{}
	var good []*recording.Session
	for _, s := range sessions {
		if player.Playable(s) != nil {
			rep.leaveOut(s)
			continue
		}
		good = append(good, s)
		rep.Sessions[Half(s)]++
	}
	slices.SortStableFunc(good, func(a, b *recording.Session) int { return cmp.Compare(a.Origin, b.Origin) })
	for len(good) > 0 {
		n := 1
		for n < len(good) && good[n].Origin == good[0].Origin {
			n++
		}
		if err := rep.judge(good[:n]); err != nil {
			return nil, err
		}
		good = good[n:]
	}
	slices.Sort(rep.Options)
	slices.SortFunc(rep.Agreement, func(a, b Agreement) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Ours, b.Ours))
	})
	return rep, nil
}

func (rep *Report) leaveOut(s *recording.Session) {
	reason := reasonOf(s)
	i := slices.IndexFunc(rep.Unplayable, func(u Unplayable) bool { return u.Why == reason })
	if i < 0 {
		i, rep.Unplayable = len(rep.Unplayable), append(rep.Unplayable, Unplayable{Why: reason})
	}
	rep.Unplayable[i].Sessions++
	rep.Unplayable[i].Requests += int64(len(s.Requests))
}

// reasonOf is why a session cannot be played, without what is particular to it.
func reasonOf(s *recording.Session) string {
	for i := range s.Requests {
		r := &s.Requests[i]
		switch {
		case !r.Billed:
			return "the recording holds no bill"
		case !r.WritesKnown:
			return "the API bills no writes (" + s.Client + ")"
		}
		if _, err := cachemodel.Lookup(r.Model); err != nil {
			return "model " + r.Model + " is not in the table"
		}
	}
	return "the least length that its model caches is not known"
}

// judge adds the sessions of one origin.
func (rep *Report) judge(sessions []*recording.Session) error {
	rep.Repos = append(rep.Repos, Repo{Name: sessions[0].Origin})
	repo := &rep.Repos[len(rep.Repos)-1]
	played, err := player.Play(sessions, Options())
	if err != nil {
		return err
	}
	otherwise, err := player.Play(sessions, swapped(Options()))
	if err != nil {
		return err
	}
	var st stakes
	for si, s := range sessions {
		rep.score(repo, s, played.Requests[si], otherwise.Requests[si], &st)
	}
	repo.All.Loss = st.expect()
	for _, o := range played.Options {
		if !slices.Contains(rep.Options, o) {
			rep.Options = append(rep.Options, o)
		}
	}
	return nil
}

// Options are those under which recordings are judged. No slack is granted between
// the client's log and the server's clock: one fitted to half of the recorded rows
// moved no figure of the other half.
func Options() player.Options {
	return player.Options{Cache: cachemodel.DefaultAnthropicOptions(), Hidden: true}
}

func (rep *Report) score(repo *Repo, s *recording.Session, played, otherwise []player.Played, st *stakes) {
	repo.Sessions++
	verdicts, inferred := Classify(s), Infer(s)
	for i := range s.Requests {
		r, v, pl := &s.Requests[i], &verdicts[i], &played[i]
		repo.Requests++
		repo.Usage = repo.Usage.Plus(r.Usage)
		var c Cell
		c.N, c.Read, c.Class[v.Class] = 1, r.Usage.Read, 1
		c.Off.add(pl.Usage.Read, r.Usage.Read)
		naive := naiveAt(v, r, s, v.TTL)
		c.Naive.add(naive, r.Usage.Read)
		p := [Predictors]int64{pl.Usage.Read, naive, v.Expected, otherwise[i].Usage.Read}
		repo.All.count(r, v, p)
		st.note(Half(s), r, v, pl.Usage.Read)
		if v.Expected != naive || naiveAt(v, r, s, other(v.TTL)) != naive {
			repo.All.decide(r, v, p)
		}
		if pl.Usage.Read == r.Usage.Read {
			c.Predicted = 1
		}
		repo.Cells[v.Transition][v.within()].Plus(&c)
		if v.Transition == First {
			if pl.Static > 0 {
				repo.Known.Plus(&c)
			}
			continue
		}
		repo.Lost[v.Cause] += v.Lost(r)
		repo.Residue[v.Cause] += c.Off.Abs
		repo.Missed[v.Cause]++
		if v.Class == recording.Zero || v.Class == recording.StaticPrefix {
			repo.Resets++
			if v.Age > 5*vtime.Minute {
				repo.Late++
			}
		}
		if r.ServerMiss != "" {
			rep.agree(r, v, inferred[i].Cause)
		}
	}
}

func (rep *Report) agree(r *recording.Request, v *Verdict, ours recording.Cause) {
	i := slices.IndexFunc(rep.Agreement, func(a Agreement) bool { return a.Server == r.ServerMiss && a.Ours == ours })
	if i < 0 {
		i, rep.Agreement = len(rep.Agreement), append(rep.Agreement, Agreement{Server: r.ServerMiss, Ours: ours})
	}
	a := &rep.Agreement[i]
	a.N, a.Missed, a.Lost = a.N+1, a.Missed+r.ServerMissed, a.Lost+v.Lost(r)
}
