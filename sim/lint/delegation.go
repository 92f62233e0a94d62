package lint

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/vtime"
)

// order is one prompt that an agent gave to another: by a tool that spawns a
// worker, or by a message to one that is there.
type order struct {
	call    *Call
	block   *Block // the tool use
	use     *ToolUse
	to      int32 // ordinal of the worker; -1 when the record does not tell
	again   bool  // a message to a worker that is there
	prompt  string
	about   string // the description, a few words
	model   string
	span    Span // in which the worker was at it
	items   []*Item
	role    role
	unknown bool // the prompt is not in the record
}

// role is what a worker is asked for.
type role uint8

const (
	noRole role = iota
	researching
	implementing
	verifying
)

var roleOf = map[string]role{"research": researching, "implement": implementing, "verify": verifying}

// orderInput are the fields of the tools that give orders, of every stack and
// client.
type orderInput struct {
	Prompt, Message, Task, Description, Model, To string
}

// orders lists what was delegated, in the order of the calls.
func (j *judge) findOrders() {
	for i := range j.run.Calls {
		c := &j.run.Calls[i]
		for k := range c.Answer {
			b := &c.Answer[k]
			if !b.is(llm.ToolUse) {
				continue
			}
			switch b.Name {
			case "Agent", "Task", "agent", "SendMessage":
				j.orders = append(j.orders, j.order(c, b))
			}
		}
	}
	j.findUnknown()
	for _, o := range j.orders {
		j.classify(o)
	}
}

// order reads one.
func (j *judge) order(c *Call, b *Block) *order {
	o := &order{call: c, block: b, use: useOf(c, b), to: -1, again: b.Name == "SendMessage"}
	var in orderInput
	if json.Unmarshal([]byte(b.Text), &in) != nil {
		o.unknown = true
	}
	o.prompt, o.about, o.model = in.Prompt+in.Message+in.Task, in.Description, in.Model
	o.to, o.span = j.worker(o, in.To)
	return o
}

// worker finds who was spawned or called by a tool use, and the activation in
// which it heard it. Without either the time is what the tool took.
func (j *judge) worker(o *order, name string) (int32, Span) {
	for i := range j.run.Agents {
		for _, s := range j.run.Agents[i].Spans {
			if s.ToolUse != "" && s.ToolUse == o.block.ToolUse {
				return int32(i), s.Span
			}
		}
	}
	from := o.call.To
	if name != "" {
		for i := range j.run.Agents {
			if j.run.Agents[i].ID == name {
				return int32(i), j.activeFrom(int32(i), from)
			}
		}
	}
	if o.use != nil {
		return -1, o.use.Span
	}
	return -1, Span{from, from}
}

// activeFrom is what is left of an agent's activation at an instant, or else the
// next one.
func (j *judge) activeFrom(agent int32, from vtime.Instant) Span {
	for _, s := range j.run.Agents[agent].Spans {
		if s.To > from {
			return Span{max(s.From, from), s.To}
		}
	}
	return Span{from, from}
}

// findUnknown adds the workers whose spawning tool use is not on record.
func (j *judge) findUnknown() {
	known := map[int32]bool{}
	for _, o := range j.orders {
		known[o.to] = true
	}
	for i := range j.run.Agents {
		a := &j.run.Agents[i]
		if a.Parent < 0 || known[int32(i)] || a.Structure == "fork" {
			continue
		}
		if k := slices.IndexFunc(j.run.Calls, func(c Call) bool { return c.Agent == int32(i) }); k >= 0 {
			j.orders = append(j.orders, j.orderOf(int32(i), &j.run.Calls[k]))
		}
	}
}

// orderOf is what a worker was told as its own first request has it.
func (j *judge) orderOf(worker int32, c *Call) *order {
	o := &order{call: c, to: worker, unknown: true, span: Span{c.From, c.From}}
	if spans := j.run.Agents[worker].Spans; len(spans) > 0 {
		o.span = spans[0].Span
	}
	for i := range c.Said {
		b := &c.Said[i]
		if b.is(llm.Text) && !strings.HasPrefix(b.Text, "<system-reminder>") {
			o.block, o.prompt, o.unknown = b, b.Text, false
		}
	}
	return o
}

// classify says what a worker is asked for: by its type where that verifies, by the
// items of the work where there are some, else by words.
func (j *judge) classify(o *order) {
	j.classifyAsked(o)
	if o.to >= 0 && j.run.Agents[o.to].Type == verifierType {
		o.role = verifying
	}
}

func (j *judge) classifyAsked(o *order) {
	if w := j.run.Work; w != nil {
		w.Marks.Scan(o.prompt, func(m mark.Mark) {
			if m.Verb == mark.Do && w.item(m.Args[0]) != nil {
				o.items = append(o.items, w.item(m.Args[0]))
			}
		})
		for _, it := range o.items {
			o.role = max(o.role, roleOf[it.Kind])
		}
		return
	}
	o.role = j.roleByWords(o)
}

// verifierType is the built-in type of agents that verify.
const verifierType = "verification"

// roleByWords goes by the description and the first sentences. A verification is
// of work: there is none before anybody wrote a file.
func (j *judge) roleByWords(o *order) role {
	opening := o.about + ". " + o.prompt[:min(len(o.prompt), openingBytes)]
	switch {
	case verifyWords().MatchString(opening) && !reviewWords().MatchString(opening) && j.wroteBefore(o.call.To):
		return verifying
	case implementWords().MatchString(o.about) || implementWords().MatchString(o.prompt):
		return implementing
	}
	return researching
}

// openingBytes is how much of a prompt tells what is asked for.
const openingBytes = 300

// wroteBefore reports whether any file was written before an instant.
func (j *judge) wroteBefore(t vtime.Instant) bool {
	return slices.ContainsFunc(j.writes, func(w write) bool { return !w.tried && w.at < t })
}

// fresh reports whether the worker starts with an empty conversation: neither a
// fork nor one that is spoken to again.
func (j *judge) fresh(o *order) bool {
	return !o.again && (o.to < 0 || j.run.Agents[o.to].Structure != "fork")
}
