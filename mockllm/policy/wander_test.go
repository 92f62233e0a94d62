package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// woods is a project with more files than the work is about.
const woods = `
project:
  files:
    src/auth.go: "package src // auth\n"
    src/store.go: "package src // store\n"
    src/cache.go: "package src // cache\n"
    lib/queue.go: "package lib // queue\n"
    lib/mail.go: "package lib // mail\n"
    lib/audit.go: "package lib // audit\n"
    cmd/main.go: "package main\n"
    docs/rules.go: "one\ntwo\n"
  facts: [{name: rules.two, file: docs/rules.go, line: 2}]
  tests: [{command: go test ./..., files: "**/*.go", takes: 3s}]
model: {wander: {uses: 14, near: 30}}
structure: inline
work:
  - {id: look, kind: research, by: lead, reads: [src/auth.go]}
  - {id: store, kind: research, found_in: [src/store.go], knows: [summaries]}
  - {id: queue, kind: research, found_in: [lib/queue.go], knows: [summaries]}
  - {id: fix, kind: implement, after: [store, queue], knows: [rules.two], edits: [{file: lib/mail.go, tokens: 20}]}
`

func TestWander(t *testing.T) {
	t.Run("WAN-02 every structure is offered the same detours, and takes no more", offeredAlike)
	t.Run("WAN-03 fresh children that are told nothing take all detours, forks and inline agents fewer", strangersTakeAll)
	t.Run("WAN-02 a file more moves only the detours that it wins, an item more or renamed none of another's", stableDraws)
	t.Run("WAN-02 detours keep away from files with declared facts unless they may learn, and stay near as often as is said", whereTo)
	t.Run("WAN-02 none is made behind a summary until the next item", noneBehindSummary)
	t.Run("WAN-02 a detour's command proves nothing, and is not made where it was seen to pass", noProofOfDetours)
	t.Run("WAN-04 after edits agents build or test where the project offers it, by a command that is declared or found", checksEdits)
	t.Run("WAN-04 a look at the history is spared by nothing but itself", looksBack)
	t.Run("WAN-02 CON-11 LLM-11 that a detour was made is read from the bytes", func(t *testing.T) {
		for _, world := range worlds {
			h := newHouse(t, woods, world...)
			h.tools = []string{"Bash"}
			h.after = func(a *agent) {
				r := h.said[len(h.said)-1]
				carried, flat := h.model.(*Model).memo.state(r.head), New(h.table).memo.state(h.reread(t, r.head))
				if got, want := h.table.describe(carried), h.table.describe(flat); got != want {
					t.Errorf("%v %s call %d: carried\n%s\nfrom bytes\n%s", world, a.lineage, a.calls, got, want)
				}
			}
			h.run()
		}
	})
}

// offers is the detours that an item offers, as text.
func (h *house) offers(id string) (out []string) {
	i, ok := h.table.itemIndex[id]
	if !ok {
		return nil
	}
	for _, d := range h.table.items[i].detours {
		out = append(out, h.table.detourText(&d))
	}
	return out
}

func (t *Table) detourText(d *detour) string {
	switch d.kind {
	case searchAction:
		return fmt.Sprint(t.searches[d.search].tool, d.shell, t.searches[d.search].input.Raw())
	case lookAction:
		return t.looks[d.look].input.Raw()
	}
	return "Read " + t.files[d.read.file]
}

// taken counts the uses of tools that are detours.
func (h *house) taken() (n int) {
	for _, r := range h.said {
		n += strings.Count(r.answer[strings.LastIndex(r.answer, "\n"):], causeDetour)
	}
	return n
}

func offeredAlike(t *testing.T) {
	want := newHouse(t, woods)
	total := 0
	for i := range want.table.items {
		total += len(want.table.items[i].detours)
	}
	if len(want.offers("store")) != 12 || len(want.offers("fix")) != 9 { // 14 less two searches, two reads, and an edit
		t.Errorf("%d and %d detours", len(want.offers("store")), len(want.offers("fix")))
	}
	for _, world := range worlds {
		h := newHouse(t, woods, world...)
		h.tools = []string{"Bash"}
		for _, id := range []string{"look", "store", "queue", "fix"} {
			if !slices.Equal(h.offers(id), want.offers(id)) {
				t.Errorf("%v %s: %v, want %v", world, id, h.offers(id), want.offers(id))
			}
		}
		h.run()
		if n := h.taken(); n == 0 || n > total {
			t.Errorf("%v: %d of %d taken", world, n, total)
		}
		for line := range strings.Lines(h.log.String()) {
			if uses := strings.Split(strings.TrimSpace(line), " · "); len(uses) > 2 && uses[1] == uses[2] {
				t.Errorf("%v: one detour twice at once: %s", world, line)
			}
		}
	}
	h := newHouse(t, strings.NewReplacer("model: {wander: {uses: 14, near: 30}}\n", "", "  tests: [{command: go test ./..., files: \"**/*.go\", takes: 3s}]\n", "").Replace(woods))
	h.run()
	if n := h.taken(); n != 0 {
		t.Errorf("%d detours of nobody who wanders", n)
	}
}

