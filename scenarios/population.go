package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/mockllm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Population is many sessions, each the scenario's own with draws of its own. They run
// in shards, each a kernel by itself.
type Population struct {
	Sessions  int64     `yaml:"sessions"`
	Workspace int64     `yaml:"workspace"` // sessions that share a workspace, and so its cache
	Shard     int64     `yaml:"shard"`     // sessions of one kernel, whole workspaces
	Arrivals  *Arrivals `yaml:"arrivals"`
	Limits    string    `yaml:"limits"`
	Audit     int64     `yaml:"audit"` // one shard of so many is audited in full
}

// Arrivals says when the sessions of a workspace begin: one of three.
type Arrivals struct {
	Every   vtime.Duration `yaml:"every"`   // from each to the next
	Poisson vtime.Duration `yaml:"poisson"` // on average, drawn
	Hours   []int64        `yaml:"hours"`   // weights of the hours of a day or of a week
}

const (
	maxShard      = 50 // sessions: more of them alive cost each of them more
	usualShard    = 25
	usualAudit    = 50
	maxPopulation = 1_000_000_000
	dayHours      = 24
	weekHours     = 7 * dayHours
	splitLimits   = "split" // each shard has its part of the organisation's limits
)

// shared are the tools that leave nothing behind which another session could meet.
var shared = []string{"Read", "Grep", "Glob", "Agent", "Task"}

// populate gives a population what it leaves to the defaults.
func populate(s *Scenario) {
	p := s.Population
	if p == nil {
		return
	}
	if p.Workspace == 0 {
		p.Workspace = 1
	}
	if p.Audit == 0 {
		p.Audit = usualAudit
	}
	if p.Shard == 0 {
		p.Shard = p.Workspace
		if p.Workspace > 0 && p.Workspace <= usualShard && apart(s) == "" {
			p.Shard = usualShard / p.Workspace * p.Workspace
		}
	}
}

// apart is why no two sessions of a scenario can run in one kernel, "" where they can.
func apart(s *Scenario) string {
	for _, x := range []struct {
		is  bool
		why string
	}{
		{!s.allScripted() || len(s.Work) > 0, "who does work meets the files and items of others there: only what answers say in full can"},
		{len(s.Faults) > 0, "faults count calls"},
		{len(s.GateFlips)+len(s.ReplaceFlips) > 0 || s.Provider.PlanLimitAt > 0, "gate_flips, replace_flips and plan_limit_at are instants of one session"},
		{len(s.Injections)+len(s.Classifier) > 0, "injections are of one session"},
		{len(s.Permissions.Answers) > 0, "permissions.answers name agents of one session"},
		{s.Coordinates() || s.teams(), "coordinators and teams have files and names of their own"},
		{s.Project.HasServers() || s.DefinesAgents(), "servers and definitions may keep what agents did"},
		{s.Main != nil && slices.ContainsFunc(s.Main.Then, timed), "at, on, show and to in main.then are of one session"},
		{slices.ContainsFunc(s.Scripts, func(x Script) bool { return everyones(x.Agent) == "" }), "answers must be for main or what it starts, such as main/*"},
	} {
		if x.is {
			return x.why
		}
	}
	return apartTools(s)
}

func timed(t UserStep) bool { return t.At != nil || t.On != nil || t.Show != "" || t.To != "" }

// apartTools is why the tools that answers call keep sessions apart.
func apartTools(s *Scenario) (why string) {
	s.scripted(func(u *ToolTurn) bool {
		switch {
		case !slices.Contains(shared, u.Name):
			why = fmt.Sprintf("tool %s may change what others find: %s do not", u.Name, strings.Join(shared[:4], ", "))
		case strings.Contains(u.Raw, "$id("):
			why = "$id(…) is an agent of one session"
		}
		return why != ""
	})
	return why
}

// everyones is the pattern that means in every session what one means in that of main,
// "" where there is none.
func everyones(agent string) string {
	first, rest, below := strings.Cut(agent, "/")
	if first == "main" {
		first = "*"
	}
	if first != "*" && first != "**" {
		return ""
	}
	if below {
		return first + "/" + rest
	}
	return first
}

