package policy

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/mark"

	"pgregory.net/rapid"
)

func TestCoordinator(t *testing.T) {
	t.Run("CRD-12 what comes after an item that was given up is given up too, also where it was to be tried again", givenUp)
	t.Run("CRD-07 CRD-13 CRD-10 LLM-05 whatever the work, the order of reports and the failures: no implementation begins before its findings are in, no two items whose files meet are under way together, no writer verifies, the user hears of every step, and every item is settled", rapid.MakeCheck(led))
	t.Run("CON-11 LOOP-07 wherever a coordinator's history becomes a summary, workers and attempts survive it", coordinatorSummed)
	t.Run("CRD-12 attempts end: corrections, then approaches, then the user", attemptsEnd)
	t.Run("CRD-12 whoever is stopped or ends with an error goes on, as often as MaxCut says, and none of it is a failed attempt", cutShort)
	t.Run("CRD-12 the user is told what was tried, and nothing that was not", toldWhatWasTried)
	t.Run("CRD-10 each row of the table", tableRows)
	t.Run("CRD-12 another approach leaves out what misled, a correction does not", leavesOut)
	t.Run("LLM-05 what a worker is told stands for itself", instructed)
	t.Run("LLM-05 no worker sees a step of the coordinator's in a stack or a scenario without one", noOffice)
}

// assigned follows the items that each worker of a house has, from what it was
// told.
type assigned struct {
	h     *house
	seen  map[string]int      // messages read, by id
	now   map[string][]string // items
	wrote map[string][]string // items that it edits or edited
	given map[string]bool     // items that anybody was told of
	early string              // an implementation whose findings were not in when somebody was told of it
}

func watch(h *house) *assigned {
	return &assigned{h: h, seen: map[string]int{}, now: map[string][]string{}, wrote: map[string][]string{}, given: map[string]bool{}}
}

// update reads what workers were told since the last time.
func (w *assigned) update() {
	var begun []string
	for _, m := range w.h.workers.members {
		var told []string
		n := 0
		for at := m.a.head; !at.IsBorder(); at = at.Parent {
			if at.Role != llm.User || at.Block.Kind != llm.Text {
				continue
			}
			n++
			if told == nil {
				w.h.marks.Scan(at.Block.Content.Raw(), func(k mark.Mark) {
					if k.Verb == mark.Do {
						told = append(told, k.Args[0])
					}
				})
				if told == nil {
					told = []string{} // told to go on
				}
			}
		}
		if n > w.seen[m.id] && len(told) > 0 {
			w.now[m.id] = told
			w.wrote[m.id] = append(w.wrote[m.id], told...)
			begun = append(begun, told...)
		}
		w.seen[m.id] = n
	}
	for _, id := range begun {
		w.begin(id)
	}
}

// item is a bound item by its id.
func (h *house) item(id string) *item { return &h.table.items[h.table.itemIndex[id]] }

// clash is two items under way whose files meet, "" for none.
func (w *assigned) clash(ids []string) string {
	for i, a := range ids {
		for _, b := range ids[:i] {
			for _, x := range w.now[a] {
				for _, y := range w.now[b] {
					p, q := w.h.item(x), w.h.item(y)
					if p.writes.meets(q.writes) || p.writes.meets(q.checks) || q.writes.meets(p.checks) {
						return x + " and " + y
					}
				}
			}
		}
	}
	return ""
}

// selfVerified is an item that is verified by a worker that wrote what it
// verifies, "" for none.
func (w *assigned) selfVerified() string {
	for _, m := range w.h.workers.members {
		for _, id := range w.now[m.id] {
			for _, j := range w.h.item(id).after {
				if w.h.item(id).kind == "verify" && slices.Contains(w.wrote[m.id], w.h.table.items[j].id) {
					return id
				}
			}
		}
	}
	return ""
}

