// Package diff is the command that holds two requests or runs against each other,
// block by block.
package diff

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/wire"

	"github.com/spf13/cobra"
)

// options are the flags.
type options struct {
	db     string
	output string
	strict bool
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "diff REQUEST REQUEST",
		Short: "say where two requests stop being one prefix",
		Long: `Compares two requests block by block, as a prompt cache does, and names the first block and byte in which they differ. A
REQUEST is a recorded call, RUN:CALL with the beginning of a run's id and the call's number, or a JSON file with the body
of a request to the Messages API. Where the first is an earlier one, what the second does not begin with is lost. Marks
(cache_control) are no part of a prompt: those that differ are listed by block, with their TTL.`,
		Example: `  agentsim lab diff 9c1e:1 9c1e:2
  agentsim lab diff before.json after.json`,
		Args: ui.Exactly(2, "two requests"),
		RunE: func(_ *cobra.Command, args []string) error { return diff(s, o, args[0], args[1]) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.BoolVar(&o.strict, "strict", false, "refuse a file with keys, blocks or betas that the API does not have")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// prompt is a request as it is compared.
type prompt struct {
	name  string // as given
	from  string // who sent it, of a recorded call
	model string
	head  *llm.Node
	body  *wire.Body
	rest  map[string]string // what stands beside tools, system and messages, as JSON
	notes []string          // what was not read as part of the prompt
	marks []mark            // on blocks, in order
}

func diff(s *ui.Env, o *options, first, second string) error {
	var p [2]*prompt
	for i, name := range [2]string{first, second} {
		var err error
		if p[i], err = readPrompt(o, name); err != nil {
			return err
		}
	}
	if o.strict && p[0].from != "" && p[1].from != "" {
		return ui.Failf(ui.Usage, "--strict: it is about files, and both requests are recorded calls")
	}
	return s.Print(o.output, difference(p[0], p[1]))
}

// readPrompt reads RUN:CALL or a file.
func readPrompt(o *options, name string) (*prompt, error) {
	run, call, ok := strings.Cut(name, ":")
	n, err := strconv.ParseInt(call, 10, 64)
	if ok && err == nil && run != "" {
		return recordedPrompt(o.db, name, run, n)
	}
	data, err := hostdir.Text(name, wire.MaxBytes)
	if err != nil {
		return nil, ui.Failf(ui.Operating, "%s: %w; a request is RUN:CALL or a JSON file", name, err)
	}
	return filePrompt(name, data, o.strict)
}

func recordedPrompt(path, name, run string, n int64) (*prompt, error) {
	db, err := rundb.Open(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	info, err := rundb.Find(db, run)
	if err != nil {
		return nil, err
	}
	if err := rundb.NeedsContent(info); err != nil {
		return nil, err
	}
	c, err := db.Call(info.ID, n)
	if err != nil {
		return nil, rundb.NotKept(info, n, err)
	}
	body, err := db.RequestBytes(info.ID, c.Seq)
	if err != nil {
		return nil, err
	}
	p := &prompt{name: name, from: fmt.Sprintf("%s %s, its call %d", c.Structure, c.Lineage, c.Call+1), model: c.Model, rest: map[string]string{"model": strconv.Quote(c.Model)}}
	b, err := wire.Read(&llm.Builder{}, body, wire.Options{})
	if err != nil {
		return nil, err
	}
	p.head, p.body = b.Head, b
	p.recordedMarks(info, c.Marks)
	if b.Head == nil || b.Head.IsBorder() {
		return p, nil
	}
	return p, rundb.NeedsSaid(info, b.Head.Block.Content.Raw())
}

// filePrompt takes a body of the Messages API apart: what the cache compares, and
// what stands beside it.
func filePrompt(name string, data []byte, strict bool) (*prompt, error) {
	body, err := wire.Read(&llm.Builder{}, data, wire.Options{Logged: true, Strict: strict})
	if err != nil {
		return nil, ui.Failf(ui.Usage, "%s: %w", name, err)
	}
	p := &prompt{name: name, model: body.Model, head: body.Head, body: body, rest: map[string]string{}, notes: body.Notes()}
	for _, m := range body.Breakpoints {
		p.marks = append(p.marks, mark{m.Node.Pos, m.TTL.String()})
	}
	for _, f := range body.Fields {
		p.rest[f.Name] = f.Value
	}
	if len(body.Betas) > 0 {
		p.rest["betas"] = strings.Join(body.Betas, ", ")
	}
	return p, nil
}

// extent is how much of a prompt.
type extent struct {
	blocks int32
	bytes  int64
	tokens int64 // by estimate
}

func (p *prompt) extent(n *llm.Node) extent {
	if n == nil {
		return extent{}
	}
	return extent{n.Pos, n.Bytes, tokens.Approx(p.model).Tokens(n.Cum)}
}

// String is the extent in words.
func (e extent) String() string {
	return fmt.Sprintf("%s, %s bytes, about %s tokens", ui.Plural(int(e.blocks), "block"), ui.Count(e.bytes), ui.Count(e.tokens))
}

// fields says an extent to machines.
func (e extent) fields(d *report.Document, name string) {
	d.Field(name+"_blocks", report.Count(e.blocks))
	d.Field(name+"_bytes", report.Count(e.bytes))
	d.Field(name+"_tokens", report.Tokens(e.tokens))
}

// difference says where two requests part, and whether the second does not begin
// with all of the first.
func difference(a, b *prompt) *report.Document {
	part := llm.Part(a.head, b.head)
	whole, shared := a.extent(a.head), a.extent(part.Common)
	lost := extent{whole.blocks - shared.blocks, whole.bytes - shared.bytes, whole.tokens - shared.tokens}
	d := &report.Document{}
	d.Field("first", report.Text(a.name))
	d.Field("second", report.Text(b.name))
	a.fields(d, "first")
	b.fields(d, "second")
	d.Say("shared   %s", shared)
	shared.fields(d, "shared")
	lost.fields(d, "lost")
	d.Field("equal", report.Bool(part.A == nil && part.B == nil))
	d.Field("at", report.Count(shared.bytes+part.At).If(part.At >= 0))
	inBlock, where := part.At, ""
	if number(part.A) > 0 && number(part.B) > 0 { // both have a block there
		inBlock, where = b.body.Differs(part.A, part.B), " of the second ("+b.body.Path(part.B)+")"
	}
	d.Field("at_in_block", report.Count(inBlock).If(inBlock >= 0))
	placeFields(d, "in_first", part.A, part.At)
	placeFields(d, "in_second", part.B, part.At)
	others := otherMarks(a, b)
	switch {
	case part.A == nil && part.B == nil && (len(others) > 0 || a.rest["cache_control"] != b.rest["cache_control"]):
		d.Say("equal    the blocks of the second are those of the first, byte for byte; its marks (cache_control) are others")
	case part.A == nil && part.B == nil:
		d.Say("equal    the second is the first, byte for byte")
	case part.A == nil:
		d.Say("prefix   the second begins with all of the first, and goes on at block %d: %s", number(part.B), place(part.B))
	default:
		d.Say("lost     %s of the first: what a cache holds of it cannot be read", lost)
		if part.At >= 0 {
			d.Say("differ   at byte %s of the prompts, byte %s of block %d%s", ui.Count(shared.bytes+part.At), ui.Count(inBlock), max(number(part.A), number(part.B)), where)
		}
		parting(d, "first", part.A, part.At)
		parting(d, "second", part.B, part.At)
	}
	settings(d, a, b)
	marks(d, others)
	for _, p := range [...]struct {
		which string
		notes []string
	}{{"first", a.notes}, {"second", b.notes}} {
		for _, note := range p.notes {
			d.Say("%-8s %s", p.which, note)
		}
		d.Field(p.which+"_notes", report.List(p.notes))
	}
	return d
}

// fields says what a request is and how large.
func (p *prompt) fields(d *report.Document, which string) {
	from, size := "", p.extent(p.head)
	if p.from != "" {
		from = " · " + p.from
	}
	d.Say("%-8s %s%s · %s", which, p.name, from, size)
	d.Field(which+"_from", report.Text(p.from).If(p.from != ""))
	size.fields(d, which)
}

// number is a block's, from 1; 0 where the request has ended.
func number(n *llm.Node) int32 {
	if n == nil || n.IsBorder() {
		return 0
	}
	return n.Pos
}

// words are a block's level, role, kind and name, "" for what it does not have.
func words(n *llm.Node) (level, role, kind, name string) {
	level = n.Level.String()
	if n.IsBorder() {
		return level, "", "", ""
	}
	if n.Level == llm.Messages {
		role = n.Role.String()
	}
	return level, role, n.Block.Kind.String(), n.Block.Name
}

// place names a block.
func place(n *llm.Node) string {
	level, role, kind, name := words(n)
	if n.IsBorder() {
		level = "the beginning of " + level // the level before it has ended
	}
	return strings.Join(slices.DeleteFunc([]string{level, role, kind, name}, func(w string) bool { return w == "" }), ", ")
}

// placeFields says a block to machines.
func placeFields(d *report.Document, which string, n *llm.Node, at int64) {
	d.Field(which+"_block", report.Count(number(n)))
	if n == nil {
		return
	}
	level, role, kind, name := words(n)
	for _, f := range [...][2]string{{"_level", level}, {"_role", role}, {"_kind", kind}, {"_name", name}, {"_excerpt", around(n, at)}} {
		d.Field(which+f[0], report.Text(f[1]).If(f[1] != ""))
	}
}

// parting says what one of the requests has where they differ.
func parting(d *report.Document, which string, n *llm.Node, at int64) {
	if n == nil {
		d.Say("         the %s ends there", which)
		return
	}
	d.Say("  %-6s %s\n         %s", which, place(n), around(n, at))
}

// around is a block's text from a little before a byte.
func around(n *llm.Node, at int64) string {
	return sharedprefix.Excerpt(string(llm.AppendDelta(nil, n)), max(at, 0))
}

// settings says which fields beside the blocks differ, by name.
func settings(d *report.Document, a, b *prompt) {
	all := maps.Clone(a.rest)
	maps.Copy(all, b.rest)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return a.rest[name] == b.rest[name] })
	for _, name := range names {
		d.Say("setting  %s: %s, then %s", name, asGiven(a.rest[name], b.rest[name]), asGiven(b.rest[name], a.rest[name]))
	}
	if slices.Contains(names, "model") {
		d.Say("         each model has a cache of its own: nothing can be read, whatever the bytes are")
	}
	type col = report.Column[string]
	d.Field("settings", report.Objects(report.TableOf("", names,
		col{Name: "name", Of: func(name string) report.Value { return report.Text(name) }},
		col{Name: "first", Of: func(name string) report.Value { return report.Text(a.rest[name]) }},
		col{Name: "second", Of: func(name string) report.Value { return report.Text(b.rest[name]) }})))
}

// asGiven is a value as it is shown beside another one: from its beginning, or where that
// is all alike, from a little before they part.
func asGiven(v, other string) string {
	if v == "" {
		return "not given"
	}
	if short := ui.Excerpt(v); short != ui.Excerpt(other) {
		return short
	}
	at := 0
	for at < min(len(v), len(other)) && v[at] == other[at] {
		at++
	}
	return sharedprefix.Excerpt(v, int64(at))
}

// mark is one of a request: the block, from 1, and the lifetime that it asks for;
// automatic for the one that the API places itself.
type mark struct {
	block int32
	ttl   string
}

// recordedMarks takes those of a recorded call. An import keeps none.
func (p *prompt) recordedMarks(info sqlite.RunInfo, marks []sqlite.Mark) {
	if info.Recorded() {
		p.notes = append(p.notes, "marks (cache_control) are not in the record of an import: compare the files")
		return
	}
	for _, m := range marks {
		p.marks = append(p.marks, mark{m.Pos, m.TTL})
	}
}

// block is the one of a number; nil where the request has ended.
func (p *prompt) block(number int32) *llm.Node {
	n := p.head
	for n != nil && (n.IsBorder() || n.Pos > number) {
		n = n.Parent
	}
	return n
}

// otherMark is a block on which two requests have other marks: "" for none, else the
// lifetime.
type otherMark struct {
	block         int32
	place         string
	first, second string
}

// otherMarks are the marks of two requests that differ, by block. They are no part of
// the prompt: they say up to where it is looked up and written, and for how long.
func otherMarks(a, b *prompt) (out []otherMark) {
	at := func(p *prompt, block int32) *otherMark {
		i := slices.IndexFunc(out, func(m otherMark) bool { return m.block == block })
		if i < 0 {
			i, out = len(out), append(out, otherMark{block: block, place: place(p.block(block))})
		}
		return &out[i]
	}
	for _, m := range a.marks {
		at(a, m.block).first = m.ttl
	}
	for _, m := range b.marks {
		at(b, m.block).second = m.ttl
	}
	out = slices.DeleteFunc(out, func(m otherMark) bool { return m.first == m.second })
	slices.SortFunc(out, func(x, y otherMark) int { return int(x.block - y.block) })
	return out
}

// marks says which marks differ, by block.
func marks(d *report.Document, others []otherMark) {
	none := func(ttl string) string {
		if ttl == "" {
			return "none"
		}
		return ttl
	}
	for _, m := range others {
		d.Say("mark     block %d (%s): %s, then %s", m.block, m.place, none(m.first), none(m.second))
	}
	type col = report.Column[otherMark]
	d.Field("marks", report.Objects(report.TableOf("", others,
		col{Name: "block", Of: func(m otherMark) report.Value { return report.Count(m.block) }},
		col{Name: "place", Of: func(m otherMark) report.Value { return report.Text(m.place) }},
		col{Name: "first", Of: func(m otherMark) report.Value { return report.Text(m.first) }},
		col{Name: "second", Of: func(m otherMark) report.Value { return report.Text(m.second) }})))
}
