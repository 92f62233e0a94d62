package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/shell"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// course is how a run went, as far as the bill does not tell it: who was continued after
// a failure, which tests ran, and what sub-agents waited for.
type course struct {
	tests     []string // commands that test the project
	open      map[llm.ToolUseID]string
	ran       map[string]int
	asked     map[string]int // by items
	wanders   bool
	agents    map[int32]*life
	continued []string // lineages
}

// life is what is known of an agent.
type life struct {
	lineage string
	child   bool
	failed  bool
	began   vtime.Instant
	lasted  vtime.Duration // activations that have ended
	idle    vtime.Instant  // since when no call of its own is under way
	asked   map[llm.ToolUseID]vtime.Instant
	allowed map[llm.ToolUseID]vtime.Duration // how long that took
	gap     wait                             // the longest since then
	waits   []wait
}

// wait is time that an agent had no call of its own under way, and what most of it was for.
type wait struct {
	what string
	took vtime.Duration // of what it was for; summed up, of the gaps
}

// newCourse follows a run of a scenario.
func newCourse(sc *scenarios.Scenario) *course {
	c := &course{open: map[llm.ToolUseID]string{}, ran: map[string]int{}, agents: map[int32]*life{}, asked: map[string]int{}, wanders: sc.Model.Wander.Uses.Set}
	for i := range sc.Project.Tests {
		c.tests = append(c.tests, sc.Project.Tests[i].Command)
	}
	for i := range sc.Work {
		for _, words := range sc.Work[i].Runs {
			c.asked[strings.Join(strings.Fields(words), " ")]++
		}
	}
	return c
}

// Emit takes one event in.
func (c *course) Emit(e *transcript.Event) {
	a := c.agents[e.Agent]
	if b, is := e.Body.(*transcript.AgentStart); is {
		c.starts(e, b)
		return
	}
	if a == nil {
		return
	}
	switch b := e.Body.(type) {
	case *transcript.AgentEnd:
		a.failed, a.lasted = b.Status == transcript.EndFailed, a.lasted+e.At.Sub(a.began)
	case *transcript.Request:
		a.waited(e.At)
	case *transcript.Response:
		a.idle, a.gap = e.At, wait{}
		c.calls(b.Head)
	case *transcript.APIError:
		a.idle, a.gap = e.At, wait{"another try after a failed request", 1}
	case *transcript.Permission:
		if from, known := a.asked[b.ID]; known {
			a.allowed[b.ID] = e.At.Sub(from)
			a.longer(b.Tool+" to be allowed", a.allowed[b.ID])
			delete(a.asked, b.ID)
		} else if b.Decision == "ask" {
			a.asked[b.ID] = e.At
		}
	case *transcript.ToolResult:
		c.result(a, b)
	}
}

func (c *course) starts(e *transcript.Event, b *transcript.AgentStart) {
	a := c.agents[e.Agent]
	if a == nil {
		a = &life{lineage: b.Lineage, child: b.Parent >= 0, asked: map[llm.ToolUseID]vtime.Instant{}, allowed: map[llm.ToolUseID]vtime.Duration{}}
		c.agents[e.Agent] = a
	}
	if a.failed {
		c.continued = append(c.continued, a.lineage)
	}
	a.failed, a.began, a.idle, a.gap = false, e.At, e.At, wait{"its start (servers, a process or a link)", 1}
}

// calls notes the commands of an answer.
func (c *course) calls(head *llm.Node) {
	for n := head; n != nil && n.Role == llm.Assistant && n.Block != nil; n = n.Parent {
		var in struct{ Command string }
		if n.Block.Kind == llm.ToolUse && n.Block.Name == "Bash" && json.Unmarshal([]byte(n.Block.Content.Raw()), &in) == nil {
			c.open[n.Block.ID] = in.Command
		}
	}
}

func (c *course) result(a *life, b *transcript.ToolResult) {
	what := b.Name
	if command, known := c.open[b.ID]; known {
		delete(c.open, b.ID)
		var parts []string
		if len(c.tests) > 0 {
			parts = shell.Commands(command)
		}
		if line, _, more := strings.Cut(command, "\n"); more || len(line) > maxCommand {
			command = strings.ToValidUTF8(line[:min(len(line), maxCommand)], "") + "…" // no half of a character
		}
		what = "the command " + command
		for _, part := range parts {
			if b.Took > 0 && slices.Contains(c.tests, part) {
				c.ran[part]++
				what = "the command " + part
			}
		}
	} else if what == "Agent" || what == "Task" {
		what = "a sub-agent of its own"
	}
	a.longer(what, b.Took-a.allowed[b.ID])
	delete(a.allowed, b.ID)
}

