package script

import (
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/memo"
	"agentsim/sim/rng"
)

// Filler makes text of a declared size: the beginning of one fixed text per
// class, so that equal sizes are equal bytes and share one payload. It belongs
// to one run.
type Filler struct {
	counter tokens.Counter
	texts   [llm.NumClasses]*llm.Payload // grown by repetition where a size asks for it
	cache   map[fillerKey]*llm.Payload   // by bytes
	sized   map[fillerKey]*llm.Payload   // by tokens
}

type fillerKey struct {
	class llm.Class
	size  int
}

// NewFiller makes a filler whose sizes are what counter says.
func NewFiller(counter tokens.Counter) *Filler {
	return &Filler{counter: counter, texts: [llm.NumClasses]*llm.Payload{llm.Prose: fixed(llm.Prose, 1), llm.Code: fixed(llm.Code, 1), llm.JSON: fixed(llm.JSON, 1)},
		cache: map[fillerKey]*llm.Payload{}, sized: map[fillerKey]*llm.Payload{}}
}

// Text is filler of n tokens, frame aside, n ≥ 0. Classes other than Prose, Code
// and JSON are taken for Prose.
func (f *Filler) Text(class llm.Class, n int64) *llm.Payload {
	key := fillerKey{known(class), int(max(n, 0))}
	p := f.sized[key]
	if p == nil {
		p = f.Bytes(key.class, f.size(key.class, n))
		f.sized[key] = p
	}
	return p
}

// Tokens is what the filler's counter says of content, frames aside unless the
// measure has some.
func (f *Filler) Tokens(m llm.Measure) int64 { return f.counter.Tokens(m) }

// String is Text's content.
func (f *Filler) String(class llm.Class, n int64) string { return f.Text(class, n).Raw() }

// Raw is Text's content where no payload of it is wanted.
func (f *Filler) Raw(class llm.Class, n int64) string {
	class = known(class)
	return f.prefix(class, f.size(class, max(n, 0)))
}

// Behind is a text and filler of n tokens behind it, which nobody keeps.
func (f *Filler) Behind(text string, n int64) *llm.Payload {
	return llm.Joined(llm.NewText(llm.Prose, text), f.first(llm.Prose, f.size(llm.Prose, max(n, 0))))
}

// Bytes is filler of n bytes, n ≥ 0.
func (f *Filler) Bytes(class llm.Class, n int) *llm.Payload {
	key := fillerKey{known(class), max(n, 0)}
	p := f.cache[key]
	if p == nil {
		p = f.first(key.class, key.size)
		f.cache[key] = p
	}
	return p
}

func known(c llm.Class) llm.Class {
	if c == llm.Code || c == llm.JSON {
		return c
	}
	return llm.Prose
}

// size is the number of bytes of the class that make n tokens: the smallest
// that the counter takes for n. The fixed texts hold neither digits nor CJK.
func (f *Filler) size(class llm.Class, n int64) int {
	return fewest(func(size int) bool {
		var m llm.Measure
		m.Bytes[class] = uint32(size)
		return f.counter.Tokens(m) >= n
	})
}

// Missing is the fewest bytes of prose that bring a measure to n tokens.
func (f *Filler) Missing(m llm.Measure, n int64) int {
	have := m.Bytes[llm.Prose]
	return fewest(func(more int) bool {
		m.Bytes[llm.Prose] = have + uint32(more)
		return f.counter.Tokens(m) >= n
	})
}

// Whole is the least prose with which something of it, in JSON, measures n tokens. That
// is looked for from where it would be if each byte of prose were one of the whole.
func (f *Filler) Whole(n int64, of func(text string) llm.Measure) string {
	enough := func(size int) bool { return f.counter.Tokens(of(f.prefix(llm.Prose, size))) >= n }
	most := 0
	for range 2 { // the first time it is not known what stands around the prose
		m := of(f.prefix(llm.Prose, most))
		had := m.Bytes[llm.JSON]
		most = max(0, most-int(had)+fewest(func(size int) bool {
			m.Bytes[llm.JSON] = uint32(size)
			return f.counter.Tokens(m) >= n
		}))
	}
	least := most
	for step := 1; most < math.MaxInt32/2 && !enough(most); step *= 2 {
		least, most = most+1, most+step
	}
	for step := 1; least > 0 && enough(least-1); step *= 2 {
		most, least = least-1, max(least-step, 0)
	}
	return f.prefix(llm.Prose, least+sort.Search(most-least, func(more int) bool { return enough(least + more) }))
}