func strangersTakeAll(t *testing.T) {
	took := map[string]int{}
	for _, structure := range []string{"inline", "subagent", "fork", "coordinator"} {
		h := newHouse(t, woods, "structure="+structure, "model.prompting=lazy", `work.1.by=""`, "work.1.reads=[]", "work.1.found_in=[src/auth.go]", "work.1.knows=[summaries]", "project.tests=[]")
		h.tools = []string{"Bash"}
		h.run()
		took[structure] = h.taken()
		offered := 0
		for _, id := range []string{"look", "store", "queue", "fix"} {
			offers := h.offers(id)
			slices.Sort(offers)
			offered += len(slices.Compact(offers)) // what is offered twice is taken once
		}
		if structure == "subagent" && took[structure] < offered*4/5 { // a listing of their own shows them places, too
			t.Errorf("strangers took %d of %d", took[structure], offered)
		}
	}
	if took["inline"] >= took["subagent"] || took["fork"] > took["subagent"] || took["coordinator"] > took["subagent"] {
		t.Errorf("taken: %v", took)
	}
	h := newHouse(t, woods, "structure=fork")
	h.tools = []string{"Bash"}
	h.run()
	if h.taken() >= took["subagent"] {
		t.Errorf("forks of a lead that looked around took %d, strangers %d", h.taken(), took["subagent"])
	}
	h = newHouse(t, woods, "script.main.user=Look at src/auth.go.")
	h.run()
	for _, r := range h.said {
		if strings.Contains(r.answer, "[[done look") {
			break
		}
		if strings.Contains(r.answer, " Glob ") || strings.Contains(r.answer, " Grep ") || strings.Contains(r.answer, "/util.go") {
			t.Errorf("looks for what the user named: %s", r.answer)
		}
	}
}

func stableDraws(t *testing.T) {
	base := newHouse(t, woods)
	more := newHouse(t, strings.Replace(woods, "    cmd/main.go:", "    cmd/new.go: \"package main\\n\"\n    cmd/main.go:", 1))
	moved := 0
	for _, id := range []string{"look", "store", "queue", "fix"} {
		a, b := base.offers(id), more.offers(id)
		for i := range a {
			if a[i] != b[i] {
				if moved++; !strings.Contains(b[i], "new") && !strings.Contains(b[i], "cmd") {
					t.Errorf("%s %d: %s became %s", id, i, a[i], b[i])
				}
			}
		}
	}
	if moved == 0 {
		t.Error("the new file won nothing")
	}
	item := "  - {id: extra, kind: research, found_in: [src/cache.go], knows: [summaries]}\n"
	for _, work := range []string{strings.Replace(woods, "work:\n", "work:\n"+item, 1), woods + item, strings.Replace(woods, "id: queue", "id: line", 1)} {
		h := newHouse(t, strings.Replace(strings.Replace(work, "near: 30", "near: 0", 1), "after: [store, queue]", "after: [store]", 1))
		plain := newHouse(t, strings.Replace(woods, "near: 30", "near: 0", 1))
		for _, id := range []string{"look", "store", "fix"} {
			if a, b := plain.offers(id), h.offers(id); !slices.Equal(a, b) {
				t.Errorf("%s: %v became %v", id, a, b)
			}
		}
	}
}

func whereTo(t *testing.T) {
	goes := func(sets ...string) string {
		h := newHouse(t, woods, sets...)
		return strings.Join(append(h.offers("store"), h.offers("queue")...), "\n")
	}
	if got := goes(); strings.Contains(got, "rules") {
		t.Errorf("a detour goes to a declared fact: %s", got)
	}
	if got := goes("model.wander.uses=40", "model.wander.may_learn=true"); !strings.Contains(got, "rules") {
		t.Errorf("no detour learns: %s", got)
	}
	for _, near := range []int{0, 100} {
		got := goes(fmt.Sprintf("model.wander.near=%d", near))
		if far := strings.Contains(got, "audit") || strings.Contains(got, "cache") || strings.Contains(got, "cmd"); far != (near == 0) {
			t.Errorf("near %d: %s", near, got)
		}
	}
}

