package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	t.Run("PRO-01 a profile's file is read back to an equal profile and keeps no name but those that clients bring", keepsNoNames)
	t.Run("PRO-01 no string of a session is in its profile", noCanaries)
	t.Run("PRO-02 the figures of a session are those that one counts by hand", figuresByHand)
	t.Run("PRO-02 what a child reads that its parent or an earlier sibling had read is its overlap, by file and line", overlaps)
	t.Run("PRO-02 where blocks have ids the overlap is counted in blocks", blockOverlap)
	t.Run("PRO-02 quantiles are observed values of the ranks that they name", quantiles)
	t.Run("PRO-02 draws of a figure have about the mean of its samples, long tails included", meanOfDraws)
	t.Run("PRO-02 a floor is what 190 of 200 halvings by session do not exceed", floors)
	t.Run("PRO-02 below 20 samples a figure is thin and used only when asked for; types have heads alone below 100 threads", thin)
	t.Run("PRO-02 sources stay apart; joined they are measured as one", sourcesApart)
	t.Run("TRI-01 sub-agents are measured without their last request where the other side has none", withoutLast)
	t.Run("TRI-02 a halving is two profiles of different sessions, which are all", halves)
	t.Run("PRO-03 what a source leaves out is absent with the reason, never zero", absent)
	t.Run("PRO-04 sessions in any order give the same file, one that comes twice counts once, and options narrow", sameFile)
	t.Run("PRO-04 of more samples than are kept the same ones stay in any order, and all are counted", thinned)
	t.Run("PRO-05 the profile in the binary is whole, draws are integers of its range, and nobody's forks are assumed", shippedOne)
	t.Run("PRO-05 a profile is in the binary as its file has it", shippedTwice)
	t.Run("PRO-05 the profile in the binary agrees with the open rows within its floors", shippedAgrees)
	t.Run("PRO-01 a profile edited into nonsense is told by line and column", nonsense)
}

func keepsNoNames(t *testing.T) {
	text := measured(Options{}, spawnSession()).Text()
	for _, name := range []string{"secret", "my-type", "look", "hmm", "spawner", "opus"} {
		if strings.Contains(text, name) {
			t.Errorf("the profile holds %q:\n%s", name, text)
		}
	}
	for _, name := range []string{"type: custom", "type: Explore", "role: sub-agent", "rare_tools: \"fewer than 20 results each: Agent Read mcp\""} {
		if !strings.Contains(text, name) {
			t.Errorf("the profile does not hold %q:\n%s", name, text)
		}
	}
	p, err := Parse("test.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if again := p.Text(); again != text {
		t.Errorf("read back and written it is another one:\n%s\n%s", text, again)
	}
	many := []*recording.Session{}
	for i := range 30 {
		s := spawnSession()
		s.ID = fmt.Sprint("many", i)
		many = append(many, s)
	}
	if text := measured(Options{}, many...).Text(); !strings.Contains(text, "\n          mcp.bytes: {n: 30, ") || strings.Contains(text, "secret") {
		t.Errorf("tools of servers are not counted together:\n%s", text)
	}
}

