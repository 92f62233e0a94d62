package bridge_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/bridge"
	"agentsim/sim/bridge/session"
	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
	"agentsim/sim/worktree"
)

// asking has a root that asks about each of two commands, and about one more behind a
// second message.
const asking = `agentsim: 1
name: asks
provider: {model: claude-sonnet-5-5, latency: {profile: steady}}
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Write., system: {tokens: 3_000}, tools: [Bash]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Bash, input: {command: "echo one > x"}}, {name: Bash, input: {command: "echo two > y"}}]
        - {say: Both are written.}
        - {run: "echo three > z"}
        - {say: That too.}
lab: {permissions: {mode: default}}
`

func specOf(t *testing.T, text string) *sim.Spec {
	t.Helper()
	f, err := scenarios.Parse("asks.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective("", nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// starting counts processes that run.
type starting struct {
	spec           *sim.Spec
	running, most  int
	tokens, places []string
	stubborn       bool // TERM does not end them
}

type counted struct {
	bridge.Runner
	of   *starting
	gone bool
}

func (c *counted) end() {
	if !c.gone {
		c.gone = true
		c.of.running--
	}
}

func (c *counted) Terminate() bool {
	if c.of.stubborn {
		return false
	}
	c.end()
	return true
}

func (c *counted) Kill() { c.end() }

func (c *counted) Close() error {
	c.end()
	return nil
}

func (c *counted) Take(line []byte) ([]bridge.Line, error) {
	if c.gone {
		panic("a process that has ended takes a line")
	}
	if l, err := bridge.ParseLine(line); err == nil && l.Type == bridge.Environment {
		c.of.tokens = append(c.of.tokens, l.Variables[bridge.TokenVariable])
	}
	return c.Runner.Take(line)
}

// plain is a process that asks twice about each message of its user, a second after the
// last line, and refuses whatever it does not wait for.
type plain struct {
	clock   vtime.Instant
	waiting int // messages
	asked   int
	open    string
}

func (x *plain) Terminate() bool { return true }
func (x *plain) Kill()           {}
func (x *plain) Close() error    { return nil }

func (x *plain) Take(text []byte) (out []bridge.Line, err error) {
	l, err := bridge.ParseLine(text)
	if err != nil {
		return nil, err
	}
	say := func(l bridge.Line) {
		x.clock += at(1)
		l.At = x.clock
		out = append(out, l)
	}
	x.clock = max(x.clock, l.At)
	switch {
	case l.Type == bridge.User:
		x.waiting++
	case l.Type == bridge.ControlResponse && l.Response.RequestID == x.open:
		if x.open = ""; x.asked%2 == 0 {
			x.waiting--
			say(bridge.Line{Type: bridge.Result, Result: "done"})
		}
	case l.Type != bridge.Environment:
		say(bridge.Line{Type: bridge.System, Subtype: bridge.Refused, Error: string(text)})
	}
	if x.open == "" && x.waiting > 0 {
		x.asked++
		x.open = fmt.Sprint("ask-", x.asked)
		say(bridge.Line{Type: bridge.ControlRequest, RequestID: x.open, Request: &bridge.Ask{Subtype: bridge.CanUseTool, Tool: "Bash"}})
	}
	return append(out, bridge.Line{Type: bridge.System, Subtype: bridge.Rests, State: bridge.Idle}), nil
}

func (s *starting) start(id, dir, token string) (bridge.Runner, error) {
	var x bridge.Runner = &plain{}
	if s.spec != nil {
		var err error
		if x, err = session.New(s.spec, id, token); err != nil {
			return nil, err
		}
	}
	s.running++
	s.most = max(s.most, s.running)
	s.places = append(s.places, dir)
	return &counted{Runner: x, of: s}, nil
}

// options are a bridge that nothing disturbs.
func options() bridge.Options {
	o := bridge.Options{Config: bridge.Config{Mode: bridge.Single, Token: "outer", Directory: "/work"}, Sessions: 1, Life: vtime.Hour, Key: rng.Root(1)}
	o.Link = 100 * vtime.Millisecond
	o.Messages = []string{"Write.", "And a third."}
	o.Thinks = 20 * vtime.Second
	return o
}

func many(o bridge.Options, mode bridge.Mode, sessions int) bridge.Options {
	o.Mode, o.Sessions, o.Gates.BridgeMultiSession = mode, sessions, true
	if mode == bridge.Worktree {
		o.Repository = newTrees()
	}
	return o
}

// trees are the worktrees of a repository, some of which hold changes when they end.
type trees struct {
	made    map[string]bool
	changed map[string]bool
	count   int
}

func newTrees() *trees { return &trees{made: map[string]bool{}} }

func (r *trees) Taken(slug string) bool { return r.made[slug] }

func (r *trees) Add(slug string) (worktree.Tree, error) {
	if r.made[slug] {
		return nil, fmt.Errorf("worktree %s is there", slug)
	}
	r.made[slug] = true
	r.count++
	return &tree{r, slug}, nil
}

type tree struct {
	of   *trees
	slug string
}

func (t *tree) Changed() (bool, error) { return t.of.changed[t.slug], nil }

func (t *tree) Remove() error { delete(t.of.made, t.slug); return nil }

func at(seconds int64) vtime.Instant { return vtime.Instant(seconds) * vtime.Instant(vtime.Second) }

func play(t *testing.T, o bridge.Options, s *starting) *bridge.Outcome {
	t.Helper()
	out, err := bridge.Play(o, s.start)
	if err != nil {
		t.Fatal(err)
	}
	if s.running != 0 {
		t.Errorf("%d processes are left", s.running)
	}
	return out
}

// whole reports what sessions lack that were to do all.
func whole(out *bridge.Outcome, asked int) (wrong []string) {
	for _, r := range out.Sessions {
		if r.Status != bridge.Completed || r.Asked != asked || r.Refused != 0 || r.Ended != 1 {
			wrong = append(wrong, fmt.Sprintf("%+v", r))
		}
	}
	return wrong
}

func has(t *testing.T, out *bridge.Outcome, texts ...string) {
	t.Helper()
	log := strings.Join(out.Log, "\n")
	for _, text := range texts {
		before, after, found := strings.Cut(log, text)
		if !found {
			t.Fatalf("no %q, or not in this order, in\n%s\n…\n%s", text, before, log)
		}
		log = after
	}
}

func TestBridge(t *testing.T) {
	t.Run("BRG-01 BRG-05 a bridge registers, polls, starts a session, beats, completes it, and in single-session mode ends with it", single)
	t.Run("BRG-05 several sessions need the gate; a full bridge sleeps until a slot is free or it is stopped", capacity)
	t.Run("BRG-06 a session that takes 24 hours gets TERM, and KILL after the grace period", timeOut)
	t.Run("BRG-03 BRG-07 a token is refreshed 5 minutes before it ends, and the process has the new one on its input", refreshed)
	t.Run("BRG-03 a refresh that comes late holds requests back and loses nothing", late)
	t.Run("BRG-03 three failures one after another, 60 s apart, end the refreshing, which the users hear of; one that ends between begins anew", failing)
	t.Run("BRG-04 a decision comes back as it was made: a denial with its message, and once more to the process that follows", again)
	t.Run("BRG-01 work that comes twice is done once", twice)
	t.Run("BRG-01 a control plane that answers nothing but nonsense, or refuses, ends nothing but the bridge", nonsense)
}

func single(t *testing.T) {
	o := options()
	o.Sessions = 2
	out := play(t, o, &starting{spec: specOf(t, asking)})
	has(t, out, "0.200000000s registered as env-1", "s1.1: started in /work", "s1.1: completed", "ended: <nil>")
	if len(out.Sessions) != 2 || out.Sessions[0].Status != bridge.Completed || out.Sessions[0].Asked != 3 || out.Sessions[1].Status != "" || out.End > at(180) {
		t.Errorf("%+v, ended at %s\n%s", out.Sessions, out.End, strings.Join(out.Log, "\n"))
	}
	if n := out.Sessions[0].Beats; n != 3 { // at once, and each 30 s of 66
		t.Errorf("%d heartbeats until %s", n, out.End)
	}
	if r := out.Rounds; len(r) != 3 || r[0] < 20*vtime.Second+2*o.Link {
		t.Errorf("round trips %v", r)
	}
	if out.Sessions[0].Last != (bridge.Activity{Kind: "result", Summary: "That too."}) {
		t.Errorf("the last activity is %v", out.Sessions[0].Last)
	}
}

func capacity(t *testing.T) {
	o := options()
	for _, mode := range []bridge.Mode{bridge.Worktree, bridge.SameDir, "pool"} {
		o.Mode = mode
		if _, err := bridge.Play(o, nil); err == nil || mode != "pool" && !strings.Contains(err.Error(), "gate tengu_ccr_bridge_multi_session has to allow") {
			t.Errorf("mode %s without the gate: %v", mode, err)
		}
	}
	o.Mode, o.Gates.BridgeMultiSession = bridge.Worktree, true
	if _, err := bridge.Play(o, nil); err == nil || !strings.Contains(err.Error(), "needs a repository") {
		t.Errorf("mode worktree without a repository: %v", err)
	}
	s := &starting{}
	o = many(options(), bridge.Worktree, 40)
	repository := o.Repository.(*trees)
	repository.changed = map[string]bool{"s7": true}
	out := play(t, o, s)
	if kept := slices.Sorted(maps.Keys(repository.made)); repository.count != 40 || !slices.Equal(kept, []string{"s7"}) {
		t.Errorf("%d worktrees, left are %v", repository.count, kept)
	}
	has(t, out, "s7.1: its worktree is kept", "s8.1: its worktree is removed")
	if wrong := whole(out, 4); wrong != nil || s.most != 32 || s.places[39] != "/work/.claude/worktrees/s40" {
		t.Errorf("%d at one time, the last in %s\n%s", s.most, s.places[len(s.places)-1], strings.Join(wrong, "\n"))
	}
	has(t, out, "full: 32 of 32", "s33.1: started")
	free := slices.IndexFunc(out.Log, func(l string) bool { return strings.HasSuffix(l, "s33.1: started in /work/.claude/worktrees/s33") })
	end := slices.IndexFunc(out.Log, func(l string) bool { return strings.Contains(l, ": completed") })
	if a, b := seconds(t, out.Log[free]), seconds(t, out.Log[end]); a-b > 1 && b-a > 1 {
		t.Errorf("a slot was free at about %d s, the next session started at %d s", b, a)
	}
	o = many(options(), bridge.SameDir, 3)
	o.Slots, o.Stop = 2, at(10)
	out = play(t, o, &starting{})
	has(t, out, "full: 2 of 2", "s1.1: stopped", "ended: stopped")
	if out.End > at(12) || out.Sessions[2].Status != "" {
		t.Errorf("stopped at 10 s, ended at %s, %+v", out.End, out.Sessions)
	}
}

// seconds is the instant of a line of the log.
func seconds(t *testing.T, line string) int {
	t.Helper()
	var n, rest int
	if _, err := fmt.Sscanf(line, "%d.%ds", &n, &rest); err != nil {
		t.Fatal(line, err)
	}
	return n
}

func timeOut(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		o := options()
		o.Thinks = 48 * vtime.Hour
		out := play(t, o, &starting{stubborn: stubborn})
		has(t, out, "s1.1: timed_out")
		want := at(24 * 3600)
		if stubborn {
			has(t, out, "s1.1: killed 10s after TERM", "s1.1: timed_out")
			want += at(10)
		}
		if out.Sessions[0].Status != bridge.TimedOut || out.End < want || out.End > want+at(2) {
			t.Errorf("stubborn %t: %+v at %s", stubborn, out.Sessions, out.End)
		}
	}
}

func refreshed(t *testing.T) {
	o := options()
	o.Thinks = 50 * vtime.Minute
	s := &starting{}
	out := play(t, o, s)
	// Tokens are given at 0, and anew each 55 minutes of 3 h 20 min.
	if wrong := whole(out, 4); wrong != nil || len(s.tokens) != 3 || out.Sessions[0].Tokens != 3 {
		t.Fatalf("%d tokens, %v", len(s.tokens), wrong)
	}
	has(t, out, "3300.2", "s1.1: a new token", "6600.", "s1.1: a new token")
	for i, x := range s.tokens {
		end, err := bridge.Ends(x)
		if want := at(int64(3300*(i+1) + 3600)); err != nil || !strings.HasPrefix(x, bridge.TokenPrefix) || end < want || end > want+at(2) {
			t.Errorf("token %d ends at %s, %v", i, end, err)
		}
	}
}

func late(t *testing.T) {
	o := options()
	o.Life, o.Slow, o.Thinks = 6*vtime.Minute, 20*vtime.Minute, 10*vtime.Minute
	s := &starting{spec: specOf(t, asking)}
	out := play(t, o, s)
	if wrong := whole(out, 3); wrong != nil || len(s.tokens) == 0 {
		t.Errorf("%d tokens, %v\n%s", len(s.tokens), wrong, strings.Join(out.Log, "\n"))
	}
	// The first answer comes at 20 minutes; its request waits for the token of 21.
	if out.End < at(21*60+10*60) {
		t.Errorf("ended at %s\n%s", out.End, strings.Join(out.Log, "\n"))
	}
}

func failing(t *testing.T) {
	o := options()
	o.Thinks = 30 * vtime.Minute
	o.Away = []bridge.Away{{From: at(54 * 60), To: at(60*60 + 30)}}
	out := play(t, o, &starting{})
	has(t, out, "3300.1", "refresh failed, 1 of 3", "3360.", "refresh failed, 2 of 3", "3420.", "refresh failed, 3 of 3")
	if wrong := whole(out, 4); wrong != nil || out.Sessions[0].Tokens != 0 || out.Sessions[0].Lost != 1 {
		t.Errorf("%v, %+v", wrong, out.Sessions)
	}
	o.Away[0].To = at(55*60 + 90)
	out = play(t, o, &starting{})
	has(t, out, "refresh failed, 2 of 3", "s1.1: a new token", "s1.1: a new token")
	if out.Sessions[0].Lost != 0 {
		t.Errorf("its users hear that the token is lost: %+v", out.Sessions)
	}
}

func again(t *testing.T) {
	o := many(options(), bridge.SameDir, 1)
	o.Deny = func(q *bridge.Ask) string {
		if strings.Contains(string(q.Input), "two") {
			return "use three"
		}
		return ""
	}
	o.Kill = []vtime.Instant{at(30)} // behind the first answer
	s := &starting{spec: specOf(t, asking)}
	out := play(t, o, s)
	if wrong := whole(out, 3); wrong != nil || out.Sessions[0].Attempts != 2 {
		t.Errorf("%v, %+v\n%s", wrong, out.Sessions, strings.Join(out.Log, "\n"))
	}
	has(t, out, "kill -9", "s1.1: killed", "s1.1: failed", "s1.2: started", "s1.2: completed")
	if len(out.Rounds) < 4 || out.Rounds[0] != 0 {
		t.Errorf("the second process waited for what the first was told: %v", out.Rounds)
	}
}

// twice has work given away again while its bridge cannot be heard of.
func twice(t *testing.T) {
	o := many(options(), bridge.SameDir, 1)
	o.Thinks = 10 * vtime.Minute
	o.Away = []bridge.Away{{From: at(10), To: at(133)}}
	s := &starting{}
	out := play(t, o, s)
	if wrong := whole(out, 4); wrong != nil || len(s.places) != 1 {
		t.Errorf("%d processes, %v\n%s", len(s.places), wrong, strings.Join(out.Log, "\n"))
	}
	has(t, out, "s1.1: known")
}

func nonsense(t *testing.T) {
	o := options()
	o.Network.Nonsense, o.Stop = 1000, at(7200)
	out := play(t, o, &starting{})
	has(t, out, "register : again in 2s: nonsense", "again in 1m0s: nonsense", "ended: stopped")
	if out.Sessions[0].Attempts != 1 || out.Sessions[0].Status != "" || out.Nonsense < 100 {
		t.Errorf("%+v after %d answers", out.Sessions, out.Nonsense)
	}
}

// TestBridgeRace runs bridges that lose their control plane between questions and answers
// under drawn orders.
func TestBridgeRace(t *testing.T) {
	for _, c := range []struct {
		what  string
		seeds int
		asked int
		spec  *sim.Spec
	}{{"", 1000, 4, nil}, {", of conversations", 20, 3, specOf(t, asking)}} {
		if testing.Short() {
			c.seeds = 20
		}
		for _, policy := range []string{"fifo", "random", "pct:3"} {
			t.Run("BRG-01 BRG-04 a bridge that reconnects between request and answer: exactly once, in order, nobody stranded, "+policy+c.what, func(t *testing.T) {
				for seed := range c.seeds {
					s := &starting{spec: c.spec}
					out := play(t, disturbed(t, uint64(seed), policy), s)
					if wrong := whole(out, c.asked); wrong != nil || s.most > 2 {
						t.Fatalf("seed %d: %d at one time\n%s\n%s", seed, s.most, strings.Join(wrong, "\n"), strings.Join(out.Log, "\n"))
					}
				}
			})
		}
	}
}

// disturbed is a bridge whose control plane goes away and returns, loses calls and answers
// and answers nonsense, and one of whose processes is killed.
func disturbed(t *testing.T, seed uint64, policy string) bridge.Options {
	key := rng.Root(seed)
	o := many(options(), bridge.SameDir, 3)
	o.Slots, o.Key, o.Stop = 2, key, at(24*3600)
	o.Loss, o.Nonsense, o.Twice = 100, 50, true
	from := at(key.Sub("away").Between(1, 60))
	o.Away = []bridge.Away{{From: from, To: from.Add(vtime.Duration(key.Sub("for").Between(1, 100)) * vtime.Second)}}
	o.Kill = []vtime.Instant{at(key.Sub("kill").Between(1, 90))}
	var err error
	if o.Policy, err = kernel.PolicyNamed(policy, key); err != nil {
		t.Fatal(err)
	}
	return o
}