// drawWork is a world of work for a coordinator.
func drawWork(t *rapid.T) string {
	files := rapid.IntRange(1, 4).Draw(t, "files")
	var b strings.Builder
	b.WriteString("project:\n  tests: [{command: go test, files: \"*.go\", takes: 1s}]\n  files:\n")
	for i := range files {
		fmt.Fprintf(&b, "    f%d.go: {text: \"line one of %d\\nline two of %d\\nline three of %d\\nline four of %d\\n\"}\n", i, i, i, i, i)
	}
	b.WriteString("  facts:\n")
	for i := range files {
		fmt.Fprintf(&b, "  - {name: fact.%d, file: f%d.go, line: 2}\n", i, i)
	}
	b.WriteString("structure: coordinator\nwork:\n")
	any := func(what string) int { return rapid.IntRange(0, files-1).Draw(t, what) }
	fmt.Fprint(&b, "  - {id: all, kind: research, knows: [summaries], found_in: [{glob: \"*.go\"}], yields: [")
	for i := range files {
		fmt.Fprintf(&b, "fact.%d, ", i)
	}
	b.WriteString("]}\n")
	n := rapid.IntRange(1, 6).Draw(t, "items")
	for i := range n {
		after := "all"
		for j := range i {
			if rapid.IntRange(0, 3).Draw(t, "after") == 0 {
				after += fmt.Sprintf(", item-%d", j)
			}
		}
		switch kind := rapid.SampledFrom([]string{"research", "implement", "implement", "verify", "answer"}).Draw(t, "kind"); kind {
		case "implement":
			fault := rapid.SampledFrom([]string{"", "", fmt.Sprintf(", pitfalls: [fact.%d]", any("pitfall")), fmt.Sprintf(", misled_by: [fact.%d]", any("misled"))}).Draw(t, "fault")
			fmt.Fprintf(&b, "  - {id: item-%d, kind: implement, after: [%s], edits: [{file: f%d.go, tokens: 9}]%s}\n", i, after, any("edits"), fault)
		case "verify":
			fmt.Fprintf(&b, "  - {id: item-%d, kind: verify, after: [%s], runs: [go test]}\n", i, after)
		default:
			summaries := ""
			if kind == "research" {
				summaries = ", summaries"
			}
			fmt.Fprintf(&b, "  - {id: item-%d, kind: %s, after: [%s], found_in: [f%d.go], knows: [fact.%d%s]}\n", i, kind, after, any("reads"), any("needs"), summaries)
		}
	}
	if rapid.Bool().Draw(t, "second") {
		b.WriteString("  - {id: too, kind: research, knows: [summaries], found_in: [f0.go], yields: [fact.0]}\n")
	}
	b.WriteString("  - {id: last, kind: verify, after: [all], runs: [go test]}\n")
	return b.String()
}

func led(t *rapid.T) {
	mode := rapid.SampledFrom([]string{byTable, continuation, spawning}).Draw(t, "workers")
	h := newHouse(currentT, drawWork(t), "coordinator.workers="+mode, "coordinator.synthesis="+rapid.SampledFrom([]string{strict, "needed"}).Draw(t, "synthesis"), fmt.Sprintf("model.spawns_per_turn=%d", rapid.IntRange(1, 4).Draw(t, "spawns")),
		"model.prompting="+rapid.SampledFrom([]string{promptFull, promptPointers, promptLazy}).Draw(t, "prompting"))
	h.tools = []string{"Bash"}
	w := watch(h)
	h.workers.next = func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "ends") }
	h.workers.busy = func(ids []string) {
		w.update()
		if c := w.clash(ids); c != "" {
			t.Fatalf("%s at one time\n%s", c, h.log.String())
		}
		if w.early != "" {
			t.Fatalf("%s\n%s", w.early, h.log.String())
		}
		if v := w.selfVerified(); v != "" && mode != continuation {
			t.Fatalf("%s is verified by its author\n%s", v, h.log.String())
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "failures") {
		h.workers.ends = append(h.workers.ends, fmt.Sprintf("a%d.%d:%s:%d", rapid.IntRange(0, 6).Draw(t, "call"), 1+i%2,
			rapid.SampledFrom([]string{"error", "stop"}).Draw(t, "how"), rapid.IntRange(0, 3).Draw(t, "after")))
	}
	a := h.run()
	for _, r := range h.said {
		speaks(t, r)
	}
	s := New(h.table).memo.state(h.reread(currentT, a.head))
	for i := range h.table.items {
		if !s.done.has(i) && !s.failed.has(i) || s.out().has(i) {
			t.Fatalf("%s is not settled\n%s", h.table.items[i].id, h.log.String())
		}
	}
}