func figuresByHand(t *testing.T) {
	s := plainSession("by-hand", 1000, 1500, 1400, 2400, 2500)
	s.Requests[3].UserTurn = true
	s.Requests[3].Start = s.Requests[3].Start.Add(7 * vtime.Minute)
	s.Requests[4].Start = s.Requests[3].Start.Add(vtime.Second)
	s.Requests[3].Last, s.Requests[3].First = s.Requests[3].Start, s.Requests[3].Start
	s.Requests[4].Usage = llm.Usage{Read: 1200, Write1h: 1300, Output: 77}
	p := measured(Options{}, s)
	for _, c := range []struct {
		figure   string
		n        int64
		min, max int64
	}{
		{"first_prompt", 1, 1000, 1000}, {"first_warm", 1, 900, 900}, {"last_prompt", 1, 2500, 2500}, {"calls", 1, 5, 5},
		{"user_turns", 1, 2, 2}, {"turn_requests", 2, 2, 3}, {"growth", 3, 100, 1000}, {"growth_user", 1, 1000, 1000},
		{"growth_results", 2, 100, 500}, {"growth_fifth_2", 1, 500, 500}, {"growth_fifth_5", 1, 100, 100}, {"drop_depth", 1, 67, 67},
		{"user_gap", 1, 480_000, 480_000}, {"late_gap", 1, 480_000, 480_000}, {"miss_depth", 2, 133, 500}, {"compactions", 1, 0, 0},
		{"output", 5, 0, 77}, {"input_units", 1, (4*100*125 + 1300*125 + (900+1400+1300+2300+1200)*10) / 100, 2835},
	} {
		f := mustFind(t, p, Want{Figure: c.figure})
		if f.N != c.n || f.Q[0] != c.min || f.Q[Steps] != c.max || f.Sessions != 1 || f.Floor != nil {
			t.Errorf("%s: %+v, want %d from %d to %d", c.figure, *f, c.n, c.min, c.max)
		}
	}
	for figure, want := range map[string]int64{"drop": 250, "late": 250, "miss": 667, "hidden": 333} {
		if f := mustFind(t, p, Want{Figure: figure}); *f.Share != want {
			t.Errorf("%s is %d, want %d", figure, *f.Share, want)
		}
	}
	late := plainSession("late", 160_000, 161_000, 40_000, 41_000)
	late.Requests[1].Start = late.Requests[0].Start.Add(vtime.Hour)
	late.Requests[1].Usage = llm.Usage{Read: 40_000, Write5m: 121_000}
	late.Requests[2].Compacted = true
	p = measured(Options{}, late, plainSession("five", 100, 200, 300, 400, 500))
	for figure, want := range map[string]int64{"expired_depth": 750, "compacted_from": 161_000, "compacted_to": 40_000} {
		if f := mustFind(t, p, Want{Figure: figure}); f.N != 1 || f.Q[0] != want {
			t.Errorf("%s: %+v, want %d", figure, *f, want)
		}
	}
	five := plainSession("five", 100, 200, 300, 400, 500)
	for i := range five.Requests {
		five.Requests[i].UserTurn = true
	}
	p = measured(Options{}, late, five)
	if few, all := mustFind(t, p, Want{Figure: "turn_requests_few"}), mustFind(t, p, Want{Figure: "turn_requests"}); few.N != 1 || few.Q[0] != 4 || all.N != 6 {
		t.Errorf("turns of short sessions: %+v, of all: %+v", *few, *all)
	}
	p = measured(Options{}, spawnSession())
	for figure, want := range map[string]int64{"one_tool": 667, "failed": 0, "thinking": 333, "text": 333} {
		if f := mustFind(t, p, Want{Figure: figure}); *f.Share != want {
			t.Errorf("%s is %d, want %d", figure, *f.Share, want)
		}
	}
	for _, c := range []struct {
		role, figure string
		n, min, max  int64
	}{
		{Main, "tool_uses", 1, 4, 4}, {Main, "response_tools", 3, 1, 2}, {Main, "spawns", 1, 2, 2}, {Main, "spawn_prompt", 2, 1500, 1500},
		{SubAgent, "prompt_bytes", 2, 4, 10}, {SubAgent, "report_bytes", 2, 40, 60}, {SubAgent, "first_warm", 2, 250, 250},
	} {
		if f := mustFind(t, p, Want{Role: c.role, Figure: c.figure}); f.N != c.n || f.Q[0] != c.min || f.Q[Steps] != c.max {
			t.Errorf("%s %s: %+v, want %d from %d to %d", c.role, c.figure, *f, c.n, c.min, c.max)
		}
	}
}

