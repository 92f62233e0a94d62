package toscenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/vtime"
)

// Otherwise says by whom the work of a session's children is done instead.
type Otherwise struct {
	Structure scenarios.Structure // inline, subagent, fork or coordinator
	// Shares are thousandths: of what children read, what their parents had read
	// before; of their calls, those that whoever knows that need not make.
	Overlap, Spares int64
	Thinks          int64  // output of each call of a fork, beside what the child answered
	Task            int64  // tokens of a child's first prompt that say what is to be done
	Adds            int64  // tokens of a fork's first prompt beside its parent's; 0: the parent's answer and Task
	Head            int64  // tokens in front of what a fresh sub-agent is told, of which the recording has none
	Model           string // of children that have one of their own; "" for the recorded one
}

// As is the session with its children's work done otherwise. Of a thread that is
// another one then, what was told of the server and of the client (misses, hidden
// requests, warm heads) falls away: fell lists it. left lists the threads that stay
// as they were, with the reason.
func (t *Told) As(o Otherwise) (out *Told, fell, left []string) {
	c := &changing{Told: &Told{Model: t.Model, TTL: t.TTL, Ends: t.Ends}, o: o, gone: map[string]bool{}}
	for i := range t.Threads {
		th := t.Threads[i]
		th.Calls = slices.Clone(th.Calls)
		c.Threads = append(c.Threads, th)
	}
	for i := len(c.Threads) - 1; i >= 0; i-- { // those that children started come behind them
		c.thread(&c.Threads[i])
	}
	c.Threads = slices.DeleteFunc(c.Threads, func(x scenarios.RecordedThread) bool { return c.gone[x.Thread] })
	slices.Reverse(c.fell)
	slices.Reverse(c.left)
	return c.Told, c.fell, c.left
}

// changing is a session on its way to another structure.
type changing struct {
	*Told
	o          Otherwise
	gone       map[string]bool // threads whose calls their parents make
	fell, left []string
}

// spawner is the call whose answer started a thread, or that a fork goes on from.
func (c *changing) spawner(t *scenarios.RecordedThread) (of *scenarios.RecordedThread, call int) {
	name := t.Thread
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		step, _, _ := strings.Cut(name[i+1:], ".")
		call, _ = strconv.Atoi(step)
		name = name[:i]
	} else if from, n, ok := t.Calls[0].Origin(); ok && from != "" {
		name, call = from, n
	} else {
		return nil, 0
	}
	i := slices.IndexFunc(c.Threads, func(x scenarios.RecordedThread) bool { return x.Thread == name })
	if i < 0 || call < 1 || call > len(c.Threads[i].Calls) {
		return nil, 0
	}
	return &c.Threads[i], call - 1
}

// thread changes one thread, if it is a child of another structure.
func (c *changing) thread(t *scenarios.RecordedThread) {
	by, call := c.spawner(t)
	switch {
	case t.Type == "" || t.Type == "compact":
		return
	case by == nil:
		c.left = append(c.left, t.Thread+": which answer started it is not told")
		return
	}
	isFork := strings.Contains(t.Calls[0].From, " ")
	if isFork == (c.o.Structure == scenarios.Fork) && c.o.Structure != scenarios.Inline {
		c.own(t, isFork)
		if c.o.Structure == scenarios.Coordinated && !t.Background {
			c.wake(t, by)
		}
		return
	}
	for _, x := range t.Calls[1:] {
		if x.From != "" {
			c.left = append(c.left, t.Thread+": its conversation begins anew, and what it would have kept is not known")
			return
		}
	}
	c.forget(t)
	grown := c.grown(t, isFork)
	switch c.o.Structure {
	case scenarios.Fork:
		c.fork(t, by, call, grown)
	case scenarios.Inline:
		c.inline(t, by, grown)
	default:
		c.fresh(t, grown)
	}
}

// own gives a fresh sub-agent that stays one the model that is asked for.
func (c *changing) own(t *scenarios.RecordedThread, isFork bool) {
	if isFork || c.o.Model == "" {
		return
	}
	for i := range t.Calls {
		t.Calls[i].Model = ""
	}
	t.Calls[0].Model = c.o.Model
}

