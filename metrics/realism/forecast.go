package realism

import (
	"cmp"
	"math"
	"slices"

	"agentsim/sim/recording"
	"agentsim/sim/recording/profile"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"gonum.org/v1/gonum/stat"
)

// Form is what a forecast is given beside the profile of a repository.
type Form uint8

// The forms. Before a session a user knows about how many turns it will take, its model
// and how long the cache lives; AsItRan is told the requests and the agents as well.
const (
	Before     Form = iota
	WithAgents      // before, and told how many agents will be started
	AsItRan
	Forms
)

func (f Form) String() string { return [...]string{"before", "before, agents told", "as it ran"}[f] }

// session is what a forecast is given of one, and what it comes to.
type session struct {
	*recording.Session
	key             rng.Key
	turns, requests int // of the main thread
	children        int // sub-agents
	lifetime        vtime.Duration
	bill            float64 // input units of all threads
}

// Weights of input tokens against uncached ones.
const (
	readWeight  = 0.1
	writeWeight = 1.25
)

// sessionOf reads a session; ok is false for one that is not billed, by an API that
// bills writes, or has no main thread.
func sessionOf(s *recording.Session) (x session, ok bool) {
	x = session{Session: s, key: rng.Root(0).Sub("coverage").Sub(s.Origin + "/" + s.ID), lifetime: 5 * vtime.Minute}
	for i := range s.Threads {
		if s.Threads[i].Kind == recording.SubAgent {
			x.children++
		}
	}
	var long, short int64
	for i := range s.Requests {
		r := &s.Requests[i]
		if !r.Billed || !r.WritesKnown {
			return x, false
		}
		u := &r.Usage
		long, short = long+u.Write1h, short+u.Write5m
		x.bill += float64(u.Input) + writeWeight*float64(u.Written()) + readWeight*float64(u.Read)
		if s.Threads[r.Thread].Kind == recording.Main {
			x.request(r)
		}
	}
	if long > short {
		x.lifetime = vtime.Hour
	}
	return x, x.requests > 0 && x.bill > 0
}

// request enters one of the main thread.
func (x *session) request(r *recording.Request) {
	x.requests++
	if r.UserTurn || x.requests == 1 {
		x.turns++
	}
}

// drawn names a figure that a forecast draws from.
type drawn uint8

const (
	firstPrompt drawn = iota
	firstWarm
	turnRequests
	fewTurnRequests
	growthUser
	growthFifth   // the first of five
	growthResults = growthFifth + 5
	dropped       = growthResults + iota - 6
	dropDepth
	userGap
	lateStep
	lateGap
	expiredDepth
	missed
	missDepth
	compactedFrom
	compactedTo
	childUnits
	numDrawn
)

// drawnNames are the figures of main threads, childUnits aside, and what stands in for
// one that a profile does not have.
var drawnNames = [numDrawn]struct {
	figure string
	other  int64
}{
	firstPrompt: {"first_prompt", 20_000}, firstWarm: {"first_warm", 0}, turnRequests: {"turn_requests", 1}, fewTurnRequests: {"turn_requests_few", 1},
	growthUser: {"growth_user", 500}, growthFifth: {"growth_fifth_1", 500}, growthFifth + 1: {"growth_fifth_2", 500}, growthFifth + 2: {"growth_fifth_3", 500},
	growthFifth + 3: {"growth_fifth_4", 500}, growthFifth + 4: {"growth_fifth_5", 500}, growthResults: {"growth_results", 500},
	dropped: {"drop", 0}, dropDepth: {"drop_depth", 0}, userGap: {"user_gap", 0}, lateStep: {"late", 0}, lateGap: {"late_gap", 0}, expiredDepth: {"expired_depth", 1000},
	missed: {"miss", 0}, missDepth: {"miss_depth", 0}, compactedFrom: {"compacted_from", 160_000}, compactedTo: {"compacted_to", 50_000}, childUnits: {"input_units", 0},
}

// fewTurns is up to how many turns a session's turns are drawn as those of short ones.
const fewTurns = 4

