package oracle

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// bytesAre counts one token to a byte of content.
type bytesAre struct{}

func (bytesAre) At(n *llm.Node) int64  { return n.Cum.Total() }
func (bytesAre) Err(n *llm.Node) int64 { return 0 }

// The blocks that conversations are made of: few, so that they meet.
var (
	contents = []*llm.Payload{
		llm.NewText(llm.Prose, strings.Repeat("a", 400)),
		llm.NewText(llm.Prose, strings.Repeat("b", 400)),
		llm.NewText(llm.Prose, strings.Repeat("c", 30)),
		llm.NewText(llm.Prose, ""),
	}
	profile = &cachemodel.Profile{ID: "test", Minimum: 1024, Tail: 3}
)

// spec is one block by its number: level, kind and content.
type spec struct {
	level   llm.Level
	kind    llm.Kind
	content int
}

// conversation is a list of blocks; its nodes are made anew, by a builder of
// its own, whenever it is sent.
type conversation []spec

func (c conversation) head() *llm.Node {
	var b llm.Builder
	n := b.Root(llm.Scope{Model: "test"}, llm.Salts{})
	for i := range c {
		for n.Level < c[i].level {
			n = b.Border(n, n.Level+1, llm.Salts{})
		}
		role := llm.NoRole
		if c[i].level == llm.Messages {
			role = llm.User
		}
		n = b.Append(n, role, &llm.Block{Kind: c[i].kind, Content: contents[c[i].content]})
	}
	return n
}

// flight is one request, in the engine under test and in the
type flight struct {
	name string
	real *cachemodel.Admission
	slow *Flight
	req  *cachemodel.Request
	head *llm.Node
}

type world struct {
	engine        cachemodel.Engine
	entries       func() int
	slow          *Oracle
	now           vtime.Instant
	conversations []conversation
	waiting       []*flight // admitted
	running       []*flight // begun
	log           []string
	count         int
}

func newWorld(opt cachemodel.AnthropicOptions) *world {
	e := cachemodel.NewAnthropic(opt)
	w := &world{engine: e, entries: e.Entries, slow: &Oracle{Options: opt}}
	w.conversations = []conversation{
		{{llm.System, llm.Text, 0}, {llm.System, llm.Text, 1}, {llm.System, llm.Text, 0}},
		{{llm.Messages, llm.Text, 0}},
	}
	return w
}

func (w *world) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%v ", w.now)+fmt.Sprintf(format, args...))
}

// steps of the clock: around both lifetimes and around nothing.
var steps = []vtime.Duration{0, 0, vtime.Nanosecond, vtime.Second, vtime.Minute, 4 * vtime.Minute, 5*vtime.Minute - 1,
	5 * vtime.Minute, 5*vtime.Minute + 1, 31 * vtime.Minute, 55 * vtime.Minute, vtime.Hour}

func (w *world) wait(t *rapid.T) {
	w.now = w.now.Add(rapid.SampledFrom(steps).Draw(t, "wait"))
}

// write makes a conversation longer, by a few blocks or by about a window.
func (w *world) write(t *rapid.T) {
	i := w.pick(t)
	c := w.conversations[i]
	n := rapid.SampledFrom([]int{1, 1, 2, 3, 9, 10, 18, 19, 20, 21}).Draw(t, "blocks")
	for range n {
		s := spec{level: llm.Messages, kind: llm.Text, content: rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3}).Draw(t, "content")}
		if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
			s.kind = llm.Thinking
		}
		c = append(c[:len(c):len(c)], s)
	}
	w.conversations[i] = c
	w.say("conversation %d is %d blocks longer: %d", i, n, len(c))
}

// fork starts a conversation with the first blocks of another.
func (w *world) fork(t *rapid.T) {
	if len(w.conversations) > 6 {
		return
	}
	c := w.conversations[w.pick(t)]
	n := rapid.IntRange(1, len(c)).Draw(t, "length")
	w.conversations = append(w.conversations, c[:n:n])
	w.say("conversation %d has the first %d blocks of another", len(w.conversations)-1, n)
}

func (w *world) pick(t *rapid.T) int {
	return rapid.IntRange(0, len(w.conversations)-1).Draw(t, "conversation")
}

// send admits a request of the whole conversation or of its beginning.
func (w *world) send(t *rapid.T) {
	if len(w.waiting)+len(w.running) > 6 {
		return
	}
	i := w.pick(t)
	c := w.conversations[i]
	if rapid.IntRange(0, 4).Draw(t, "rewind") == 0 {
		c = c[:rapid.IntRange(1, len(c)).Draw(t, "rewound to")]
	}
	f := &flight{name: fmt.Sprintf("r%d", w.count), head: c.head(), real: &cachemodel.Admission{}}
	w.count++
	f.req = &cachemodel.Request{Request: &llm.Request{Head: f.head, MaxTokens: 1}, Profile: profile, Counts: bytesAre{}}
	w.place(t, f.req)
	f.slow = w.slow.Admit(w.now, f.req)
	err := w.engine.Admit(w.now, f.req, f.real)
	w.say("%s admitted: conversation %d, %d blocks, marks %s: %+v reads to %d, writes to %d", f.name, i, len(c),
		marks(f.req), f.slow.Usage, f.slow.Read, f.slow.Written)
	if (err != nil) != (f.slow.Status != 0) {
		w.fail(t, "%s: refused %v, and the oracle says %d", f.name, err, f.slow.Status)
	}
	if err == nil {
		w.compare(t, f)
		w.waiting = append(w.waiting, f)
	}
	if a, b := w.entries(), w.slow.Entries(); a != b {
		w.fail(t, "%d entries are in memory, %d are alive", a, b)
	}
}