// forget takes away what is told of the server and the client.
func (c *changing) forget(t *scenarios.RecordedThread) {
	var misses, hidden, warm int
	for i := range t.Calls {
		x := &t.Calls[i]
		misses, hidden, warm = misses+one(x.Miss != nil), hidden+one(x.Hidden != nil), warm+one(x.Warm)
		x.Miss, x.Hidden, x.Left, x.Warm, x.Model, x.TTL = nil, nil, 0, false, "", nil
	}
	c.falls(t, misses, hidden, warm)
}

// falls lists what was told of a thread and no longer is.
func (c *changing) falls(t *scenarios.RecordedThread, misses, hidden, warm int) {
	if misses+hidden+warm > 0 {
		c.fell = append(c.fell, fmt.Sprintf("%s: misses %d, hidden requests %d, warm heads %d", t.Thread, misses, hidden, warm))
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// grown are the calls that are left of a thread's, and how many tokens each adds to the
// conversation: the answers before it, and of what was read the part that is not known.
func (c *changing) grown(t *scenarios.RecordedThread, isFork bool) (adds []int64) {
	o, knows := &c.o, c.o.Structure == scenarios.Fork || c.o.Structure == scenarios.Inline
	spares := o.Spares
	if !knows || slices.ContainsFunc(c.Threads, func(x scenarios.RecordedThread) bool { return strings.HasPrefix(x.Thread, t.Thread+"/") }) {
		spares = 0 // calls that started others stay
	}
	n, read := len(t.Calls), int64(0)
	between := max(n-2, 1)                             // the first call and the report stay
	drop := min((n*int(spares)+500)/1000, max(n-2, 0)) // evenly
	kept := t.Calls[:0:0]                              // of a fork each answers so much more or less that the mean is the child's, and what it thinks
	for i := range n {
		x := t.Calls[i]
		if i > 0 {
			before := &t.Calls[i-1]
			read += max(x.Prompt-before.Prompt-before.Output, 0)
		}
		if i > 0 && i < n-1 && i*drop/between != (i-1)*drop/between {
			continue
		}
		add := c.needed(read, knows, isFork)
		if len(kept) > 0 {
			add += kept[len(kept)-1].Output
		}
		kept, adds, read = append(kept, x), append(adds, add), 0
	}
	if o.Structure == scenarios.Fork {
		more := o.Thinks + output(t.Calls) - output(kept)
		for i := range kept {
			was := kept[i].Output
			if kept[i].Output = max(was+more, 0); i+1 < len(kept) {
				adds[i+1] += kept[i].Output - was
			}
		}
	}
	t.Calls = kept
	return adds
}

// output is what calls answer in the mean.
func output(calls []scenarios.RecordedCall) (mean int64) {
	for i := range calls {
		mean += calls[i].Output
	}
	return mean / int64(len(calls))
}

// needed is how much of what was read must be read otherwise.
func (c *changing) needed(read int64, knows, isFork bool) int64 {
	switch {
	case knows && !isFork:
		return read * (1000 - c.o.Overlap) / 1000
	case !knows && isFork && c.o.Overlap < 1000:
		return read * 1000 / (1000 - c.o.Overlap)
	}
	return read
}

// fork lets a child go on from its spawner's conversation, with its model and lifetime.
func (c *changing) fork(t, by *scenarios.RecordedThread, call int, adds []int64) {
	from := &by.Calls[call]
	t.Calls[0].From = by.Thread + " " + strconv.Itoa(call+1)
	t.Head = 0
	prompt := from.Prompt + from.Input + from.Output + c.o.Task
	if c.o.Adds > 0 {
		prompt = from.Prompt + from.Input + c.o.Adds
	}
	for i := range t.Calls {
		x := &t.Calls[i]
		prompt += adds[i]
		x.Prompt, x.TTL = prompt, from.TTL
	}
}

// fresh lets a fork begin with a head and a task of its own.
func (c *changing) fresh(t *scenarios.RecordedThread, adds []int64) {
	t.Calls[0].From, t.Calls[0].Model, t.Head = "", c.o.Model, c.o.Head
	prompt := c.o.Head + c.o.Task
	for i := range t.Calls {
		prompt += adds[i]
		t.Calls[i].Prompt = prompt
	}
}

// inline lets the parent make a child's calls, each at its instant or when the one
// before has ended.
func (c *changing) inline(t, by *scenarios.RecordedThread, adds []int64) {
	t.Calls[0].From = ""
	c.gone[t.Thread] = true
	c.merge(by, t.Calls, adds)
}

// wake lets a parent that waited for a child end its turn, and go on when the child
// reports.
func (c *changing) wake(t, by *scenarios.RecordedThread) {
	last := t.Calls[len(t.Calls)-1]
	t.Background = true
	c.merge(by, []scenarios.RecordedCall{{At: last.At + last.Took, Took: vtime.Second, Output: WakeOutput}}, []int64{c.o.Task})
}

// WakeOutput is what a lead answers to a report when it waits for more, in tokens.
const WakeOutput = 100

// merge puts calls among those of a thread, with what each adds to its conversation.
func (c *changing) merge(by *scenarios.RecordedThread, calls []scenarios.RecordedCall, adds []int64) {
	type step struct {
		call scenarios.RecordedCall
		add  int64
		was  int // the thread's number for it, from 1; 0 for a new one
	}
	var steps []step
	for i, x := range by.Calls {
		add := x.Prompt
		if i > 0 {
			add -= by.Calls[i-1].Prompt
		}
		steps = append(steps, step{x, add, i + 1})
	}
	for i, x := range calls {
		steps = append(steps, step{x, adds[i], 0})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.call.At, b.call.At) })
	number, prompt, was := map[int]int{}, int64(0), prompts(by)
	gained := make([]int64, len(was))
	by.Calls = nil
	for i, s := range steps {
		prompt += s.add
		switch thread, from, ok := s.call.Origin(); {
		case ok && from > 0 && (thread == "" || thread == by.Thread):
			prompt = s.call.Prompt + gained[from-1]
		case ok:
			prompt = s.call.Prompt
		}
		if number[s.was] = i + 1; s.was > 0 {
			gained[s.was-1] = prompt - s.call.Prompt
			s.call.Miss = moved(s.call.Miss, was[:s.was-1], gained)
			s.call.Left = 0 // the hidden request reads what the call before left
		}
		s.call.Prompt = prompt
		by.Calls = append(by.Calls, s.call)
	}
	c.grow(by.Thread, was, gained)
	c.renumber(by.Thread, number)
}