func noneBehindSummary(t *testing.T) {
	h := newHouse(t, woods, "structure=subagent")
	h.tools, h.compact = []string{"Bash"}, "main 3"
	h.run()
	after := 0
	for _, r := range h.said {
		if q := r.query.Stream; q.Lineage == "main" && q.Call > 3 {
			after += strings.Count(r.answer, causeDetour)
		}
	}
	inline := newHouse(t, woods)
	inline.tools, inline.compact = h.tools, "main 3"
	inline.run()
	log := inline.log.String()
	if _, next, _ := strings.Cut(log, "[done look]"); strings.Count(next, "(detour)") < 5 {
		t.Errorf("no detours of the next items\n%s", log)
	}
	before := newHouse(t, woods, "structure=subagent")
	before.tools = h.tools
	before.run()
	if after > 0 || h.taken() >= before.taken() || h.taken() == 0 {
		t.Errorf("%d detours behind the summary; %d in all, %d without it\n%s", after, h.taken(), before.taken(), h.log.String())
	}
}

func noProofOfDetours(t *testing.T) {
	h := newHouse(t, woods)
	var d *detour
	for i := range h.table.items {
		for k := range h.table.items[i].detours {
			if x := &h.table.items[i].detours[k]; x.what == checking {
				d = x
			}
		}
	}
	if d == nil {
		t.Fatal("no detour runs the tests")
	}
	p := plan{t: h.table, s: filled(state{shell: true})}
	if p.spared(d) {
		t.Error("spared though nothing passed")
	}
	p.s.proof = &proof{green: set{}.with(0)}
	if !p.spared(d) {
		t.Error("not spared though the tests were seen to pass")
	}
	f := folder{t: h.table}
	f.begin(p.s)
	f.editWritten(&note{target: 0})
	if f.s.proof.green.len() > 0 {
		t.Error("an edit leaves what passed before it")
	}
	p.s.shell = false
	if p.s.proof = nil; !p.spared(d) {
		t.Error("no shell, and a command all the same")
	}
	prove := "  - {id: prove, kind: verify, after: [queue], runs: [go test ./...]}\n  - {id: fix,"
	h = newHouse(t, strings.NewReplacer("uses: 14", "uses: 40", "  - {id: fix,", prove).Replace(woods))
	h.tools = []string{"Bash"}
	h.run()
	before, _, _ := strings.Cut(h.log.String(), "[done prove]")
	if detours := strings.Count(before, "{go test ./...} (detour)"); detours == 0 || strings.Count(before, "{go test ./...}") != detours+1 {
		t.Errorf("the item's own command was not run, or no detour ran it before (%d did):\n%s", detours, before)
	}
}

// checked is the lines of the log with a command that is neither a detour nor a
// commit.
func (h *house) checked() (out []string) {
	for line := range strings.Lines(h.log.String()) {
		if strings.Contains(line, "Bash {") && !strings.Contains(line, "(detour)") && !strings.Contains(line, commitOpen) {
			out = append(out, line)
		}
	}
	return out
}

func checksEdits(t *testing.T) {
	declared := `tests: [{command: go test ./..., files: "**/*.go", takes: 3s}]`
	for name, c := range map[string]struct {
		offers, sets string
		want         int
	}{
		"declared":            {declared, "", 1},
		"found in go.mod":     {"date: 2026-01-02", "project.files.go.mod=module woods", 1},
		"found in a Makefile": {"date: 2026-01-02", `project.files.Makefile="build:"`, 1},
		"not offered":         {"date: 2026-01-02", "", 0},
		"nobody wanders":      {declared, "model.wander=null", 0},
	} {
		for _, world := range worlds {
			sets := slices.Clone(world)
			if c.sets != "" {
				sets = append(sets, c.sets)
			}
			h := newHouse(t, strings.Replace(woods, declared, c.offers, 1), sets...)
			h.tools = []string{"Bash"}
			h.run()
			if got := h.checked(); len(got) != c.want {
				t.Errorf("%s %v: checked by %q\n%s", name, world, got, h.log.String())
			}
		}
	}
	h := newHouse(t, woods)
	h.run()
	if got := h.checked(); len(got) > 0 {
		t.Errorf("no shell, and checked by %q", got)
	}
}

func looksBack(t *testing.T) {
	h := newHouse(t, woods, "model.wander.uses=60")
	for i := range h.table.items {
		for k := range h.table.items[i].detours {
			d := &h.table.items[i].detours[k]
			if d.kind != lookAction || d.what != finding {
				continue
			}
			p := plan{t: h.table, s: filled(state{shell: true, seen: set{}.with(0).with(1).with(2).with(3).with(4).with(5).with(6).with(7)})}
			if p.spared(d) {
				t.Error("spared by a place")
			}
			if p.s.proof = (&proof{looked: set{}.with(d.look)}); !p.spared(d) {
				t.Error("made again")
			}
			return
		}
	}
	t.Error("nobody looks at the history")
}