func overlaps(t *testing.T) {
	p := measured(Options{}, spawnSession())
	if f := mustFind(t, p, Want{Role: SubAgent, Figure: "overlap_parent"}); f.N != 2 || f.Q[0] != 500 || f.Q[Steps] != 500 {
		t.Errorf("one of two lines stood in the parent's reading: %+v", *f)
	}
	if f := mustFind(t, p, Want{Role: SubAgent, Figure: "overlap_siblings"}); f.N != 1 || f.Q[0] != 1000 {
		t.Errorf("the second child read what the first had read: %+v", *f)
	}
	if f := mustFind(t, p, Want{Role: SubAgent, Figure: "overlap_parent_files"}); *f.Share != 1000 {
		t.Errorf("both read a file that the parent had read: %+v", *f)
	}
	s := spawnSession()
	s.Requests[1].Said[0].Blocks[0].Content = llm.NewText(llm.Code, "7→other\n")
	if f := mustFind(t, measured(Options{}, s), Want{Role: SubAgent, Figure: "overlap_parent_bytes"}); *f.Share != 0 {
		t.Errorf("the parent had read other lines: %+v", *f)
	}
	s = spawnSession()
	s.Requests[1].Said[0].Blocks[0].Content = llm.NewText(llm.Code, "    11→aaaa\n    12→bbbb\n")
	if f := mustFind(t, measured(Options{}, s), Want{Role: SubAgent, Figure: "overlap_parent"}); f.Q[0] != 500 {
		t.Errorf("a line that stands elsewhere in its file now is the same line: %+v", *f)
	}
	s = spawnSession()
	s.Requests[2].Said, s.Requests[1].Said = s.Requests[1].Said, nil
	if f := mustFind(t, measured(Options{}, s), Want{Role: SubAgent, Figure: "overlap_parent_bytes"}); *f.Share != 0 {
		t.Errorf("what the parent read after the spawn is no overlap: %+v", *f)
	}
	s = spawnSession()
	s.Requests[2].Answer, s.Requests[2].Tools = s.Requests[1].Answer, s.Requests[1].Tools
	s.Threads[1].SpawnedBy, s.Threads[2].SpawnedBy = 2, 2
	if f := mustFind(t, measured(Options{}, s), Want{Role: SubAgent, Figure: "overlap_parent"}); f.Q[0] != 500 {
		t.Errorf("what the parent read a request before the spawn is overlap: %+v", *f)
	}
	s.Requests[2].Compacted = true
	if f := mustFind(t, measured(Options{}, s), Want{Role: SubAgent, Figure: "overlap_parent_bytes"}); *f.Share != 0 {
		t.Errorf("what a summary has taken from the parent is no overlap: %+v", *f)
	}
}

func blockOverlap(t *testing.T) {
	s := spawnSession()
	s.Requests[1].Blocks = []uint64{1, 2, 3}
	s.Requests[4].Blocks = []uint64{1, 2, 8, 9}
	s.Requests[6].Blocks = []uint64{7}
	if f := mustFind(t, measured(Options{}, s), Want{Role: SubAgent, Figure: "overlap_blocks"}); f.Q[0] != 0 || f.Q[Steps] != 500 {
		t.Errorf("%+v", *f)
	}
}

func quantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1_000_000), 1, 60).Draw(t, "values")
		x := &series{}
		for i, v := range values {
			x.add(v, int32(i%7), uint32(i))
		}
		f, _ := x.figure(Tokens, func(int32) bool { return true }, part(make([]session, 7)))
		slices.Sort(values)
		for i, q := range f.Q {
			below, upTo := 0, 0
			for _, v := range values {
				if v < q {
					below++
				}
				if v <= q {
					upTo++
				}
			}
			if upTo*Steps < i*len(values) || below > 0 && below*Steps >= i*len(values) {
				t.Fatalf("quantile %d of %v is %d", i, values, q)
			}
		}
		if !slices.IsSorted(f.Q) || f.At(0) != f.Q[0] || f.At(1<<64-1) > f.Q[Steps] || f.At(1<<63) != f.Q[Steps/2] {
			t.Fatalf("draws of %v: %d, %d, %d", f.Q, f.At(0), f.At(1<<63), f.At(1<<64-1))
		}
	})
}