// maxCommand is how many bytes of a command are told.
const maxCommand = 60

// longer notes what an agent waits for, if nothing since its last call took longer.
func (a *life) longer(what string, took vtime.Duration) {
	if took > a.gap.took {
		a.gap = wait{what, took}
	}
}

// waited ends what an agent waits for.
func (a *life) waited(now vtime.Instant) {
	if gap := now.Sub(a.idle); a.gap.what != "" && gap > 0 {
		i := slices.IndexFunc(a.waits, func(w wait) bool { return w.what == a.gap.what })
		if i < 0 {
			i, a.waits = len(a.waits), append(a.waits, wait{what: a.gap.what})
		}
		a.waits[i].took += gap
	}
	a.gap = wait{}
}

// A wait is told from this on, where it is half of its agent's time.
const longWait = vtime.Minute

// waited says which sub-agent waited longest, and for what, "" where none waited long.
func (c *course) waited() string {
	text, most := "", longWait-1
	for _, i := range slices.Sorted(maps.Keys(c.agents)) {
		a := c.agents[i]
		if !a.child {
			continue
		}
		for _, w := range a.waits {
			if w.took > most && w.took >= a.lasted/2 {
				text, most = fmt.Sprintf("had %s wait %s of its %s for %s", a.lineage, report.Time(w.took), report.Time(a.lasted), w.what), w.took
			}
		}
	}
	return text
}

// remarked says in lines for each variant who was continued after a failure, how often
// tests ran, where they did otherwise than the work says once or variants differ, and
// which sub-agent waited long.
func remarked(done []executed) (out []report.Remark) {
	for _, x := range done {
		if x.course == nil {
			continue
		}
		var said []string
		if who := x.course.continued; who != nil {
			said = append(said, "continued "+strings.Join(slices.Compact(slices.Sorted(slices.Values(who))), ", ")+", which had failed")
		}
		if ran := testRuns(done, x); ran != "" {
			said = append(said, ran)
		}
		if text := x.course.waited(); text != "" {
			said = append(said, text)
		}
		if said != nil {
			out = append(out, report.Remark{Text: variantOf(x) + " " + strings.Join(said, ", "), Weight: int64(len(said))})
		}
	}
	return out
}

// testRuns says how often a run's tests ran, the one that ran most by name: of the first
// run with as much work where any has other numbers, of those, and of one run alone where
// it ran more than once.
func testRuns(done []executed, x executed) string {
	c := x.course
	most, total := "", 0
	for _, command := range c.tests {
		total += c.ran[command]
		if most == "" || c.ran[command] > c.ran[most] {
			most = command
		}
	}
	first := slices.IndexFunc(done, func(o executed) bool { return o.course != nil && o.Metrics.Items.Total == x.Metrics.Items.Total })
	differs := func(o executed) bool {
		return o.course != nil && o.Metrics.Items.Total == x.Metrics.Items.Total && !maps.Equal(o.course.ran, c.ran)
	}
	others := done[first : first+1]
	if done[first].course == c {
		others = done
	}
	if most == "" || !slices.ContainsFunc(others, differs) && !(len(done) == 1 && c.ran[most] > 1) {
		return ""
	}
	text := "ran " + most + " " + times(c.ran[most])
	if more := total - c.ran[most]; more > 0 {
		text += " and other tests " + times(more)
	}
	return text
}

// otherwise says which tests ran more often than items ask for, or less.
func (c *course) otherwise() (out []string) {
	for _, command := range c.tests {
		n, asked := c.ran[command], c.asked[command]
		if len(c.asked) == 0 || n == asked {
			continue
		}
		text := fmt.Sprintf("%s ran %s, and items ask for %s", command, times(n), ui.Plural(asked, "run"))
		if n > asked && c.wanders {
			text += ": detours and checks of edits run it too (model.wander)"
		}
		out = append(out, text)
	}
	return out
}

func times(n int) string {
	switch n {
	case 0:
		return "not at all"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