func prompts(t *scenarios.RecordedThread) (out []int64) {
	for i := range t.Calls {
		out = append(out, t.Calls[i].Prompt)
	}
	return out
}

// moved is up to where a request missed, in tokens, in a conversation whose calls
// gained some: the end of an earlier prompt moves with it, any other place is a head's.
func moved(miss *int64, was, gained []int64) *int64 {
	for j := len(was) - 1; j >= 0 && miss != nil; j-- {
		if was[j] == *miss {
			to := was[j] + gained[j]
			return &to
		}
	}
	return miss
}

// grow adds to the calls of other threads what the calls that they go on from gained,
// by these calls' numbers and prompts as they were.
func (c *changing) grow(name string, was, gained []int64) {
	for i := range c.Threads {
		t := &c.Threads[i]
		own, more, sum, found := prompts(t), make([]int64, len(t.Calls)), int64(0), false
		for j := range t.Calls {
			switch thread, from, ok := t.Calls[j].Origin(); {
			case ok && from > 0 && thread == name && t.Thread != name:
				sum, found = gained[from-1], true
				t.Calls[j].Miss = moved(t.Calls[j].Miss, was[:from], gained)
			case ok && from > 0 && thread == "":
				sum = more[from-1]
			case ok: // anew, or from a thread that is as it was
				sum = 0
			}
			more[j] = sum
			t.Calls[j].Prompt += sum
			if found {
				t.Calls[j].Miss = moved(t.Calls[j].Miss, own[:j], more)
			}
		}
		if found {
			c.grow(t.Thread, own, more)
		}
	}
}

// renumber names calls of a thread by their new numbers, wherever they are named.
func (c *changing) renumber(name string, number map[int]int) {
	for i := range c.Threads {
		t := &c.Threads[i]
		for j := range t.Calls {
			x := &t.Calls[j]
			if thread, call, ok := x.Origin(); ok && call > 0 && (thread == name || thread == "" && t.Thread == name) {
				x.From = strings.TrimSpace(thread + " " + strconv.Itoa(number[call]))
			}
		}
		rest, child := strings.CutPrefix(t.Thread, name+"/")
		if step, more, ok := strings.Cut(rest, "."); child && ok {
			call, _ := strconv.Atoi(step)
			t.Thread = fmt.Sprintf("%s/%d.%s", name, number[call], more)
		}
	}
}
