// Package diff is the command that holds two requests or runs against each other,
// block by block.
package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"

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
	f.StringVarP(&o.output, "output", "o", "table", ui.OutputHelp)
	return cmd
}

// prompt is a request as it is compared.
type prompt struct {
	name  string // as given
	from  string // who sent it, of a recorded call
	model string
	head  *llm.Node
	rest  map[string]string // what stands beside tools, system and messages, as JSON
}

func diff(s *ui.Env, o *diffOptions, first, second string) error {
	switch {
	case ui.CheckOutput(o.output) != nil:
		return ui.CheckOutput(o.output)
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
	if o.output != "table" {
		if err := s.Emit(o.output, d); err != nil {
			return err
		}
	} else {
		printDifference(s, d)
	}
	if o.guard != "" && d.Lost.Bytes > 0 {
		return &ui.Failure{Code: ui.Missed}
	}
	return nil
}

// maxRequestBytes is what a request to the Messages API may have.
const maxRequestBytes = 32 << 20

// readPrompt reads RUN:CALL or a file.
func readPrompt(db, name string) (*prompt, error) {
	run, call, ok := strings.Cut(name, ":")
	n, err := strconv.ParseInt(call, 10, 64)
	if ok && err == nil && run != "" {
		return recordedPrompt(db, name, run, n)
	}
	data, err := hostdir.Text(name, maxRequestBytes)
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
	if err := rundb.NeedsBlocks(info); err != nil {
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
	p := &prompt{name: name, from: fmt.Sprintf("%s %s, its call %d", c.Structure, c.Lineage, c.Call+1), model: c.Model, rest: map[string]string{"model": jsonWord(c.Model)}}
	p.head, err = llm.ParseRequest(&llm.Builder{}, llm.Scope{}, llm.Salts{}, body)
	return p, err
}

func jsonWord(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// filePrompt takes a body of the Messages API apart: what the cache compares, and
// what stands beside it.
func filePrompt(name string, data []byte) (*prompt, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, ui.Failf(ui.Usage, "%s: not a request as JSON: %w", name, err)
	}
	if fields["messages"] == nil {
		return nil, ui.Failf(ui.Usage, "%s: the request has no messages", name)
	}
	p := &prompt{name: name, rest: map[string]string{}}
	var body []byte
	for _, key := range [...]string{"tools", "system", "messages"} {
		if v := fields[key]; v != nil {
			body = append(append(append(body, `,"`+key+`":`...), v...), '\n')
		}
		delete(fields, key)
	}
	body[0] = '{'
	for key, v := range fields { // order: every key has its own place
		var short bytes.Buffer
		if err := json.Compact(&short, v); err != nil {
			return nil, ui.Failf(ui.Usage, "%s: %s: %w", name, key, err)
		}
		p.rest[key] = short.String()
	}
	_ = json.Unmarshal(fields["model"], &p.model) // a request without a model is counted as the newest one's
	var err error
	if p.head, err = llm.ParseRequest(&llm.Builder{}, llm.Scope{}, llm.Salts{}, append(body, '}')); err != nil {
		return nil, ui.Failf(ui.Usage, "%s: the blocks of the request (tools, system and messages, in this order) cannot be read: %w", name, err)
	}
	return p, nil
}

// extent is how much of a prompt.
type extent struct {
	Blocks int32 `json:"blocks"`
	Bytes  int64 `json:"bytes"`
	Tokens int64 `json:"tokens"` // by estimate
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
	Block   int32  `json:"block"` // from 1; 0 where the request has ended
	Level   string `json:"level,omitempty"`
	Role    string `json:"role,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Name    string `json:"name,omitempty"`
	Excerpt string `json:"excerpt,omitempty"` // from a little before the first byte that differs
}

// setting is a field beside the blocks that differs.
type setting struct {
	Name   string `json:"name"`
	First  string `json:"first"` // as JSON; "" where it is not given
	Second string `json:"second"`
}

// promptDiff is what diff finds.
type promptDiff struct {
	First    string     `json:"first"`
	Second   string     `json:"second"`
	From     [2]string  `json:"from"`
	Sizes    [2]extent  `json:"sizes"`
	Shared   extent     `json:"shared"`
	Lost     extent     `json:"lost"` // what the first has and the second does not begin with
	Equal    bool       `json:"equal"`
	At       int64      `json:"at"`          // first byte that differs, from 0; -1 where one request ends
	InBlock  int64      `json:"at_in_block"` // the same, from the beginning of its block
	A        blockPlace `json:"in_first"`
	B        blockPlace `json:"in_second"`
	Settings []setting  `json:"settings"`
}

func newPromptDiff(a, b *prompt) *promptDiff {
	part := llm.Part(a.head, b.head)
	d := &promptDiff{First: a.name, Second: b.name, From: [2]string{a.from, b.from},
		Sizes: [2]extent{a.extent(a.head), b.extent(b.head)}, Shared: a.extent(part.Common), At: -1, InBlock: part.At, Settings: settings(a, b)}
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

func printDifference(s *ui.Env, d *promptDiff) {
	for i, name := range [2]string{d.First, d.Second} {
		from := ""
		if d.From[i] != "" {
			from = " · " + d.From[i]
		}
		s.Printf("%-8s %s%s · %s\n", [2]string{"first", "second"}[i], name, from, d.Sizes[i])
	}
	s.Printf("shared   %s\n", d.Shared)
	switch {
	case d.Equal:
		s.Printf("equal    the second is the first, byte for byte\n")
	case d.A == blockPlace{}:
		s.Printf("prefix   the second begins with all of the first, and goes on at block %d: %s\n", d.B.Block, d.B)
	default:
		s.Printf("lost     %s of the first: what a cache holds of it cannot be read\n", d.Lost)
		printParting(s, d)
	}
	for _, x := range d.Settings {
		s.Printf("setting  %s: %s, then %s\n", x.Name, asGiven(x.First), asGiven(x.Second))
	}
	if slices.ContainsFunc(d.Settings, func(x setting) bool { return x.Name == "model" }) {
		s.Printf("         each model has a cache of its own: nothing can be read, whatever the bytes are\n")
	}
}

func printParting(s *ui.Env, d *promptDiff) {
	if d.At >= 0 {
		s.Printf("differ   at byte %s, byte %s of block %d\n", ui.Count(d.At), ui.Count(d.InBlock), max(d.A.Block, d.B.Block))
	}
	for i, p := range [2]blockPlace{d.A, d.B} {
		if p == (blockPlace{}) {
			s.Printf("         the %s ends there\n", [2]string{"first", "second"}[i])
			continue
		}
		s.Printf("  %-6s %s\n         %s\n", [2]string{"first", "second"}[i], p, p.Excerpt)
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
