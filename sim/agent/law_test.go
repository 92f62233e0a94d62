package agent_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/sim/agent"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestLaws(t *testing.T) {
	t.Run("LOOP-04 SUB-18 TSK-05 CON-04 CON-17 whatever agents do and whoever interferes, each request is well formed, each agent ends once, usage is booked once, each task gives one notification and nobody waits for ever", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) { lawOfAnything(t, r) })
	})
	t.Run("LOOP-01 every agent's events pass through the one loop: request, answer or error, calls, results, and again", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) { lawOfTheLoop(t, r) })
	})
	t.Run("FRK-05 first requests of the forks of one answer are the same bytes up to the directive", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) { lawOfForks(t, r) })
	})
	t.Run("KRN-09 as many bytes count of the requests of a slower run, and as much of its results is replaced", testWidths)
	t.Run("CON-04 another replacement state renders to other bytes", testOtherState)
}

// anything is a world of random agents: what each says is drawn from its lineage
// and call, so the world is a function of a few numbers.
type anything struct {
	key    rng.Key
	depth  int // how deep spawns go
	breath int // how many tool uses an answer has at most
	faults int64
	nests  bool // a root stops and resumes an agent that has one of its own in the background
}

// turn is the answer to a request, in the fake model's words.
func (w *anything) turn(req *llm.Request) string {
	k := w.key.Sub(req.Stream.Lineage).At(uint64(req.Stream.Call))
	parts := []string{"take " + [...]string{"1s", "2s", "1s", "500ms"}[k.Sub("take").Between(0, 3)]}
	if k.Sub("fault").Between(0, 99) < w.faults {
		parts = append([]string{"fail " + [...]string{"529", "0", "429 1s", "400"}[k.Sub("which").Between(0, 3)]}, parts...)
	}
	if w.nests && req.Stream.Call < 3 {
		if strings.Count(req.Stream.Lineage, "/") == 2 {
			parts[len(parts)-1] = fmt.Sprintf("take %ds", k.Sub("late").Between(3, 9))
		}
		return strings.Join(append(parts, w.nest(req.Stream.Lineage, req.Stream.Call)), "; ")
	}
	if k.Sub("speak").Between(0, 1) == 1 {
		parts = append(parts, "text words of "+req.Stream.Lineage)
	}
	uses := k.Sub("uses").Between(0, int64(w.breath))
	if req.Stream.Call > 3 {
		uses = 0
	}
	for i := range uses {
		parts = append(parts, "use "+w.use(k.Sub("use").At(uint64(i)), req.Stream.Lineage))
	}
	if uses == 0 && len(parts) < 2 || parts[len(parts)-1][:4] == "take" {
		parts = append(parts, "text done")
	}
	return strings.Join(parts, "; ")
}

// nest is how an agent of a world that nests begins; the user moves what a root
// waits for to the background.
func (w *anything) nest(lineage string, call int) string {
	child := idOf(1, lineage+"/1.1")
	switch depth := strings.Count(lineage, "/"); {
	case depth == 0 && call == 1:
		return `use TaskStop {"task_id":"` + child + `"}`
	case depth == 0 && call == 2:
		return `use SendMessage {"to":"` + child + `","message":"go on"}`
	case depth < 2 && call == 0:
		return fmt.Sprintf(`use Agent {"description":"d","prompt":"p","run_in_background":%v}`, depth == 1)
	}
	return "text waiting"
}

// use is one tool use.
func (w *anything) use(k rng.Key, lineage string) string {
	spawn := strings.Count(lineage, "/") < w.depth
	switch n := k.Between(0, 12); {
	case n < 3 && spawn:
		return `Agent {"description":"d","prompt":"in front"}`
	case n < 5 && spawn:
		return `Agent {"description":"d","prompt":"behind","run_in_background":true}`
	case n == 5 && spawn:
		return `Agent {"description":"d","prompt":"look","subagent_type":"Explore"}`
	case n == 6:
		return `TaskStop {"task_id":"$TASK` + fmt.Sprint(k.At(1).Between(1, 3)) + `"}`
	case n == 7:
		return `Edit {"file_path":"a.go","old_string":"package","new_string":"package"}`
	case n == 8:
		return `Agent {"prompt":7}`
	case n == 9 || n == 10:
		return `SendMessage {"to":"$TASK` + fmt.Sprint(k.At(1).Between(1, 2)) + `","message":"go on"}`
	case n == 11: // one of another's agents, if it has made it
		of := fmt.Sprintf("%s/%d.%d/%d.%d", lineage, k.At(1).Between(1, 2), k.At(2).Between(1, 2), k.At(3).Between(1, 2), k.At(4).Between(1, 2))
		return `TaskStop {"task_id":"` + idOf(1, of) + `"}`
	}
	return `Read {"file_path":"a.go"}`
}