// speaks holds that an answer of the coordinator's with tool uses says something
// first, and that they are its own tools.
func speaks(t interface{ Fatalf(string, ...any) }, r asked) {
	if strings.Contains(r.query.Stream.Lineage, "/") {
		return
	}
	said := false
	for _, line := range strings.Split(r.answer, "\n") {
		said = said || strings.HasPrefix(line, "text ")
		if !strings.HasPrefix(line, "tool_use ") {
			continue
		}
		if !said || !strings.Contains(line, " Agent {") && !strings.Contains(line, " SendMessage {") || strings.Contains(line, `"model"`) {
			t.Fatalf("%s", r.answer)
		}
	}
	if low := strings.ToLower(r.answer); strings.Contains(low, "thank") {
		t.Fatalf("it thanks: %s", r.answer)
	}
}

// story is the world of a story's file.
func story(t *testing.T, name string) string {
	t.Helper()
	text := readStory(t, name)
	_, rest, _ := strings.Cut(text, "\nworld\n")
	world, _, ok := strings.Cut(rest, "\n----")
	if !ok {
		t.Fatalf("%s has no world", name)
	}
	return world + "\n"
}

func coordinatorSummed(t *testing.T) {
	for _, c := range []struct {
		file string
		sets []string
		want string
		ends []string
	}{
		{"CRD-12-anchoring.txt", nil, "no defects\n", nil},
		{"CRD-12-anchoring.txt", []string{"coordinator.workers=continue"}, "src/auth.go has the defect of fix-auth: auth.old-theory\n", nil},
		{"CRD-12-recovery.txt", nil, "no defects\n", nil},
		{"CRD-12-recovery.txt", nil, "no defects\n", slices.Repeat([]string{"a0.1:error:0"}, MaxCut+1)},
	} {
		plain := ""
		for _, call := range []int{0, 1, 3, 5, 7, 9, 11, 13} { // behind the calls that use tools; 0 is behind none
			h := newHouse(t, story(t, c.file), c.sets...)
			h.tools, h.compact = []string{"Bash"}, fmt.Sprintf("main %d", call)
			h.workers.ends = slices.Clone(c.ends)
			summaries := 0
			h.after = func(*agent) {
				r := h.said[len(h.said)-1]
				carried := h.model.(*Model).memo.state(r.head)
				flat := New(h.table).memo.state(h.reread(t, r.head))
				if got, want := h.table.describe(carried), h.table.describe(flat); got != want {
					t.Errorf("%s: carried\n%s\nfrom bytes\n%s", h.compact, got, want)
				}
				if strings.Contains(r.answer, "Workers:") {
					summaries++
				}
			}
			h.run()
			replayed(t, h)
			if got := h.defective(); got != c.want {
				t.Errorf("%v %s: %s\n%s", c.sets, h.compact, got, h.log.String())
			}
			steps := h.steps()
			if call == 0 {
				plain = steps
			}
			if steps != plain {
				t.Errorf("%v with a summary at %s:\n%s\nwithout:\n%s", c.sets, h.compact, steps, plain)
			}
			if summaries == 0 && call > 0 && h.usedTools("main", call-1) {
				t.Errorf("no summary at %s", h.compact)
			}
		}
	}
}

// steps is what the coordinator gives out, in order.
func (h *house) steps() string {
	var out []string
	for _, r := range h.said {
		for _, line := range strings.Split(r.answer, "\n") {
			if strings.HasPrefix(line, "tool_use ") && r.query.Stream.Lineage == "main" {
				tool := strings.Fields(line)[2]
				h.marks.Scan(line, func(m mark.Mark) {
					if m.Verb == mark.Do {
						out = append(out, tool+" "+m.Args[0])
					}
				})
			}
		}
	}
	return strings.Join(out, ", ")
}

// usedTools reports whether an agent's call ended in tool uses.
func (h *house) usedTools(lineage string, call int) bool {
	return slices.ContainsFunc(h.said, func(r asked) bool {
		return r.query.Stream.Lineage == lineage && r.query.Stream.Call == call && strings.Contains(r.answer, "\ntool_use ")
	})
}