// meanOfDraws measures samples of a long tail, such as growth and times have: a line
// from the last quantile but one to the largest draws twice their mean.
func meanOfDraws(t *testing.T) {
	for _, spread := range []int64{500, 1000, 1500} {
		d := rng.Dist{Shape: rng.Lognormal, A: 1000, B: spread, Hi: 1 << 40}
		x, sum, last := &series{}, int64(0), int64(-1)
		for i := range uint64(10_000) {
			v := d.Draw(rng.Root(4).At(i))
			sum += v
			x.add(v, 0, uint32(i))
		}
		f, _ := x.figure(Tokens, func(int32) bool { return true }, part(make([]session, 1)))
		drawn := int64(0)
		for i := range uint64(10_000) {
			v := f.At(i * (1 << 63 / 5000))
			if v < last {
				t.Fatalf("a larger share draws less: %d after %d", v, last)
			}
			last, drawn = v, drawn+v
		}
		if r := ratio(sum, drawn); r > 1400 {
			t.Errorf("spread %d: the samples' mean is %d, that of draws %d", spread, sum/10_000, drawn/10_000)
		}
	}
}

func floors(t *testing.T) {
	var alike, unlike []*recording.Session
	for i := range 40 {
		alike = append(alike, plainSession(fmt.Sprint("a", i), 1000, 2000))
		unlike = append(unlike, plainSession(fmt.Sprint("b", i), 1000+int64(i*i), 5000))
	}
	if f := mustFind(t, measured(Options{}, alike...), Want{Figure: "first_prompt"}); !slices.Equal(f.Floor, []int64{1000, 1000}) {
		t.Errorf("halves of equal sessions are %v apart", f.Floor)
	}
	m := New(Options{})
	for _, s := range unlike {
		m.Add("", s)
	}
	f := mustFind(t, m.Profile(), Want{Figure: "first_prompt"})
	// By hand: every halving anew, each half sorted.
	var apart [2][]int64
	for _, half := range part(m.sessions) {
		var a, b []int64
		for i, s := range unlike {
			if v := s.Requests[0].Usage.Prompt(); half[i] {
				a = append(a, v)
			} else {
				b = append(b, v)
			}
		}
		if len(a) != 20 || len(b) != 20 {
			t.Fatalf("halves of %d and %d sessions", len(a), len(b))
		}
		slices.Sort(a)
		slices.Sort(b)
		for k, rank := range []int{9, 17} {
			apart[k] = append(apart[k], max(a[rank], b[rank])*1000/min(a[rank], b[rank]))
		}
	}
	for k := range apart {
		slices.Sort(apart[k])
		if f.Floor[k] != apart[k][189] || f.Floor[k] <= 1000 {
			t.Errorf("floor %v, by hand %d", f.Floor, apart[k][189])
		}
	}
}

func thin(t *testing.T) {
	of := func(n int) *Profile {
		var list []*recording.Session
		for i := range n {
			s := spawnSession()
			s.ID = fmt.Sprint("t", i)
			list = append(list, s)
		}
		return measured(Options{}, list...)
	}
	want := Want{Role: Main, Family: FamilyOf(opus), Figure: "first_prompt"}
	if f, grade := of(19).Find(want); f != nil || grade != Assumed {
		t.Errorf("a figure of 19 samples is used: %v, %v", f, grade)
	}
	if f, grade := of(20).Find(want); f == nil || f.Thin || grade != Measured {
		t.Errorf("a figure of 20 samples is not used: %v, %v", f, grade)
	}
	if f := mustFind(t, of(19), want); !f.Thin {
		t.Errorf("asked for, it is not marked: %+v", *f)
	}
	types := func(p *Profile) map[string]Figure {
		for _, r := range p.Sources[0].Roles {
			if r.Type == "Explore" {
				return r.Figures
			}
		}
		return nil
	}
	if few := types(of(99)); few["calls"].N != 0 || few["first_prompt"].N != 99 {
		t.Errorf("below 100 threads a type has %v", few)
	}
	if enough := types(of(100)); enough["calls"].N != 100 {
		t.Errorf("from 100 threads on a type has %v", enough)
	}
}