// generator draws bills of sessions from a profile.
type generator struct {
	figures     [numDrawn]*profile.Figure
	draws       [numDrawn]func(u uint64) int64 // of figures
	corrections [Forms]correction
	seen        []session // by requests
	late        float64   // of steps that bring tool results, those that began over 5 minutes later
}

// newGenerator makes one of the sessions that were seen and their profile.
func newGenerator(p *profile.Profile, seen []session) *generator {
	g := &generator{}
	for i := range g.figures {
		w := profile.Want{Role: profile.Main, Figure: drawnNames[i].figure, Thin: true}
		if drawn(i) == childUnits {
			w.Role = profile.SubAgent
		}
		if g.figures[i], _ = p.Find(w); g.figures[i] != nil {
			g.draws[i] = g.figures[i].Draws()
		}
	}
	g.late = g.lateResults()
	g.seen = slices.SortedStableFunc(slices.Values(seen), func(a, b session) int { return cmp.Compare(a.requests, b.requests) })
	for form := range Forms {
		g.corrections[form] = g.calibrated(form, seen)
	}
	return g
}

// lateResults is the share of late steps among those that bring tool results: of all
// late ones, those that no message of the user explains.
func (g *generator) lateResults() float64 {
	late, user, results, gap := g.figures[lateStep], g.figures[growthUser], g.figures[growthResults], g.figures[userGap]
	if late == nil || results == nil {
		return 0
	}
	n := float64(*late.Share) / 1000 * float64(late.N)
	if user != nil && gap != nil {
		over := slices.IndexFunc(gap.Q, func(q int64) bool { return vtime.Duration(q)*vtime.Millisecond > 5*vtime.Minute })
		if over < 0 {
			over = profile.Steps
		}
		n -= float64(user.N) * float64(profile.Steps-over) / profile.Steps
	}
	return max(n, 0) / float64(results.N)
}

// calibrated are by how much bills of the sessions that were seen are off what is drawn
// for them, in logarithms, each shrunk by its own noise: where draws alone are as far
// apart, little of it is the session's.
func (g *generator) calibrated(form Form, seen []session) correction {
	const draws = 25
	off, noise := make([]float64, len(seen)), make([]float64, len(seen))
	for i := range seen {
		x, logs := &seen[i], make([]float64, draws)
		for n := range logs {
			logs[n] = math.Log(g.draw(form, x, x.key.Sub("calibrated").At(uint64(n))))
		}
		off[i], noise[i] = stat.MeanVariance(logs, nil)
		off[i] = math.Log(x.bill) - off[i]
	}
	size := make([]float64, len(seen))
	for i := range seen {
		size[i] = seen[i].size(form)
	}
	var c correction
	if c.at = stat.Mean(off, nil); form != AsItRan {
		c.at, c.slope = stat.LinearRegression(size, off, nil, false)
	}
	for i := range off {
		off[i] -= c.at + c.slope*size[i]
	}
	weights, squares := make([]float64, len(off)), make([]float64, len(off))
	for i := range off {
		weights[i], squares[i] = 1/noise[i], off[i]*off[i]
	}
	between := max(stat.Mean(squares, weights)-stat.Mean(noise, weights), 0)
	for i := range off {
		off[i] *= math.Sqrt(between / (between + noise[i]))
	}
	c.left = off
	return c
}

// correction is what a session's drawn bill is multiplied by, in logarithms: a line over
// how long the session is, and what is left of one of those that were seen.
type correction struct {
	at, slope float64
	left      []float64
}

// size is how long a session is, as a forecast of that form is told.
func (x *session) size(form Form) float64 {
	if form == AsItRan {
		return math.Log(float64(x.requests))
	}
	return math.Log(float64(x.turns))
}

// forecasts are drawn bills of a session that was not seen. Those that are not told the
// requests are of the same steps.
func (g *generator) forecasts(x *session, key rng.Key) (bills [Forms]float64) {
	drawn, ran := g.main(false, x, key), g.main(true, x, key)
	for form := range Forms {
		d := drawn
		if form == AsItRan {
			d = ran
		}
		c := &g.corrections[form]
		left := c.left[key.Sub("session").Uint64()%uint64(len(c.left))]
		bills[form] = d.whole(form) * math.Exp(c.at+c.slope*x.size(form)+left)
	}
	return bills
}

