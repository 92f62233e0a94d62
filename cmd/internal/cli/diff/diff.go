// Package diff is the command that holds two requests or runs against each other,
// block by block.
package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/wire"

	"github.com/spf13/cobra"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	db     string
	guard  string
	output string
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use:   "diff REQUEST REQUEST",
		Short: "say where two requests stop being one prefix",
		Long: `Compares two requests block by block, as a prompt cache does, and names the first block and byte in which they differ. A
REQUEST is a recorded call, RUN:CALL with the beginning of a run's id and the call's number, or a JSON file with the body
of a request to the Messages API.

With --guard prefix the first request is an earlier one, all of which the second should begin with: when it does not, what
the cache held is lost, and the exit code is 3.`,
		Example: `  agentsim lab diff 9c1e:1 9c1e:2
  agentsim lab diff before.json after.json --guard prefix`,
		Args: ui.Exactly(2, "two requests"),
		RunE: func(_ *cobra.Command, args []string) error { return diff(s, o, args[0], args[1]) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.StringVar(&o.guard, "guard", "", "fail when what is named here is lost: `prefix`")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// prompt is a request as it is compared.
type prompt struct {
	name  string // as given
	from  string // who sent it, of a recorded call
	model string
	head  *llm.Node
	rest  map[string]string // what stands beside tools, system and messages, as JSON
	notes []string          // what was not read as part of the prompt
}

func diff(s *ui.Env, o *diffOptions, first, second string) error {
	switch {
	case o.guard != "" && o.guard != "prefix":
		return ui.Failf(ui.Usage, "--guard %s: the one thing that can be guarded is prefix", o.guard)
	}
	var p [2]*prompt
	for i, name := range [2]string{first, second} {
		var err error
		if p[i], err = readPrompt(o.db, name); err != nil {
			return err
		}
	}
	d := newPromptDiff(p[0], p[1])
	if err := s.Print(o.output, d.document()); err != nil {
		return err
	}
	if o.guard != "" && d.Lost.Bytes > 0 {
		return &ui.Failure{Code: ui.Missed}
	}
	return nil
}

// readPrompt reads RUN:CALL or a file.
func readPrompt(db, name string) (*prompt, error) {
	run, call, ok := strings.Cut(name, ":")
	n, err := strconv.ParseInt(call, 10, 64)
	if ok && err == nil && run != "" {
		return recordedPrompt(db, name, run, n)
	}
	data, err := hostdir.Text(name, wire.MaxBytes)
	if err != nil {
		return nil, ui.Failf(ui.Operating, "%s: %w; a request is RUN:CALL or a JSON file", name, err)
	}
	return filePrompt(name, data)
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
	p.head = b.Head
	return p, nil
}

// filePrompt takes a body of the Messages API apart: what the cache compares, and
// what stands beside it.
func filePrompt(name string, data []byte) (*prompt, error) {
	body, err := wire.Read(&llm.Builder{}, data, wire.Options{Logged: true})
	if err != nil {
		return nil, ui.Failf(ui.Usage, "%s: %w", name, err)
	}
	p := &prompt{name: name, model: body.Model, head: body.Head, rest: map[string]string{}, notes: body.Notes()}
	for _, f := range body.Fields {
		p.rest[f.Name] = f.Value
	}
	return p, nil
}

// extent is how much of a prompt.
type extent struct {
	Blocks int32
	Bytes  int64
	Tokens int64 // by estimate
}

func (p *prompt) extent(n *llm.Node) extent {
	if n == nil {
		return extent{}
	}
	return extent{n.Pos, n.Bytes, tokens.Approx(p.model).Tokens(n.Cum)}
}

func (e extent) minus(o extent) extent {
	return extent{e.Blocks - o.Blocks, e.Bytes - o.Bytes, e.Tokens - o.Tokens}
}

// blockPlace is a block in which requests differ.
type blockPlace struct {
	Block   int32 // from 1; 0 where the request has ended
	Level   string
	Role    string
	Kind    string
	Name    string
	Excerpt string // from a little before the first byte that differs
}

// setting is a field beside the blocks that differs.
type setting struct {
	Name   string
	First  string // as JSON; "" where it is not given
	Second string
}

// promptDiff is what diff finds.
type promptDiff struct {
	First    string
	Second   string
	From     [2]string
	Sizes    [2]extent
	Shared   extent
	Lost     extent // what the first has and the second does not begin with
	Equal    bool
	At       int64 // first byte that differs, from 0; -1 where one request ends
	InBlock  int64 // the same, from the beginning of its block
	A        blockPlace
	B        blockPlace
	Settings []setting
	Notes    [2][]string // of how each was read
}

func newPromptDiff(a, b *prompt) *promptDiff {
	part := llm.Part(a.head, b.head)
	d := &promptDiff{First: a.name, Second: b.name, From: [2]string{a.from, b.from},
		Sizes: [2]extent{a.extent(a.head), b.extent(b.head)}, Shared: a.extent(part.Common), At: -1, InBlock: part.At, Settings: settings(a, b), Notes: [2][]string{a.notes, b.notes}}
	d.Lost = d.Sizes[0].minus(d.Shared)
	d.Equal = part.A == nil && part.B == nil
	if part.At >= 0 {
		d.At = d.Shared.Bytes + part.At
	}
	d.A, d.B = blockAt(part.A, part.At), blockAt(part.B, part.At)
	return d
}

// settings are the fields that differ, by name.
func settings(a, b *prompt) []setting {
	out := []setting{}
	for key, v := range a.rest { // order: sorted below
		if b.rest[key] != v {
			out = append(out, setting{key, v, b.rest[key]})
		}
	}
	for key, v := range b.rest { // order: sorted below
		if _, ok := a.rest[key]; !ok {
			out = append(out, setting{key, "", v})
		}
	}
	slices.SortFunc(out, func(x, y setting) int { return strings.Compare(x.Name, y.Name) })
	return out
}

func blockAt(n *llm.Node, at int64) blockPlace {
	if n == nil {
		return blockPlace{}
	}
	p := blockPlace{Level: n.Level.String()}
	if !n.IsBorder() {
		p.Block, p.Kind, p.Name = n.Pos, n.Block.Kind.String(), n.Block.Name
		if n.Level == llm.Messages {
			p.Role = n.Role.String()
		}
	}
	const before, after = 20, 60
	text := string(llm.AppendDelta(nil, n))
	at = max(at, 0)
	from, to := max(at-before, 0), min(at+after, int64(len(text)))
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < int64(len(text)) && !utf8.RuneStart(text[to]) {
		to++
	}
	if p.Excerpt = text[from:to]; from > 0 {
		p.Excerpt = "…" + p.Excerpt
	}
	if to < int64(len(text)) {
		p.Excerpt += "…"
	}
	return p
}

// document is the difference for people and machines.
func (d *promptDiff) document() *report.Document {
	out := &report.Document{}
	out.Field("first", report.Text(d.First))
	out.Field("second", report.Text(d.Second))
	for i, name := range [2]string{d.First, d.Second} {
		which, from := [2]string{"first", "second"}[i], ""
		if d.From[i] != "" {
			from = " · " + d.From[i]
		}
		out.Say("%-8s %s%s · %s", which, name, from, d.Sizes[i])
		out.Field(which+"_from", report.Text(d.From[i]).If(d.From[i] != ""))
		d.Sizes[i].fields(out, which)
	}
	out.Say("shared   %s", d.Shared)
	d.Shared.fields(out, "shared")
	d.Lost.fields(out, "lost")
	out.Field("equal", report.Bool(d.Equal))
	out.Field("at", report.Count(d.At).If(d.At >= 0))
	out.Field("at_in_block", report.Count(d.InBlock).If(d.At >= 0))
	d.A.fields(out, "in_first")
	d.B.fields(out, "in_second")
	switch {
	case d.Equal:
		out.Say("equal    the second is the first, byte for byte")
	case d.A == blockPlace{}:
		out.Say("prefix   the second begins with all of the first, and goes on at block %d: %s", d.B.Block, d.B)
	default:
		out.Say("lost     %s of the first: what a cache holds of it cannot be read", d.Lost)
		d.parting(out)
	}
	for _, x := range d.Settings {
		out.Say("setting  %s: %s, then %s", x.Name, asGiven(x.First), asGiven(x.Second))
	}
	if slices.ContainsFunc(d.Settings, func(x setting) bool { return x.Name == "model" }) {
		out.Say("         each model has a cache of its own: nothing can be read, whatever the bytes are")
	}
	for i, which := range [2]string{"first", "second"} {
		for _, note := range d.Notes[i] {
			out.Say("%-8s %s", which, note)
		}
		out.Field(which+"_notes", report.List(d.Notes[i]))
	}
	type col = report.Column[setting]
	out.Field("settings", report.Objects(report.TableOf("", d.Settings,
		col{Name: "name", Of: func(x setting) report.Value { return report.Text(x.Name) }},
		col{Name: "first", Of: func(x setting) report.Value { return report.Text(x.First) }},
		col{Name: "second", Of: func(x setting) report.Value { return report.Text(x.Second) }})))
	return out
}

// fields says an extent to machines.
func (e extent) fields(d *report.Document, name string) {
	d.Field(name+"_blocks", report.Count(e.Blocks))
	d.Field(name+"_bytes", report.Count(e.Bytes))
	d.Field(name+"_tokens", report.Tokens(e.Tokens))
}

// fields says a place to machines; block is 0 where the request has ended.
func (p blockPlace) fields(d *report.Document, name string) {
	d.Field(name+"_block", report.Count(p.Block))
	for _, f := range [...][2]string{{"_level", p.Level}, {"_role", p.Role}, {"_kind", p.Kind}, {"_name", p.Name}, {"_excerpt", p.Excerpt}} {
		d.Field(name+f[0], report.Text(f[1]).If(f[1] != ""))
	}
}

// parting says where they differ.
func (d *promptDiff) parting(out *report.Document) {
	if d.At >= 0 {
		out.Say("differ   at byte %s, byte %s of block %d", ui.Count(d.At), ui.Count(d.InBlock), max(d.A.Block, d.B.Block))
	}
	for i, p := range [2]blockPlace{d.A, d.B} {
		if p == (blockPlace{}) {
			out.Say("         the %s ends there", [2]string{"first", "second"}[i])
			continue
		}
		out.Say("  %-6s %s\n         %s", [2]string{"first", "second"}[i], p, p.Excerpt)
	}
}

func asGiven(v string) string {
	if v == "" {
		return "not given"
	}
	return ui.Excerpt(v)
}

// String is the extent in words.
func (e extent) String() string {
	return fmt.Sprintf("%s, %s bytes, about %s tokens", ui.Plural(int(e.Blocks), "block"), ui.Count(e.Bytes), ui.Count(e.Tokens))
}

// String names the block.
func (p blockPlace) String() string {
	words := []string{p.Level}
	if p.Block == 0 {
		words[0] = "the beginning of " + p.Level // the level before it has ended
	}
	for _, w := range [...]string{p.Role, p.Kind, p.Name} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}