func withoutLast(t *testing.T) {
	whole, without := measured(Options{}, spawnSession()), measured(Options{WithoutLast: true}, spawnSession())
	for figure, want := range map[string][2]int64{"calls": {2, 1}, "last_prompt": {1200, 1000}, "tool_uses": {1, 1}} {
		w := Want{Role: SubAgent, Figure: figure}
		if a, b := mustFind(t, whole, w), mustFind(t, without, w); [2]int64{a.Q[0], b.Q[0]} != want {
			t.Errorf("%s: %d whole, %d without the last request, want %v", figure, a.Q[0], b.Q[0], want)
		}
	}
	if f := mustFind(t, without, Want{Role: SubAgent, Figure: "calls_whole"}); f.Q[0] != 2 {
		t.Errorf("the request that was left out is not counted: %+v", *f)
	}
	if f := mustFind(t, without, Want{Figure: "calls"}); f.Q[0] != 3 {
		t.Errorf("main threads lose nothing: %+v", *f)
	}
}

func halves(t *testing.T) {
	m := New(Options{})
	for i := range 41 {
		m.Add("", plainSession(fmt.Sprint("h", i), 1000+int64(i)))
	}
	firsts := map[string]bool{}
	for split := range 3 {
		a, b := m.Half(split, false), m.Half(split, true)
		if a.Sources[0].Sessions+b.Sources[0].Sessions != 41 || b.Sources[0].Sessions != 20 {
			t.Errorf("%d and %d sessions", a.Sources[0].Sessions, b.Sources[0].Sessions)
		}
		f, g := mustFind(t, a, Want{Figure: "first_prompt"}), mustFind(t, b, Want{Figure: "first_prompt"})
		if min(f.Q[0], g.Q[0]) != 1000 || max(f.Q[Steps], g.Q[Steps]) != 1040 || f.Floor != nil {
			t.Errorf("%v and %v", f.Q, g.Q)
		}
		firsts[fmt.Sprint(f.Q)] = true
	}
	if len(firsts) != 3 {
		t.Error("halvings are alike")
	}
}

func sourcesApart(t *testing.T) {
	add := func(joined bool) *Profile {
		m := New(Options{Joined: joined})
		for i := range 30 {
			m.Add("small", plainSession(fmt.Sprint("s", i), 1000, 1100))
			m.Add("large", plainSession(fmt.Sprint("l", i), 9000, 9100))
			m.Add("large", plainSession(fmt.Sprint("k", i), 9000, 9100))
		}
		return m.Profile()
	}
	apart, joined := add(false), add(true)
	if len(apart.Sources) != 2 || len(joined.Sources) != 1 || joined.Sources[0].Sessions != 90 {
		t.Fatalf("%d and %d sources", len(apart.Sources), len(joined.Sources))
	}
	if f, grade := apart.Find(Want{Role: Main, Family: FamilyOf(opus), Figure: "calls"}); f != nil || grade != Assumed {
		t.Errorf("several sources are taken for one population")
	}
	for _, p := range []*Profile{joined} {
		f := mustFind(t, p, Want{Figure: "first_prompt"})
		if f.N != 90 || f.Q[0] != 1000 || f.Percentile(30) != 1000 || f.Percentile(35) != 9000 || f.Q[Steps] != 9000 {
			t.Errorf("joined: %+v", *f)
		}
		if p.Sources[0].Sessions != 90 || p.Sources[0].Requests != 180 {
			t.Errorf("%+v", p.Sources[0])
		}
		if _, err := Parse("merged", p.Text()); err != nil {
			t.Error(err)
		}
	}
}