// draw is a drawn bill of a session that was seen.
func (g *generator) draw(form Form, x *session, key rng.Key) float64 {
	return g.main(form == AsItRan, x, key).whole(form)
}

// main draws the steps of a session's main thread one by one. ran tells it how many
// requests there were.
func (g *generator) main(ran bool, x *session, key rng.Key) drawing {
	d := drawing{generator: g, session: x, key: key}
	var user []bool // by request: whether a message of the user came
	requests := turnRequests
	if x.turns <= fewTurns {
		requests = fewTurnRequests
	}
	for turn := range x.turns {
		n := d.at(requests)
		if ran { // as evenly as can be
			n = int64((turn+1)*x.requests/x.turns - turn*x.requests/x.turns)
		}
		for i := range n {
			user = append(user, i == 0)
		}
	}
	d.open()
	for i := 1; i < len(user); i++ {
		d.step(user[i], growthFifth+drawn(i*5/len(user)))
	}
	d.requests = len(user)
	return d
}

// whole is the bill of a session whose main thread was drawn, with its sub-agents.
func (d drawing) whole(form Form) float64 {
	children := d.session.children
	if form == Before {
		children = d.generator.children(d.requests, d.key.Sub("children"))
	}
	for range children {
		d.units += float64(d.at(childUnits))
	}
	return d.units
}

// drawing is one session being drawn.
type drawing struct {
	*generator
	session  *session
	key      rng.Key
	drawn    uint64
	requests int
	full     float64 // prompt at which the conversation is compacted
	prompt   float64
	units    float64
}

// at draws a figure.
func (d *drawing) at(f drawn) int64 {
	d.drawn++
	if draw := d.draws[f]; draw != nil {
		return draw(d.key.Nth(d.drawn))
	}
	return drawnNames[f].other
}

func (d *drawing) part(f drawn) float64 { return float64(d.at(f)) / 1000 }

// open is the first request.
func (d *drawing) open() {
	d.prompt = float64(d.at(firstPrompt))
	d.full = float64(d.at(compactedFrom))
	d.pay(d.part(firstWarm) * d.prompt)
}

// pay bills a request that reads so much of its prompt.
func (d *drawing) pay(read float64) { d.units += readWeight*read + writeWeight*(d.prompt-read) }

// step is a request that goes on.
func (d *drawing) step(user bool, fifth drawn) {
	left := d.prompt
	switch {
	case d.prompt >= d.full:
		d.prompt = float64(d.at(compactedTo))
		d.full = float64(d.at(compactedFrom))
		left = min(left, d.prompt) * 0.3
	case d.at(dropped) == 1:
		d.prompt *= 1 - d.part(dropDepth)
		left = d.prompt
	case user:
		d.prompt += float64(d.at(growthUser))
	default:
		d.prompt += float64(d.at(fifth))
	}
	switch gap := d.gap(user); {
	case gap > d.session.lifetime:
		left *= 1 - d.part(expiredDepth)
	case d.at(missed) == 1:
		left *= 1 - d.part(missDepth)
	}
	d.pay(left)
}

// gap is how long after the answer before a step begins.
func (d *drawing) gap(user bool) vtime.Duration {
	d.drawn++
	switch {
	case user:
		return vtime.Duration(d.at(userGap)) * vtime.Millisecond
	case float64(d.key.Nth(d.drawn)>>11)/(1<<53) < d.late:
		return vtime.Duration(d.at(lateGap)) * vtime.Millisecond
	}
	return 0
}

// children is how many agents a session of so many requests starts: as many as one of the
// tenth of those that were seen which are as long.
func (g *generator) children(requests int, key rng.Key) int {
	at, _ := slices.BinarySearchFunc(g.seen, requests, func(x session, n int) int { return cmp.Compare(x.requests, n) })
	near := max(len(g.seen)/10, 1)
	from := min(max(at-near/2, 0), len(g.seen)-near)
	return g.seen[from+int(key.Uint64()%uint64(near))].children
}
