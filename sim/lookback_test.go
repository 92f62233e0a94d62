package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// looked is a request that could read what an earlier one left.
type looked struct {
	lineage string
	call    int
	back    int32 // positions from its end back to the earlier request's mark
	miss    llm.MissReason
	readTo  int32
	marked  int32 // position of that mark
}

// looks is a sink that keeps how requests met the entries before them.
type looks struct {
	lineage map[int32]string
	open    map[int32]looked
	all     []looked
}

func (l *looks) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		l.lineage[e.Agent] = b.Lineage
	case *transcript.Request:
		l.open[e.Agent] = looked{call: -1}
		if b.Expect != nil && b.Expect.Mark != nil {
			l.open[e.Agent] = looked{lineage: l.lineage[e.Agent], call: b.Call, back: b.Head.Pos - b.Expect.Mark.Pos, marked: b.Expect.Mark.Pos}
		}
	case *transcript.Response:
		x := l.open[e.Agent]
		if x.call < 0 {
			return
		}
		x.miss = b.Resp.Cache.Miss.Reason
		if to := b.Resp.Cache.ReadTo; to != nil {
			x.readTo = to.Pos
		}
		l.all = append(l.all, x)
	}
}

// looksOf runs a spec and keeps its looks.
func looksOf(t *testing.T, spec *sim.Spec) []looked {
	t.Helper()
	l := &looks{lineage: map[int32]string{}, open: map[int32]looked{}}
	runOf(t, spec, l)
	return l.all
}

// fanText is a lead that forks n times in one answer, with or without text and
// thinking before the calls.
func fanText(text, thinking bool, n int, fourth bool) string {
	var turn []string
	if thinking {
		turn = append(turn, `thinking: "Which packages?"`)
	}
	if text {
		turn = append(turn, "text: I will look at them side by side.")
	}
	var uses []string
	for i := range n {
		uses = append(uses, fmt.Sprintf(`{name: Agent, input: {description: "check part %d", prompt: "Check part %d."}}`, i, i))
	}
	turn = append(turn, "tools: ["+strings.Join(uses, ", ")+"]")
	settings := "{}"
	if thinking {
		settings = "{thinking: adaptive}"
	}
	return fmt.Sprintf(`
agentsim: 1
name: fan
provider: {model: claude-sonnet-4-5-20250929, fourth_mark: %t}
agents: {settings: %s}
script:
  main: {user: Check everything., system: {tokens: 4_000}}
  answers:
    - agent: main
      turns: [{%s}%s]
    - {agent: main/*, turns: [{text: "Scope: one part. Result: nothing."}]}
lab: {interactive: true, gates: {FORK_SUBAGENT: true}}
`, fourth, settings, strings.Join(turn, ", "), strings.Repeat(", {text: Noted.}", n+1))
}

func TestLookBack(t *testing.T) {
	t.Run("CON-23 CACHE-14 forks of one answer hit up to 19 positions behind their parent's entry and miss at 20, whatever stands before the calls", func(t *testing.T) {
		for _, c := range []struct {
			text, thinking bool
			forks          int
			back           int32
			hit            bool
		}{
			{true, false, 8, 18, true}, {true, false, 9, 20, false},
			{false, false, 9, 19, true}, {false, false, 10, 21, false},
			{true, true, 8, 19, true}, {true, true, 9, 21, false},
			{false, true, 8, 18, true}, {false, true, 9, 20, false},
		} {
			checkForks(t, fmt.Sprintf("text %t, thinking %t, %d forks", c.text, c.thinking, c.forks),
				looksOf(t, specOf(t, fanText(c.text, c.thinking, c.forks, false), "")), c.forks, c.back, c.hit)
		}
	})
	t.Run("CON-23 the fourth mark on a fork's first request, its parent's, makes nine and more hit", func(t *testing.T) {
		checkForks(t, "nine forks", looksOf(t, specOf(t, fanText(true, false, 9, true), "")), 9, 20, true)
		checkForks(t, "thirty forks", looksOf(t, specOf(t, fanText(true, true, 30, true), "")), 30, 63, true)
	})
	t.Run("CON-23 a lead misses its own history after ten parallel reads, and the fourth mark repairs that too", func(t *testing.T) {
		for _, c := range []struct {
			reads  int
			fourth bool
			hit    bool
		}{{9, false, true}, {10, false, false}, {10, true, true}} {
			own := looksOf(t, specOf(t, readsText(c.reads, c.fourth), ""))
			if len(own) != 1 || own[0].back != int32(2*c.reads+1) {
				t.Fatalf("%d reads: %+v", c.reads, own)
			}
			checkLook(t, fmt.Sprintf("%d reads, fourth mark %t", c.reads, c.fourth), own[0], c.hit)
		}
	})
}

// readsText is a lead that reads n files in one answer, a line of text first.
func readsText(n int, fourth bool) string {
	var uses, files []string
	for i := range n {
		files = append(files, fmt.Sprintf("f%d.go: {tokens: 200, class: code}", i))
		uses = append(uses, fmt.Sprintf("{name: Read, input: {file_path: \"f%d.go\"}}", i))
	}
	return fmt.Sprintf(`
agentsim: 1
name: reads
provider: {model: claude-sonnet-4-5-20250929, fourth_mark: %t}
project: {files: {%s}}
script:
  main: {user: Read everything., system: {tokens: 4_000}}
  answers:
    - agent: main
      turns: [{text: All at once., tools: [%s]}, {text: Done.}]
`, fourth, strings.Join(files, ", "), strings.Join(uses, ", "))
}

// checkForks holds the first request of every fork against what it should meet.
func checkForks(t *testing.T, what string, all []looked, forks int, back int32, hit bool) {
	t.Helper()
	n := 0
	for _, x := range all {
		if !strings.Contains(x.lineage, "/") || x.call != 0 {
			continue
		}
		n++
		if x.back != back {
			t.Errorf("%s: %s stands %d positions behind, want %d", what, x.lineage, x.back, back)
		}
		checkLook(t, what+", "+x.lineage, x, hit)
	}
	if n != forks {
		t.Errorf("%s: %d forks looked back", what, n)
	}
}

func checkLook(t *testing.T, what string, x looked, hit bool) {
	t.Helper()
	switch {
	case hit && (x.miss != llm.NotMissed || x.readTo != x.marked):
		t.Errorf("%s: missed (%s), read to %d of %d", what, x.miss, x.readTo, x.marked)
	case !hit && x.miss != llm.MissLookBack:
		t.Errorf("%s: a miss for %q, read to %d of %d", what, x.miss, x.readTo, x.marked)
	}
}