func absent(t *testing.T) {
	s := spawnSession()
	for i := range s.Requests {
		s.Requests[i].OutputKnown = false
	}
	s.Threads[1].Partial, s.Threads[2].Partial = true, true
	s.Requests[0].Answer[0].Content = llm.NewText(llm.Prose, "")
	src := measured(Options{}, s).Sources[0]
	for i, wants := range []map[string]string{
		{"output": "placeholders", "thinking_bytes": "redacted", "head_tools": "traces"},
		{"output": "placeholders", "last_request": "of 2 threads, which progress lines leave out", "text": "progress lines"},
	} {
		r := src.Roles[i]
		for figure, reason := range wants {
			if _, there := r.Figures[figure]; there || !strings.Contains(r.Absent[figure], reason) {
				t.Errorf("%s %s: %q, want %q", r.Role, figure, r.Absent[figure], reason)
			}
		}
	}
	if whole := src.Roles[1].Figures["calls_whole"]; whole.Q[0] != 3 || src.Roles[1].Figures["calls"].Q[0] != 2 {
		t.Errorf("the request that is left out is not counted: %+v", whole)
	}
	if want := []string{"no fork in the sources: nothing is known of it", "no hidden in the sources: nothing is known of it"}; !slices.Equal(src.Notes, want) {
		t.Errorf("roles without threads: %v", src.Notes)
	}
}

func sameFile(t *testing.T) {
	list := []*recording.Session{spawnSession()}
	for i := range 25 {
		list = append(list, plainSession(fmt.Sprint("s", i), int64(1000+i), int64(2000+7*i)))
	}
	want := measured(Options{}, list...).Text()
	slices.Reverse(list)
	if got := measured(Options{}, list...).Text(); got != want {
		t.Errorf("in another order:\n%s\n%s", want, got)
	}
	row := plainSession(keyOf(plainSession("s1")), 101, 102)
	row.Format = "rows" // which hold the hash of s1's id
	twice := list[24]
	if twice.ID != "s0" {
		t.Fatal(twice.ID)
	}
	short := plainSession("s0", 1000)
	p := measured(Options{}, append([]*recording.Session{short}, list...)...)
	if p.Sources[0].Sessions != 26 || !strings.HasPrefix(p.Sources[0].Notes[0], "1 sessions come from two sources") || mustFind(t, p, Want{Figure: "calls"}).Q[0] != 2 {
		t.Errorf("of a session that comes twice the shorter one counts: %+v", p.Sources[0].Notes)
	}
	if n := measured(Options{}, append(list, row)...).Sources[0].Sessions; n != 26 {
		t.Errorf("rows of a session that is there whole count again: %d sessions", n)
	}
	one, two := plainSession("7", 101, 102), plainSession("7", 103, 104)
	one.Format, two.Format, one.Origin, two.Origin = "rows", "rows", "a", "b"
	if n := measured(Options{}, one, two).Sources[0].Sessions; n != 2 {
		t.Errorf("sessions of two corpora with one number are %d", n)
	}
	for name, c := range map[string]struct {
		opt  Options
		role string
		n    int64
	}{
		"type":  {Options{Type: "Explore"}, SubAgent, 1},
		"model": {Options{Model: "opus"}, SubAgent, 2},
	} {
		for _, got := range measured(c.opt, list...).Sources[0].Roles {
			if got.Role == c.role && got.Type == "" && got.Threads != c.n {
				t.Errorf("%s: %s with %d threads", name, got.Role, got.Threads)
			}
		}
	}
	for _, opt := range []Options{{Model: "haiku"}, {Since: base.Add(vtime.Hour)}, {Type: "nobody"}} {
		m := New(opt)
		for _, s := range list {
			m.Add("", s)
		}
		if !m.Empty() {
			t.Errorf("%+v leaves something", opt)
		}
	}
}

func thinned(t *testing.T) {
	const n = 3*maxSamples + 17
	forth, back := &series{}, &series{}
	for i := range n {
		k := n - 1 - i
		forth.add(int64(i), 0, uint32(rng.Root(1).At(uint64(i)).Uint64()))
		back.add(int64(k), 0, uint32(rng.Root(1).At(uint64(k)).Uint64()))
	}
	slices.Reverse(back.samples)
	if len(forth.samples) > maxSamples || len(forth.samples) < maxSamples/4 || !reflect.DeepEqual(forth, back) {
		t.Errorf("%d and %d samples are kept", len(forth.samples), len(back.samples))
	}
	f, _ := forth.figure(Tokens, func(int32) bool { return true }, part(make([]session, 1)))
	if f.N != n || ratio(f.Q[10], n/2) > 1020 {
		t.Errorf("%d counted, P50 %d", f.N, f.Q[10])
	}
}