// draw makes a story of random agents, a random user and a random schedule.
func draw(t *testing.T, r *rapid.T) *story {
	s := newStory(t)
	s.files["a.go"] = "package a\n\nfunc f() {}\n"
	s.policy = rapid.SampledFrom([]string{"random", "fifo"}).Draw(r, "policy")
	s.schedule = uint64(rapid.IntRange(0, 1<<20).Draw(r, "schedule"))
	s.gates["FORK_SUBAGENT"] = rapid.SampledFrom([]string{"false", "true"}).Draw(r, "forks")
	s.cfg.Retry.Max = 2
	s.cfg.Limits.Depth = 3
	s.cfg.Limits.Turns = rapid.IntRange(2, 8).Draw(r, "turns")
	s.cfg.Over, s.cfg.Preview = 100, 40
	if rapid.Bool().Draw(r, "hold") {
		s.cfg.FanOut = agent.FanOut{HoldUntilFirst: true, Cap: 700 * vtime.Millisecond}
	}
	s.cfg.Forks.Rerender = rapid.Bool().Draw(r, "rerender")
	speaking(s)
	w := &anything{key: rng.Root(uint64(rapid.IntRange(0, 1<<20).Draw(r, "world"))),
		depth: rapid.IntRange(0, 3).Draw(r, "depth"), breath: rapid.IntRange(0, 4).Draw(r, "breath"), faults: int64(rapid.IntRange(0, 30).Draw(r, "faults"))}
	if w.nests = rapid.IntRange(0, 3).Draw(r, "nests") == 0; w.nests {
		s.gates["FORK_SUBAGENT"] = "false"
	}
	s.model.gen = w.turn
	for i := range rapid.IntRange(1, 2).Draw(r, "roots") {
		root := s.root("go")
		if rapid.IntRange(0, 3).Draw(r, "first") == 0 {
			root.First = nil
		}
		root.Lineage = fmt.Sprintf("root%d", i)
		root.Start = vtime.Duration(i) * vtime.Second
		root.Plan.Fourth = rapid.Bool().Draw(r, "fourth")
		if w.nests {
			root.Steps = append(root.Steps, user.Step{Timed: true, At: vtime.Duration(rapid.IntRange(3, 8).Draw(r, "moves")) * 500 * vtime.Millisecond, Act: agent.Act{Background: true}})
		}
		for range rapid.IntRange(0, 4).Draw(r, "steps") {
			root.Steps = append(root.Steps, drawStep(r))
		}
	}
	return s
}

// drawStep is something a user does, at instants at which other things happen.
func drawStep(r *rapid.T) user.Step {
	st := user.Step{Timed: rapid.Bool().Draw(r, "timed"), At: vtime.Duration(rapid.IntRange(0, 20).Draw(r, "at")) * 500 * vtime.Millisecond}
	switch rapid.IntRange(0, 6).Draw(r, "act") {
	case 0, 1:
		st.Interrupt = true
	case 2:
		st.KillAgents = true
	case 3:
		st.Settings = &llm.Settings{Effort: rapid.SampledFrom([]string{"", "high", "low"}).Draw(r, "effort")}
	case 4, 5:
		st.Background = true
	}
	if rapid.Bool().Draw(r, "speaks") {
		st.Message = text("go on")
	}
	return st
}

func lawOfAnything(t *testing.T, r *rapid.T) {
	s := draw(t, r)
	s.run()
	if s.err != nil {
		if pe := (*kernel.PanicError)(nil); errors.As(s.err, &pe) {
			r.Logf("%s", pe.Stack)
		}
		r.Fatalf("the run ended with %v\n%s", s.err, s.text.String())
	}
	for _, wrong := range s.check() {
		r.Fatalf("%s\n%s", wrong, s.text.String())
	}
}

// lawOfTheLoop reads each agent's events as words of one grammar.
func lawOfTheLoop(t *testing.T, r *rapid.T) {
	s := draw(t, r)
	s.run()
	letters := map[string]string{"agent_start": "S", "request": "R", "response": "A", "api_error": "X", "tool_call": "c", "tool_result": "r", "agent_end": "E"}
	words := map[string]string{}
	for _, line := range strings.Split(s.text.String(), "\n") {
		if f := strings.Fields(line); len(f) > 4 && letters[f[4]] != "" {
			words[f[3]] += letters[f[4]]
		}
	}
	for who, word := range words {
		if rest := readWord(word); rest != "" {
			r.Fatalf("agent %s: %s stops making sense at %s\n%s", who, word, rest, s.text.String())
		}
	}
}

// readWord takes S (R X)* (R A c^n r^n)* … E, for each activation, and returns what
// it cannot.
func readWord(w string) string {
	cut := func(p string) bool { ok := strings.HasPrefix(w, p); w = strings.TrimPrefix(w, p); return ok }
	if !cut("S") {
		return w
	}
	for cut("R") {
		if cut("X") {
			continue
		}
		if !cut("A") {
			return w
		}
		n := len(w) - len(strings.TrimLeft(w, "c"))
		if w = w[n:]; !cut(strings.Repeat("r", n)) {
			return w
		}
	}
	if cut("E") && w != "" {
		return readWord(w)
	}
	return w
}