// place draws the request's breakpoints.
func (w *world) place(t *rapid.T, req *cachemodel.Request) {
	ttl := rapid.SampledFrom([]llm.TTL{llm.TTL5m, llm.TTL5m, llm.TTL1h})
	req.Automatic = rapid.IntRange(0, 2).Draw(t, "automatic") == 0
	req.AutoTTL = ttl.Draw(t, "automatic ttl")
	want := rapid.SampledFrom([]int{0, 1, 1, 2, 3, 4, 5}).Draw(t, "marks")
	long := ttl.Draw(t, "first ttl")
	for n := req.Head; n != nil && len(req.Breakpoints) < want; n = n.Parent {
		if n.IsBorder() || n.Block.Kind == llm.Thinking || n.Block.Content.Raw() == "" {
			continue
		}
		if len(req.Breakpoints) > 0 || rapid.IntRange(0, 3).Draw(t, "not the last") == 0 {
			if rapid.IntRange(0, 2).Draw(t, "skip") != 0 {
				continue
			}
		}
		req.Breakpoints = append([]llm.Breakpoint{{Node: n}}, req.Breakpoints...)
	}
	for i := range req.Breakpoints {
		req.Breakpoints[i].TTL = long
		if long == llm.TTL1h && rapid.IntRange(0, 1).Draw(t, "from here on 5m") == 0 {
			long = llm.TTL5m
		}
	}
}

func marks(req *cachemodel.Request) string {
	var s []string
	for _, m := range req.Breakpoints {
		s = append(s, fmt.Sprintf("%d/%v", m.Node.Pos, m.TTL))
	}
	if req.Automatic {
		s = append(s, fmt.Sprintf("auto/%v", req.AutoTTL))
	}
	return strings.Join(s, " ")
}

func (w *world) compare(t *rapid.T, f *flight) {
	var read, written int
	if n := f.real.Report.ReadTo; n != nil {
		read = int(n.Pos)
	}
	if written = read; f.real.Report.WrittenTo != nil {
		written = int(f.real.Report.WrittenTo.Pos)
	}
	if f.real.Usage != f.slow.Usage || read != f.slow.Read || written != f.slow.Written {
		w.fail(t, "%s: %+v reads to %d and writes to %d; the oracle: %+v, %d, %d", f.name,
			f.real.Usage, read, written, f.slow.Usage, f.slow.Read, f.slow.Written)
	}
}

// begin lets a response begin.
func (w *world) begin(t *rapid.T) {
	if len(w.waiting) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.waiting)-1).Draw(t, "which begins")
	f := w.waiting[i]
	w.waiting = append(w.waiting[:i:i], w.waiting[i+1:]...)
	w.running = append(w.running, f)
	w.slow.Begin(w.now, f.slow)
	w.engine.Begin(w.now, f.real)
	w.say("%s begins", f.name)
}

// end lets a request end, well or not.
func (w *world) end(t *rapid.T) {
	all := append(append([]*flight{}, w.waiting...), w.running...)
	if len(all) == 0 {
		return
	}
	i := rapid.IntRange(0, len(all)-1).Draw(t, "which ends")
	f, how := all[i], cachemodel.Completed
	if i < len(w.waiting) {
		how = rapid.SampledFrom([]cachemodel.Ending{cachemodel.Rejected, cachemodel.Aborted, cachemodel.Dropped}).Draw(t, "how")
		w.waiting = append(w.waiting[:i:i], w.waiting[i+1:]...)
	} else {
		how = rapid.SampledFrom([]cachemodel.Ending{cachemodel.Completed, cachemodel.Aborted, cachemodel.Dropped}).Draw(t, "how")
		i -= len(w.waiting)
		w.running = append(w.running[:i:i], w.running[i+1:]...)
	}
	got, want := w.engine.End(w.now, f.real, how, f.head, 7), w.slow.End(f.slow, 7)
	w.say("%s ends: %v", f.name, how)
	if got != want {
		w.fail(t, "%s: billed %+v, and the oracle says %+v", f.name, got, want)
	}
}

func (w *world) fail(t *rapid.T, format string, args ...any) {
	t.Fatalf("%s\n%s", strings.Join(w.log, "\n"), fmt.Sprintf(format, args...))
}