func attemptsEnd(t *testing.T) {
	for corrections := range 3 {
		for approaches := range 3 {
			h := newHouse(t, story(t, "CRD-12-anchoring.txt"), "coordinator.workers=continue",
				fmt.Sprintf("coordinator.corrections=%d", corrections), fmt.Sprintf("coordinator.approaches=%d", approaches))
			h.tools = []string{"Bash"}
			h.run()
			if got, want := strings.Count(h.steps(), " fix-auth"), 1+corrections+approaches; got != want {
				t.Errorf("%d corrections and %d approaches: %d attempts, want %d", corrections, approaches, got, want)
			}
			last := h.said[len(h.said)-1].answer
			if !strings.Contains(last, "for you to say") {
				t.Errorf("the user is not asked: %s", last)
			}
			if !strings.Contains(last, "still wrong, for want or because of: auth.old-theory.") || strings.Contains(last, "was not run") {
				t.Errorf("the user is told another reason: %s", last)
			}
		}
	}
}

func cutShort(t *testing.T) {
	for _, how := range []string{"error", "stop"} {
		for _, c := range []struct {
			ends   int
			agreed []string // besides
			want   string   // how often it is told to go on, and whether all is done
		}{
			{1, nil, "1 true"}, {2, nil, "2 true"}, {MaxCut, nil, "3 true"}, {MaxCut + 1, nil, "3 false"}, {9, nil, "3 false"},
			{2, []string{"coordinator.corrections=0", "coordinator.approaches=0"}, "2 true"},
		} {
			h := newHouse(t, story(t, "CRD-12-recovery.txt"), append(c.agreed, "work.2.pitfalls=[]")...)
			h.tools = []string{"Bash"}
			for range c.ends {
				h.workers.ends = append(h.workers.ends, "a0.1:"+how+":0")
			}
			h.run()
			last := h.said[len(h.said)-1].answer
			if got := fmt.Sprint(strings.Count(strings.Join(h.prompts(), "\n"), "Go on with what you were asked for"), strings.Contains(last, "3 of 3 items")); got != c.want {
				t.Errorf("%d times %s: %s, want %s\n%s", c.ends, how, got, c.want, h.log.String())
			}
			told := map[string]string{"error": "you ended with an error", "stop": "you were stopped"}[how]
			for i, p := range h.prompts() {
				if i > 0 && i <= min(c.ends, MaxCut) && (!strings.Contains(p, "SendMessage") || !strings.Contains(p, told+" before it was finished")) {
					t.Errorf("%d times %s: it is not told to go on: %s", c.ends, how, p)
				}
				if strings.Contains(p, "in another way") || strings.Contains(p, "approach") {
					t.Errorf("%d times %s: it is taken for a wrong approach: %s", c.ends, how, p)
				}
			}
		}
	}
}

func toldWhatWasTried(t *testing.T) {
	for _, c := range []struct {
		corrections, approaches int
		ends                    []string
		want                    string
	}{
		{0, 0, nil, "No correction and no other approach was to be tried: how"},
		{2, 0, nil, "\nCorrections did not help: how"},
		{0, 1, nil, "\nAnother approach did not help: how"},
		{1, 1, nil, "\nCorrections and another approach did not help: how"},
		{1, 1, slices.Repeat([]string{"a0.1:error:0"}, MaxCut+1), "\nGoing on after each interruption did not help: how"},
	} {
		h := newHouse(t, story(t, "CRD-12-anchoring.txt"), "coordinator.workers=continue",
			fmt.Sprintf("coordinator.corrections=%d", c.corrections), fmt.Sprintf("coordinator.approaches=%d", c.approaches))
		h.tools, h.workers.ends = []string{"Bash"}, c.ends
		h.run()
		if last := h.said[len(h.said)-1].answer; !strings.Contains(last, c.want) {
			t.Errorf("%d corrections and %d approaches: %s", c.corrections, c.approaches, last)
		}
	}
}