func lawOfForks(t *testing.T, r *rapid.T) {
	n := rapid.IntRange(2, 12).Draw(r, "forks")
	s := newStory(t)
	s.files["a.go"] = "package a\n"
	s.gates["FORK_SUBAGENT"] = "true"
	answer := "think hm; text now"
	for i := range n {
		if rapid.Bool().Draw(r, "with a read") {
			answer += `; use Read {"file_path":"a.go"}`
		}
		answer += fmt.Sprintf(`; use Agent {"description":"number %d","prompt":"Part %d."}`, i, i)
	}
	s.model.gen = func(req *llm.Request) string {
		if req.Stream.Lineage == "main" && req.Stream.Call == 0 {
			return answer
		}
		return "text Scope: mine"
	}
	s.root("go")
	s.run()
	forks := s.world.Agents()[1:]
	first := s.model.heads[forks[0].Lineage()+" 1"]
	for _, f := range forks[1:] {
		head := s.model.heads[f.Lineage()+" 1"]
		if len(forks) != n || head.Parent.Hash != first.Parent.Hash || head.Hash == first.Hash || head.Pos != first.Pos {
			r.Fatalf("%d forks; %s differs before its directive", len(forks), f.Lineage())
		}
		if string(llm.AppendPrefix(nil, head.Parent)) != string(llm.AppendPrefix(nil, first.Parent)) {
			r.Fatal("equal hashes, other bytes")
		}
	}
}

func testWidths(t *testing.T) {
	play := func(k vtime.Duration, set func(*story)) *story {
		s := newStory(t)
		set(s)
		s.model.first, s.model.last = k*4*vtime.Millisecond, k*6*vtime.Millisecond
		s.script("main", `use Agent {"description":"d","prompt":"p"}`, `use Agent {"description":"d","prompt":"p","run_in_background":true}`, "text done", "text done")
		s.root("go")
		s.run()
		return s
	}
	sizes := func(s *story) (out []string) {
		for i := 1; s.model.heads[fmt.Sprintf("main %d", i)] != nil; i++ {
			head := s.model.heads[fmt.Sprintf("main %d", i)]
			out = append(out, fmt.Sprint(llm.CountedBytes(head, 1), head.Cum))
		}
		return out
	}
	both := func(what string, n int, set func(*story)) {
		if quick, slow := sizes(play(1, set)), sizes(play(100_000, set)); !slices.Equal(quick, slow) {
			t.Fatalf("%s %d, quick and slow requests: %v %v", what, n, quick, slow)
		}
	}
	for over := range 180 { // the first agent's result is shorter
		both("results replaced over", over, func(s *story) { s.cfg.Over = over })
	}
	quick, slow := play(1, func(*story) {}), play(100_000, func(*story) {})
	if short, long := len(quick.flat("main", 4)), len(slow.flat("main", 4)); short >= long {
		t.Fatal("the figures of a slow run are no longer: nothing was tested")
	}
	for d := range 40 {
		most := len(quick.flat("main", 4)) - 20 + d
		both("a limit of bytes", most, func(s *story) { s.cfg.Limits.Bytes = int64(most) })
	}
}

func testOtherState(t *testing.T) {
	s := newStory(t)
	s.files["long.txt"] = strings.Repeat("a line of it\n", 20)
	s.cfg.Over, s.cfg.Preview = 100, 40
	s.script("main", `use Read {"file_path":"long.txt"}`, "text done")
	s.root("go")
	s.run()
	c := s.agent("main").Conversation()
	for _, state := range []agent.Replacements{{}, {Over: 100, Preview: 80}} {
		if n := agent.Render(&llm.Builder{}, c.Prefix, c.Last, &state); n.Hash == c.Head.Hash {
			t.Errorf("state %+v renders to the bytes of another", state)
		}
	}
	raw := c.Last.Prev.Blocks[0].Content.Raw()
	whole, longer := agent.Replacements{}, agent.Replacements{Over: len(raw) - 1, Preview: len(raw)}
	if a, b := agent.Render(&llm.Builder{}, c.Prefix, c.Last, &whole), agent.Render(&llm.Builder{}, c.Prefix, c.Last, &longer); a.Hash != b.Hash {
		t.Error("LOOP-11 a preview that is longer than the result replaced it")
	}
	same := agent.Replacements{Over: 100, Preview: 40}
	if n := agent.Render(&llm.Builder{}, c.Prefix, c.Last, &same); n.Hash != c.Head.Hash {
		t.Error("a fresh state with the same sizes decides otherwise")
	}
}
