package crossover

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/memo"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// world is what a generated scenario has beyond the law. Its zero value with
// one sibling and the fourth marker is the idealised one.
type world struct {
	siblings int64
	reading  int64          // turns over which R arrives
	own      bool           // a fork pays for its own blocks
	cold     bool           // the parent's entry expires before the spawn
	fourth   bool           // the fourth marker
	timed    bool           // calls take the time that recorded ones took
	stagger  vtime.Duration // 0: siblings start at one instant
}

// ideal is the world in which run and law agree.
func ideal(siblings int64) world { return world{siblings: siblings, reading: 1, fourth: true} }

// kind is how the children are made.
type kind string

const (
	fork  kind = "fork"
	fresh kind = "fresh"
)

// slowTool is how long the tool before a spawn takes when the parent goes cold;
// an entry lives five minutes.
const slowTool = 6 * vtime.Minute

// notes is a file that every child reads at every turn. It is small: what a
// turn adds is said by the recorded counts.
const notes = "notes.md"

// scenario generates the scenario of one kind of children. own is how many
// tokens stand between the parent's prefix and a fork's task; unknown leaves a
// fork's first prompt uncounted, so that its real blocks are weighed.
func (q *Query) scenario(k kind, w world, own int64) (*scenarios.Scenario, error) {
	s, err := base(k, q.model(k), w)
	if err == nil && q.side(k).hour {
		s.Provider.TTL, s.Provider.SubagentTTL = llm.TTL1h, llm.TTL1h
	}
	if err != nil {
		return nil, err
	}
	s.Scripts = []scenarios.Script{{Agent: "main", Turns: q.lead(k, w)}, {Agent: "main/*", Turns: q.child(k, w, own)}}
	return s, nil
}

// base is a generated scenario without its scripts, read by the loader, so that
// it is what a reader of its text would get.
func base(k kind, model string, w world) (*scenarios.Scenario, error) {
	latency := "instant"
	if w.timed {
		latency = "opus-4-recorded"
	}
	f, err := generated.Get(fmt.Sprintf(baseText, k, k, model, w.fourth, latency), func(text string) (*scenarios.File, error) {
		return scenarios.Parse("generated.yaml", []byte(text))
	})
	if err != nil {
		return nil, err
	}
	s, err := f.Effective("", nil)
	if err != nil {
		return nil, err
	}
	if w.stagger > 0 {
		s.FanOut = scenarios.FanOut{Hold: "first-response", Cap: w.stagger}
	}
	slow := &rng.Span{Lo: int64(slowTool), Hi: int64(slowTool)}
	if w.cold {
		s.Tools.Edit = slow
	}
	s.Tools.Grep = slow // of a child that pauses
	return s, nil
}

// generated are the texts that were read.
var generated memo.Map[string, *scenarios.File]

const baseText = `agentsim: 1
name: crossover-%s
about: generated, to be compared by the bills of its children; %s children of one answer, with sizes as recorded counts
provider: {model: %s, counter: recorded, fourth_mark: %t, hidden_tokens: false, tail_tokens: 0, latency: {profile: %s}}
project: {files: {notes.md: "One line, to be changed."}}
script:
  main: {user: Have the work done.}
  answers: [{agent: main, turns: [{text: Noted.}]}]
lab:
  interactive: true
  gates: {FORK_SUBAGENT: true}
  compaction: {share: 0} # the law knows no summaries
`

// lead is the lead's turns: it spawns its children in one answer, behind P
// tokens, and then hears of their ends. Where the query is of a cold parent a
// tool stands before them, slow or not.
func (q *Query) lead(k kind, w world) []scenarios.Turn {
	said := map[int]int64{-1: q.Prefix}
	if q.Head > 0 && q.Head < q.Prefix {
		said[-2], said[-3] = q.Head, q.Head // user context, system prompt
	}
	var turns []scenarios.Turn
	spawn := scenarios.Turn{Counts: said}
	if q.Spoke {
		spawn = text("Noted.")
		spawn.Counts = said
	}
	if q.Cold {
		turns = append(turns, scenarios.Turn{Counts: said, Tools: []scenarios.ToolTurn{readNotes}})
		spawn.Tools = append(spawn.Tools, use("Edit", `{"file_path":"`+notes+`","old_string":"to be","new_string":"which was"}`))
	}
	task := q.taskText()
	for i := range w.siblings {
		typ := ""
		if k == fresh {
			typ = `,"subagent_type":"general-purpose"`
		}
		spawn.Tools = append(spawn.Tools, use("Agent", fmt.Sprintf(`{"description":"part %02d","prompt":"Part %02d. %s"%s}`, i+1, i+1, task, typ)))
	}
	turns = append(turns, spawn)
	for range w.siblings + 1 {
		turns = append(turns, text("Noted."))
	}
	return turns
}

// child is the turns of each child. A fork's prompt is P and what it says
// itself; a fresh child's is S, the part of R that has arrived, and its task.
func (q *Query) child(k kind, w world, own int64) []scenarios.Turn {
	var turns []scenarios.Turn
	d := q.side(k)
	for i := range d.turns {
		t := scenarios.Turn{Output: &d.output, Tools: []scenarios.ToolTurn{readNotes}}
		if i == d.turns-1 {
			t = text("Scope: one part. Result: done.")
			t.Output = &d.output
		}
		if d.paused(i + 2) {
			t.Tools = []scenarios.ToolTurn{use("Grep", `{"pattern":"line"}`)}
		}
		prompt := d.prefix + d.arrived(q, i+1, w.reading) + q.Task + i*d.growth
		switch {
		case k == fork && own != unknown:
			t.Counts = map[int]int64{-1: prompt + own}
		case k == fresh:
			t.Counts = map[int]int64{-1: prompt}
			if i == 0 {
				t.Counts[-2], t.Counts[-3] = q.Own, q.Own // user context, system prompt
			}
		}
		turns = append(turns, t)
	}
	return turns
}

// unknown asks for a fork's real blocks to be weighed.
const unknown = -1

// arrived is how much of what it reads a child has at turn t, from 1.
func (s *side) arrived(q *Query, t, reading int64) int64 {
	if q.Half > 0 && reading > 1 {
		return s.read * s.part(q.Half, t) / 1000
	}
	n := max(min(reading, s.turns), 1)
	return s.read * min(t, n) / n
}

// part is the share that has arrived at turn t, where half of the turns bring so much of
// it, each as much as the others of its half. Shares are thousandths.
func (s *side) part(half, t int64) int64 {
	past, all := 2*(t-1), s.turns-1
	if past <= all {
		return half * past / max(all, 1)
	}
	return half + (1000-half)*(past-all)/all
}

var readNotes = use("Read", `{"file_path":"`+notes+`"}`)

func use(name, input string) scenarios.ToolTurn { return scenarios.ToolTurn{Name: name, Raw: input} }

func text(s string) scenarios.Turn { return scenarios.Turn{Text: &scenarios.Content{Text: s}} }

// taskText is a text of about Task tokens by the model's counter, frame aside.
func (q *Query) taskText() string {
	counter := tokens.Approx(q.Model)
	var m llm.Measure
	n := 0
	for counter.Tokens(m) < q.Task {
		n++
		m.Bytes[llm.Prose] = uint32(n)
	}
	return strings.Repeat(taskSentence, n/len(taskSentence)+1)[:n]
}

const taskSentence = "Look through the part of the code that is named above and report what you find there. "

// label names a world for messages.
func (w world) label(k kind) string {
	return string(k) + ", " + strconv.FormatInt(w.siblings, 10) + " children"
}
