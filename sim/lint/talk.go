package lint

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// notificationTag opens what a client tells an agent of a task.
const notificationTag = "<task-notification>"

// replied looks at the text that comes right after a notification: it is for the
// user, not for whoever sent the notification.
func (j *judge) replied() {
	if !j.holdsContent() {
		j.notJudged(Place{Agent: j.rootName()}, "what was said is not in the record")
		return
	}
	for i := range j.run.Calls {
		c := &j.run.Calls[i]
		if !notified(c) {
			continue
		}
		text := firstText(c.Answer)
		if text == nil {
			continue
		}
		if text.Unknown {
			j.notJudged(j.place(c, text), "what was answered is not in the record")
			continue
		}
		j.sum.Judged++
		if at := thanksWords().FindStringIndex(text.Text); at != nil {
			j.found(j.place(c, text), "", "a notification is addressed as if somebody had spoken", excerptAt(text.Text, at[0], at[1]))
		}
	}
}

// notified reports whether the last thing a request says is a notification.
func notified(c *Call) bool {
	for i := len(c.Said) - 1; i >= 0; i-- {
		if b := &c.Said[i]; b.is(llm.Text) && !strings.HasPrefix(b.Text, "<system-reminder>") {
			return strings.Contains(b.Text, notificationTag)
		}
	}
	return false
}

func firstText(answer []Block) *Block {
	i := slices.IndexFunc(answer, saysText)
	if i < 0 {
		return nil
	}
	return &answer[i]
}

func saysText(b Block) bool { return b.Kind == llm.Text.String() && strings.TrimSpace(b.Text) != "" }

// silence looks, for each root that delegates, at the time between two things
// that its user hears, as far as somebody was at work.
func (j *judge) silence() {
	for i := range j.run.Agents {
		root := int32(i)
		if j.run.Agents[i].Parent >= 0 || !j.delegates(root) {
			continue
		}
		if !j.speaks(root) {
			j.notJudged(Place{Agent: j.name(root)}, "what it said is not in the record")
			continue
		}
		j.listen(root)
	}
}

func (j *judge) delegates(root int32) bool {
	return slices.ContainsFunc(j.orders, func(o *order) bool {
		return o.call.Agent == root || o.to >= 0 && j.run.Agents[o.to].Parent == root
	})
}

// speaks reports whether the record holds what an agent said.
func (j *judge) speaks(agent int32) bool {
	return slices.ContainsFunc(j.run.Calls, func(c Call) bool { return c.Agent == agent && told(c.Answer) })
}

// listen follows what the user hears of one root. A question that waits for its
// answer is heard until then.
func (j *judge) listen(root int32) {
	var from *Call // since it the user has heard nothing
	var heard, busy vtime.Instant
	idle := true // it waits for nothing but the user
	for i := range j.run.Calls {
		c := &j.run.Calls[i]
		if c.Agent != root {
			continue
		}
		if busy = j.workersUntil(root, busy); from == nil || idle && c.From > busy || c.User && !notified(c) {
			if from != nil {
				j.gap(from, heard, min(busy, c.From))
			}
			from, heard = c, c.From
		}
		if toUser(c.Answer) {
			j.gap(from, heard, c.To)
			from, heard = c, c.To
		}
		busy, idle = c.To, len(c.Tools) == 0
		for k := range c.Tools {
			busy = max(busy, c.Tools[k].To)
			if asksUser(c.Tools[k].Name) {
				heard = max(heard, c.Tools[k].To)
			}
		}
	}
	if from != nil {
		j.gap(from, heard, j.workersUntil(root, busy))
	}
}

// gap holds one stretch of silence against the limit.
func (j *judge) gap(from *Call, a, b vtime.Instant) {
	j.sum.Judged++
	if d := b.Sub(a); d > j.opt.Silence {
		p := j.place(from, nil)
		p.At = a
		j.found(p, "", "the user hears nothing from "+clock(a)+" to "+clock(b)+", "+whole(d)+" against "+whole(j.opt.Silence), "")
	}
}

// toUser reports whether an answer says something to the user: text, a question,
// a plan to be approved.
func toUser(answer []Block) bool {
	return slices.ContainsFunc(answer, func(b Block) bool {
		return saysText(b) || b.Kind == llm.ToolUse.String() && asksUser(b.Name)
	})
}

// asksUser reports whether a tool puts something to the user and waits.
func asksUser(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }

// workersUntil is until when somebody below a root is at work without a break
// from an instant on: the instant itself when nobody is.
func (j *judge) workersUntil(root int32, from vtime.Instant) vtime.Instant {
	for i := range j.run.Agents {
		if a := &j.run.Agents[i]; j.below(int32(i), root) {
			for _, s := range a.Spans {
				if s.From <= from && s.To > from {
					from = s.To
				}
			}
		}
	}
	return from
}

// below reports whether an agent descends from another.
func (j *judge) below(agent, ancestor int32) bool {
	for a := j.run.Agents[agent].Parent; a >= 0; a = j.run.Agents[a].Parent {
		if a == ancestor {
			return true
		}
	}
	return false
}

// clock is an instant of the run, whole is a duration, both in whole seconds.
func clock(t vtime.Instant) string { return whole(t.Sub(0)) }

func whole(d vtime.Duration) string {
	s := int64(d) / int64(vtime.Second)
	switch {
	case s >= 3600:
		return fmt.Sprintf("%dh%02dm%02ds", s/3600, s/60%60, s%60)
	case s >= 60:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%ds", s)
}

func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