// OfSession are the names that agents of a shard with many sessions have in each of
// these, as the file of the one session says them.
func OfSession(lineages []string) (out []string) {
	for _, l := range lineages {
		_, below, is := strings.Cut(l, "/")
		name := "main"
		if is {
			name += "/" + below
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Shards is how many there are.
func (p *Population) Shards() int { return int((p.Sessions + p.Shard - 1) / p.Shard) }

// In is how many sessions a shard has.
func (p *Population) In(shard int) int {
	return int(min(p.Shard, p.Sessions-int64(shard)*p.Shard))
}

// Audited reports whether a shard is audited in full: one of so many, by a hash of its
// number, and where that finds none the first one.
func Audited(s *Scenario, shard int) bool {
	p := s.Population
	hit := func(n int) bool {
		return rng.Root(s.Seed).Sub("population").Sub("audit").At(uint64(n)).Uint64()%uint64(p.Audit) == 0
	}
	if hit(shard) {
		return true
	}
	if shard > 0 {
		return false
	}
	for n := range p.Shards() {
		if hit(n) {
			return false
		}
	}
	return true
}

// Shard is the scenario of one shard of a population: an ordinary one, with a seed of its
// own and a root for each session.
func Shard(s *Scenario, shard int) *Scenario {
	p, out := s.Population, *s
	out.Population, out.Seed = nil, s.Seed+uint64(shard)
	if l := s.Provider.RateLimits; l != nil && p.Limits == splitLimits {
		part := split(*l, p, int64(p.In(shard)))
		out.Provider.RateLimits = &part
	}
	if p.Shard == 1 {
		return &out
	}
	out.Main, out.Roots, out.Scripts = nil, make([]Root, p.In(shard)), slices.Clone(s.Scripts)
	for i := range out.Scripts {
		out.Scripts[i].Agent = everyones(out.Scripts[i].Agent)
	}
	at := arrivals(s, shard)
	for i := range out.Roots {
		r := *s.Main
		r.Name, r.At = fmt.Sprintf("s%02d", i+1), at[i]
		if p.Shard > p.Workspace {
			r.Workspace = fmt.Sprintf("%s-%02d", s.Provider.Workspace, int64(i)/p.Workspace+1)
		}
		out.Roots[i] = r
		out.Limits.Time = max(out.Limits.Time, s.Limits.Time+at[i])
	}
	return &out
}

// String says when sessions of a workspace begin.
func (a *Arrivals) String() string {
	switch {
	case a == nil:
		return "all at once"
	case a.Every > 0:
		return "every " + a.Every.String()
	case a.Poisson > 0:
		return a.Poisson.String() + " apart on average (drawn)"
	case len(a.Hours) == dayHours:
		return "on one day, by the weights of its 24 hours (drawn)"
	}
	return "in one week, by the weights of its 168 hours (drawn)"
}

// arrivals are the instants at which the sessions of a shard begin. Those of a workspace
// come one after the other, whatever others do.
func arrivals(s *Scenario, shard int) []vtime.Duration {
	p, out := s.Population, make([]vtime.Duration, s.Population.In(shard))
	key := rng.Root(s.Seed).Sub("population").Sub("arrivals")
	for from := 0; from < len(out) && p.Arrivals != nil; from += int(p.Workspace) {
		list := out[from:min(from+int(p.Workspace), len(out))]
		for i := range list {
			session := int64(shard)*p.Shard + int64(from+i)
			list[i] = p.Arrivals.next(key.At(uint64(session)), i, list)
		}
		slices.Sort(list)
	}
	return out
}

// next is when session i of a workspace begins.
func (a *Arrivals) next(key rng.Key, i int, before []vtime.Duration) vtime.Duration {
	switch {
	case a.Every > 0:
		return vtime.Duration(i) * a.Every
	case a.Poisson > 0:
		d := rng.Dist{Shape: rng.Exponential, A: max(1, int64(a.Poisson)/rng.Micro), Hi: int64(1000 * a.Poisson / rng.Micro)}
		gap := vtime.Duration(d.Draw(key) * rng.Micro)
		if i == 0 {
			return gap
		}
		return before[i-1] + gap
	}
	var sum int64
	for _, w := range a.Hours {
		sum += w
	}
	x := key.Sub("hour").Between(1, sum)
	for h, w := range a.Hours {
		if x -= w; x <= 0 {
			return vtime.Duration(h)*vtime.Hour + vtime.Duration(key.Sub("in").Between(0, int64(vtime.Hour/vtime.Microsecond)-1))*vtime.Microsecond
		}
	}
	panic("scenarios: weights that do not add up")
}

// split is the part that so many sessions have of an organisation's limits.
func split(l mockllm.RateLimits, p *Population, n int64) mockllm.RateLimits {
	part := func(r *mockllm.Rate) *mockllm.Rate {
		if r == nil {
			return nil
		}
		return &mockllm.Rate{Most: mulDiv(r.Most, n, p.Sessions), Refill: vtime.Duration(mulDiv(int64(r.Refill), p.Sessions, n))}
	}
	return mockllm.RateLimits{Requests: part(l.Requests), Input: part(l.Input), Output: part(l.Output)}
}

// mulDiv is a × b / c of numbers whose product may be large, at most the largest.
func mulDiv(a, b, c int64) int64 {
	whole, rest := a/c, a%c
	if whole > 0 && b > (1<<62)/whole || rest > 0 && b > (1<<62)/rest {
		return 1 << 62
	}
	return whole*b + rest*b/c
}

// population checks a scenario's population.
func population(c *checker) {
	p := c.s.Population
	if p == nil {
		return
	}
	const at = "population."
	switch {
	case p.Sessions == 0:
		c.bad(at+"sessions", "sessions: 1_000", "a population has from 1 to %d sessions", maxPopulation)
		return
	case p.Shard > maxShard || p.Shard%p.Workspace != 0:
		c.bad(at+"shard", fmt.Sprintf("such as %d", max(1, usualShard/p.Workspace)*p.Workspace), "a shard has whole workspaces of %d, and from 1 to %d sessions", p.Workspace, maxShard)
		return
	case c.s.Main == nil:
		c.bad("population", "script: {main: {user: …}}", "a population repeats one session, that of main, and there is none")
		return
	case len(c.s.Recorded) > 0:
		c.bad("population", "take it away", "a recorded session is the same each time")
		return
	}
	if why := apart(c.s); why != "" && p.Shard > 1 {
		key := "shard"
		if p.Workspace > 1 {
			key = "workspace"
		}
		c.bad(at+key, "workspace: 1 and shard: 1, a run for each session", "sessions cannot run together in one shard: %s", why)
	}
	coupled(c, p)
	arriving(c, p)
}

// coupled refuses what would join the shards of a population.
func coupled(c *checker, p *Population) {
	limited := c.s.Provider.RateLimits != nil
	switch {
	case p.Limits != "" && p.Limits != splitLimits: // its words are checked with all others
	case p.Limits != "" && (!limited || p.Shards() == 1):
		c.bad("population.limits", "take it away", "there is nothing to split: provider.rate_limits is not given, or all sessions are in one shard")
	case p.Limits == "" && limited && p.Shards() > 1:
		c.bad("provider.rate_limits", "population: {limits: split} gives each shard its part of them; or take them away", "limits of an organisation couple the %d shards of a population, each of which runs by itself", p.Shards())
	}
	if l := c.s.Provider.RateLimits; l != nil && p.Limits == splitLimits && p.Shards() > 1 {
		for _, x := range []struct {
			key string
			of  *mockllm.Rate
		}{{"requests", l.Requests}, {"input", l.Input}, {"output", l.Output}} {
			if least := int64(p.In(p.Shards() - 1)); x.of != nil && mulDiv(x.of.Most, least, p.Sessions) < 1 {
				c.bad("provider.rate_limits."+x.key, "a larger limit, or larger shards", "a shard of %d of %d sessions has less than one of %d", least, p.Sessions, x.of.Most)
			}
		}
	}
	if c.s.Provider.Scope("a") == c.s.Provider.Scope("b") && p.Sessions > p.Shard {
		c.bad("population", "another provider.platform, or sessions that one shard can hold", "on %s an organisation has one cache, which would couple the %d shards", c.s.Provider.Platform, p.Shards())
	}
}

// arriving checks when sessions arrive.
func arriving(c *checker, p *Population) {
	a, at := p.Arrivals, "population.arrivals"
	if a == nil {
		return
	}
	var given []string
	for _, x := range []struct {
		name string
		is   bool
	}{{"every", a.Every != 0}, {"poisson", a.Poisson != 0}, {"hours", a.Hours != nil}} {
		if x.is {
			given = append(given, x.name)
		}
	}
	var sum int64
	for _, w := range a.Hours {
		if sum += w; w < 0 || w > maxPopulation {
			c.bad(at+".hours", "such as 0, 3 or 10", "an hour has a weight of %d", w)
		}
	}
	switch {
	case len(given) == 0:
		c.bad(at, "every: 5m, poisson: 5m or hours: […]; take arrivals away and all begin at once", "arrivals are given by one of every, poisson and hours, with more than 0s")
	case len(given) > 1:
		c.bad(at, "leave one; --set adds to what the file says, null takes a key away: --set 'population.arrivals={"+given[1]+": null, "+given[0]+": …}'",
			"arrivals are given by one of every, poisson and hours, and here by %s", strings.Join(given, " and "))
	case a.Every < 0 || a.Poisson < 0:
		c.bad(at, "such as 5m", "sessions arrive one after the other")
	case a.Hours != nil && len(a.Hours) != dayHours && len(a.Hours) != weekHours:
		c.bad(at+".hours", "24 weights for each day, or 168 from Monday on", "%d hours are neither a day nor a week", len(a.Hours))
	case a.Hours != nil && sum < 1:
		c.bad(at+".hours", "give an hour a weight", "no session ever arrives")
	case p.Workspace == 1:
		hint := "workspace: 5, whose sessions share a cache"
		if apart(c.s) != "" {
			hint = "take it away: sessions of this scenario cannot share one"
		}
		c.bad(at, hint, "nothing depends on when sessions arrive: no two share a workspace")
	}
}