// tableRows asks the table about an item that edits one file, with one worker
// there.
func tableRows(t *testing.T) {
	h := newHouse(t, standard, "structure=coordinator")
	read, write := h.table.itemIndex["dig"], h.table.itemIndex["fix-a"]
	m := New(h.table)
	decide := func(item int, w worker, c attempts) (int, row) {
		o := &roster{workers: []worker{w}, attempts: make([]attempts, len(h.table.items))}
		o.attempts[item] = c
		m.s = filled(state{roster: o})
		return m.decide(item)
	}
	auth := h.table.items[write].writes
	many := auth
	for i := range 8 {
		many = many.with(10 + i)
	}
	check := h.table.itemIndex["check"]
	for _, c := range []struct {
		what   string
		item   int
		w      worker
		c      attempts
		worker int
		why    row
	}{
		{"nobody knows the file", write, worker{how: completed}, attempts{}, -1, rowNone},
		{"it read the file", write, worker{how: completed, saw: auth}, attempts{}, 0, rowExplored},
		{"it read the file and is at work", write, worker{how: running, saw: auth}, attempts{}, -1, rowNone},
		{"it read the file and nobody can reach it", write, worker{how: gone, saw: auth}, attempts{}, -1, rowNone},
		{"it read the file and many more", write, worker{how: completed, saw: many}, attempts{}, -1, rowBroad},
		{"it wrote the file", write, worker{how: completed, wrote: auth, saw: many}, attempts{}, 0, rowRecent},
		{"it failed at it", write, worker{how: broken}, attempts{by: 1, times: 1, why: errored}, 0, rowRecent},
		{"its correction failed", write, worker{how: completed, wrote: auth}, attempts{by: 1, times: 2, why: defective}, -1, rowAnew},
		{"its correction was stopped", write, worker{how: stopped}, attempts{by: 1, times: 2, cut: 1, why: halted}, 0, rowRecent},
		{"its first attempt and another ended with an error", write, worker{how: broken}, attempts{by: 1, times: 2, cut: 2, why: errored}, 0, rowRecent},
		{"another approach was stopped", write, worker{how: stopped}, attempts{by: 1, times: 3, cut: 1, why: halted}, 0, rowRecent},
		{"another approach found no worker", write, worker{how: completed, wrote: auth}, attempts{by: 1, times: 3, cut: 1, why: errored}, -1, rowAnew},
		{"its correction was stopped, and nobody can reach it", write, worker{how: gone}, attempts{by: 1, times: 2, cut: 1, why: halted}, -1, rowNone},
		{"verification", check, worker{how: completed, wrote: auth, saw: many}, attempts{}, -1, rowVerify},
		{"a verifier that died goes on", check, worker{how: broken}, attempts{by: 1, times: 1, why: errored}, 0, rowRecent},
		{"research", read, worker{how: completed, saw: many}, attempts{}, -1, rowNone},
	} {
		if w, why := decide(c.item, c.w, c.c); w != c.worker || why != c.why {
			t.Errorf("%s: worker %d by row %d, want %d by %d", c.what, w, why, c.worker, c.why)
		}
	}
}

// prompts are what the coordinator told its workers, in order.
func (h *house) prompts() (out []string) {
	for _, r := range h.said {
		for _, line := range strings.Split(r.answer, "\n") {
			if strings.HasPrefix(line, "tool_use ") && r.query.Stream.Lineage == "main" {
				out = append(out, line)
			}
		}
	}
	return out
}

func leavesOut(t *testing.T) {
	h := newHouse(t, story(t, "CRD-12-anchoring.txt"))
	h.tools = []string{"Bash"}
	h.run()
	fact := h.marks.Text(mark.Fact, "auth.old-theory")
	var got []bool
	for _, p := range h.prompts() {
		if strings.Contains(p, h.marks.Text(mark.Do, "fix-auth")) {
			got = append(got, strings.Contains(p, fact) || strings.Contains(p, "docs/old.md"))
		}
	}
	if !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("what misled is passed on: %v", got)
	}
}

func instructed(t *testing.T) {
	for _, prompting := range []string{promptFull, promptPointers, promptLazy} {
		h := newHouse(t, standard, "structure=coordinator", "model.prompting="+prompting)
		h.run()
		for _, p := range h.prompts() {
			if !strings.Contains(p, "Purpose: ") || !strings.Contains(p, "Done means: ") {
				t.Errorf("%s", p)
			}
			if lazy := strings.Contains(p, "based on your findings"); lazy != (prompting == promptLazy) {
				t.Errorf("%s: lazy is %t: %s", prompting, lazy, p)
			}
			if verify := strings.Contains(p, h.marks.Text(mark.Do, "check")); verify && prompting != promptLazy && !strings.Contains(p, "Changed for fix-a: src/auth.go") {
				t.Errorf("a verifier is not told what was changed: %s", p)
			}
		}
	}
}

func noOffice(t *testing.T) {
	h := newHouse(t, standard, "structure=subagent-background")
	h.after = func(a *agent) {
		r := h.said[len(h.said)-1]
		if s := h.model.(*Model).memo.state(r.head); s.roster != nil {
			t.Errorf("%s has a roster", a.lineage)
		}
	}
	h.run()
}

func readStory(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