// fewest is the smallest number that is enough, which all above it are too. It is
// mostly far below the largest.
func fewest(enough func(int) bool) int {
	most := 1
	for most <= math.MaxInt32/2 && !enough(most) {
		most *= 2
	}
	return sort.Search(most, enough)
}

// prefix is the beginning of a class's text.
func (f *Filler) prefix(class llm.Class, n int) string {
	for times := 2; len(f.texts[class].Raw()) < n; times *= 2 {
		f.texts[class] = fixed(class, times)
	}
	return f.texts[class].Raw()[:n]
}

// first is prefix as a payload, without escaping it anew.
func (f *Filler) first(class llm.Class, n int) *llm.Payload {
	raw, esc := f.prefix(class, n), n
	for _, c := range []string{"\n", "\t", `"`, `\`} { // all that its texts hold
		esc += strings.Count(raw, c)
	}
	return f.texts[class].First(n, esc)
}

// Content is a scenario's content as payloads, one for each block it asks for;
// key draws its size. Nil content is no payload.
func (f *Filler) Content(c *scenarios.Content, key rng.Key) []*llm.Payload {
	if c == nil {
		return nil
	}
	n := max(c.Blocks, 1)
	out := make([]*llm.Payload, 0, n)
	class := classOf(c.Class)
	switch {
	case c.Text != "":
		for _, part := range split(c.Text, n) {
			out = append(out, llm.NewText(class, part))
		}
	case c.Bytes > 0:
		for i := range n {
			out = append(out, f.Bytes(class, share(c.Bytes, n, i)))
		}
	default:
		total := Draw(c.Tokens, key, 0)
		for i := range n {
			out = append(out, f.Text(class, int64(share(int(total), n, i))))
		}
	}
	return out
}

// Draw is the size's number: its constant, or one drawn by the key; def where
// none is set.
func Draw(s scenarios.Size, key rng.Key, def int64) int64 {
	switch {
	case !s.Set:
		return def
	case s.Dist != nil:
		return s.Dist.Draw(key)
	case s.Lo == s.Hi:
		return s.Lo
	}
	return key.Between(s.Lo, s.Hi)
}

func classOf(name string) llm.Class {
	switch name {
	case "code":
		return llm.Code
	case "json":
		return llm.JSON
	}
	return llm.Prose
}

// share is part i of total split into n: equal parts, the first ones one more.
func share(total, n, i int) int {
	part := total / n
	if i < total%n {
		part++
	}
	return part
}

// split cuts s into at most n parts of about equal length, between characters.
func split(s string, n int) []string {
	var out []string
	total := len(s)
	for i := 0; i < n-1; i++ {
		cut := min(share(total, n, i), len(s))
		for cut < len(s) && !utf8.RuneStart(s[cut]) {
			cut++
		}
		if cut > 0 && cut < len(s) {
			out, s = append(out, s[:cut]), s[cut:]
		}
	}
	return append(out, s)
}

// The fixed texts, of some 30 to 60 kilobytes each, made of our own sentences.
var (
	grown     memo.Map[fillerKey, *llm.Payload] // by how often they are repeated
	proseText = memo.Once(func() string { return weave(sentences, " ") })
	codeText  = memo.Once(func() string { return weave(lines, "\n") })
	jsonText  = memo.Once(func() string { return weave(members, ", ") })
)

// weave strings the pieces together in 24 orders, so that the text does not
// repeat itself within the sizes that scenarios usually ask for.
// fixed is the text of a class, repeated.
func fixed(class llm.Class, times int) *llm.Payload {
	p, _ := grown.Get(fillerKey{class, times}, func(fillerKey) (*llm.Payload, error) {
		if times%2 == 0 {
			half := fixed(class, times/2)
			return llm.Joined(half, half), nil
		}
		text := map[llm.Class]func() string{llm.Prose: proseText, llm.Code: codeText, llm.JSON: jsonText}[class]()
		return llm.NewText(class, strings.Repeat(text, times)), nil
	})
	return p
}

func weave(pieces []string, sep string) string {
	var b strings.Builder
	order := make([]int, len(pieces))
	for round := range 24 {
		rng.Root(uint64(round)).Sub("filler").Perm(order)
		for _, i := range order {
			b.WriteString(pieces[i])
			b.WriteString(sep)
		}
	}
	return b.String()
}

var sentences = []string{
	"The request enters through the handler and is checked before anything is stored.",
	"Each record carries the name of its owner, and nobody else may change it.",
	"A second attempt with the same key must find the first one's outcome.",
	"The queue is drained in the order of arrival unless a message is marked urgent.",
	"Where the old path is still used, a warning is written and the new one is taken.",
	"Readers see the last state that was committed, never one that is half written.",
	"The limit is counted for each account and starts anew with every window.",
	"When the upstream service is slow, callers are told to come back later.",
	"Errors are wrapped with the name of the step in which they arose.",
	"The cache is filled on the first miss and dropped as soon as its source changes.",
	"Two writers never hold the lock at once, and a reader never waits for another.",
	"Fields that are not known are refused, so that a typing error cannot hide.",
	"The test covers the empty list, one entry, and a list longer than a page.",
	"Nothing depends on the order in which the workers finish.",
	"The index is rebuilt in the background while queries go on against the old one.",
	"A timeout counts as a failure only after the retry has failed as well.",
	"Dates are kept in one zone and shown in the zone of whoever looks.",
	"The migration adds the column first and fills it in small batches.",
	"What was removed stays in the log for as long as the contract asks.",
	"Every public function says what it returns when there is nothing to return.",
	"The parser reports the line and the column, and goes on to the next entry.",
	"Connections are returned to the pool even if the caller has given up.",
	"The amount is kept in the smallest unit, so that no fraction is ever lost.",
	"A change of the schema needs a new version and a reader for the old one.",
	"The summary names the files that were looked at and what was left out.",
	"Permissions are looked up once per request and travel with its context.",
	"The worker holds its lease until it has written the result.",
	"If both sides changed the entry, the later one wins and the other is reported.",
	"The page is rendered from a snapshot, which is thrown away afterwards.",
	"Large uploads are cut into parts whose order does not matter.",
}

var lines = []string{
	"func (s *store) find(key string) (entry, bool) {", "	if key == \"\" {", "		return entry{}, false", "	}",
	"	item, ok := s.items[key]", "	return item, ok", "}", "", "// next moves to the following page and reports whether there is one.",
	"func (c *cursor) next() bool {", "	c.offset += len(c.page)", "	return c.offset < c.total", "}",
	"for _, row := range rows {", "	if err := check(row); err != nil {", "		return fmt.Errorf(\"row %s: %w\", row.name, err)",
	"	total += row.amount", "type account struct {", "	owner   string", "	balance int", "	open    bool", "return nil",
	"switch state {", "case waiting:", "	queue.push(job)", "case running:", "	job.touch(now)", "default:", "	report(job)",
	"var errClosed = errors.New(\"store is closed\")", "defer unlock(key)", "limit := min(size, remaining)",
}

var members = []string{
	`"name": "orders"`, `"state": "open"`, `"owner": "team-a"`, `"retry": true`, `"tags": ["new", "slow"]`,
	`"path": "internal/orders"`, `"kind": "service"`, `"region": "north"`, `"nested": {"left": "a", "right": "b"}`,
	`"enabled": false`, `"note": "checked by hand"`, `"parent": null`, `"mode": "strict"`, `"unit": "piece"`,
}
