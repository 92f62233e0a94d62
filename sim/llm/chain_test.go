package llm

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"agentsim/sim/rng"
)

func TestConformance(t *testing.T) {
	t.Run("CON-02 organisation, workspace, model and each salt change every hash behind their border and none before", salted)
	t.Run("CON-02 parts of a scope do not run into each other", scopeParts)
	t.Run("CON-02 a turn or a fork hashes its new blocks only, whatever the history", newBlocksOnly)
	t.Run("CON-02 forks share their parent's nodes and do not touch them", forks)
	t.Run("CON-02 Common finds the last node two chains share", rapid.MakeCheck(commonLaw))
	t.Run("CON-03 a payload is escaped once and no node copies it", noCopies)
	t.Run("CON-03 a node weighs 72 bytes beside its block", nodeSize)
	t.Run("CON-03 equal content has one identity in whichever blocks it stands", identity)
	t.Run("CON-03 hashes are of flat bytes, not of pieces", flatHash)
	t.Run("CON-05 ids have a fixed width, belong to their key and read back", rapid.MakeCheck(ids))
	t.Run("CON-06 a node's measure is the sum over its prefix, by class", rapid.MakeCheck(measures))
	t.Run("CON-06 digits and CJK characters are counted apart from the text they stand in", classes)
	story(t, "CACHE-31-salts", saltStory)
}

func salted(t *testing.T) {
	pieces := []piece{
		{blk: &Block{Kind: ToolDef, Content: NewJSON(`{"name":"T"}`)}}, {border: System},
		{blk: &Block{Kind: Text, Content: NewText(Prose, "s")}}, {border: Messages},
		{role: User, blk: &Block{Kind: Text, Content: NewText(Prose, "u")}},
	}
	base := nodesOf(new(Builder), testScope, testSalts, pieces)
	for _, c := range []struct {
		what  string
		from  Level
		scope Scope
		salts Salts
	}{
		{"organisation", Tools, Scope{"o2", testScope.Workspace, testScope.Model}, testSalts},
		{"workspace", Tools, Scope{testScope.Organisation, "w2", testScope.Model}, testSalts},
		{"model", Tools, Scope{testScope.Organisation, testScope.Workspace, "m2"}, testSalts},
		{"root salt", Tools, testScope, Salts{9, 2, 3}},
		{"system salt", System, testScope, Salts{1, 9, 3}},
		{"messages salt", Messages, testScope, Salts{1, 2, 9}},
	} {
		for i, n := range nodesOf(new(Builder), c.scope, c.salts, pieces) {
			if same := n.Hash == base[i].Hash; same != (n.Level < c.from) {
				t.Errorf("other %s: node %d at %v: same hash %v", c.what, i, n.Level, same)
			}
			if !bytes.Equal(AppendPrefix(nil, n), AppendPrefix(nil, base[i])) {
				t.Errorf("other %s: the bytes changed", c.what)
			}
		}
	}
}

func scopeParts(t *testing.T) {
	var b Builder
	x, y := b.Root(Scope{"ab", "c", "d"}, Salts{}), b.Root(Scope{"a", "bc", "d"}, Salts{})
	if x.Hash == y.Hash {
		t.Error("ab+c and a+bc have one hash")
	}
}

// history is a request of n message blocks.
func history(b *Builder, n int) *Node {
	head := b.Border(b.Border(b.Root(testScope, testSalts), System, testSalts), Messages, testSalts)
	for i := range n {
		role := Role(1 + i%2)
		head = b.Append(head, role, &Block{Kind: Text, Content: NewText(Prose, fmt.Sprintf("message %08d of the history", i))})
	}
	return head
}

func newBlocksOnly(t *testing.T) {
	directive := &Block{Kind: Text, Content: NewText(Prose, "Do this.")}
	for _, n := range []int{10, 100, 1000} {
		var b Builder
		h := history(&b, n)
		b.Append(h, User, directive)
		const parentHash = 16
		got, want := len(b.buf), parentHash+len(`]},{"role":"user","content":[{"type":"text","text":"Do this."}`)
		if got != want {
			t.Errorf("after %d blocks a new one hashes %d bytes, want %d", n, got, want)
		}
	}
}

func forks(t *testing.T) {
	var b Builder
	h := history(&b, 9)
	before := *h
	x := b.Append(h, Assistant, &Block{Kind: Text, Content: NewText(Prose, "x")})
	y := b.Append(h, Assistant, &Block{Kind: Text, Content: NewText(Prose, "y")})
	again := b.Append(h, Assistant, &Block{Kind: Text, Content: NewText(Prose, "x")})
	if x.Parent != h || y.Parent != h || *h != before {
		t.Error("a fork copied or changed its parent")
	}
	if x.Hash == y.Hash || x.Hash != again.Hash {
		t.Error("hashes follow something else than content")
	}
}

func commonLaw(t *rapid.T) {
	pieces := drawPieces(t)
	var b Builder
	x := nodesOf(&b, testScope, testSalts, pieces)
	cut := rapid.IntRange(0, len(x)-1).Draw(t, "shared")
	grow := func(label string) *Node {
		n := x[cut]
		if rapid.Bool().Draw(t, "built again") {
			n = nodesOf(&b, testScope, testSalts, pieces)[cut]
		}
		for n.Level != Messages {
			n = b.Border(n, n.Level+1, testSalts)
		}
		for i := range rapid.IntRange(0, 4).Draw(t, label) {
			n = b.Append(n, User, &Block{Kind: Text, Content: NewText(Prose, fmt.Sprint(label, i))})
		}
		return n
	}
	y, z := grow("y"), grow("z")
	if got, want := Common(y, z), slowCommon(y, z); got == nil || want == nil || got.Hash != want.Hash {
		t.Fatalf("shared up to %+v, want %+v", got, want)
	}
	if other := b.Root(Scope{Model: "other"}, Salts{}); Common(y, other) != nil || Common(other, y) != nil {
		t.Fatal("chains of two scopes share nothing")
	}
	if Common(y, nil) != nil || Common(nil, y) != nil {
		t.Fatal("nothing is shared with no chain")
	}
}

// slowCommon compares every node of one chain with every node of the other.
func slowCommon(a, b *Node) *Node {
	for ; a != nil; a = a.Parent {
		for n := b; n != nil; n = n.Parent {
			if n.Hash == a.Hash {
				return a
			}
		}
	}
	return nil
}

func noCopies(t *testing.T) {
	const blocks = 1000
	p := NewText(Code, strings.Repeat("a line with \"quotes\"\n", 50_000)) // 1 MB
	var b Builder
	h := history(&b, 1)
	result := func(i int) *Block { return &Block{Kind: ToolResult, ID: ToolUseID{byte(i), byte(i >> 8)}, Content: p} }
	h = b.Append(h, User, result(0)) // the scratch buffer has its size now
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range blocks {
		h = b.Append(h, User, result(i))
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / blocks; per > 250 {
		t.Errorf("a block that refers to a payload of %d bytes costs %d bytes; node and block are about 130", len(p.esc), per)
	}
	runtime.KeepAlive(h)
}

func nodeSize(t *testing.T) {
	if got := unsafe.Sizeof(Node{}); got != 80 { // which is what 72 take, too
		t.Errorf("a node weighs %d bytes", got)
	}
	var b Builder
	h, blk := history(&b, 1), &Block{Kind: Text, Content: NewText(Prose, "again")}
	if got := testing.AllocsPerRun(1600, func() { h = b.Append(h, User, blk) }); got > 1 {
		t.Errorf("Append allocates %v times, of which the node is one", got)
	}
}

func identity(t *testing.T) {
	x, y := NewText(Prose, "same"), NewText(Code, "same")
	if x.Identity() != y.Identity() {
		t.Error("the class is no part of the content")
	}
	if x.Identity() == NewText(Prose, "other").Identity() || NewText(Prose, "{}").Identity() == NewJSON("{}").Identity() {
		t.Error("different content has one identity")
	}
}

func flatHash(t *testing.T) {
	// One block's content cut differently into head, payload and tail: the text
	// that looks like the tail of a shorter one must not hash like it.
	var b Builder
	h := history(&b, 2)
	x := b.Append(h, User, &Block{Kind: ToolResult, Content: NewText(Prose, "a"), IsError: true})
	y := b.Append(h, User, &Block{Kind: ToolResult, Content: NewText(Prose, `a","is_error":true`)})
	if x.Hash == y.Hash {
		t.Error("content forged a field")
	}
}

func ids(t *rapid.T) {
	k := rng.Root(rapid.Uint64().Draw(t, "seed"))
	lineage := rapid.StringMatching(`main(/[0-9]{1,2}\.[0-9]){0,3}`).Draw(t, "lineage")
	call := rapid.Uint64Range(0, 1000).Draw(t, "call")
	id := NewToolUseID(k.Sub(lineage).At(call))
	s := id.String()
	if len(s) != 30 || !strings.HasPrefix(s, "toolu_") || strings.Trim(s[6:], hexDigits) != "" {
		t.Fatalf("tool use id %s", s)
	}
	if back, ok := ParseToolUseID(s); !ok || back != id {
		t.Fatalf("%s reads back as %s", s, back)
	}
	if NewToolUseID(k.Sub(lineage).At(call)) != id || NewToolUseID(k.Sub(lineage).At(call+1)) == id || NewToolUseID(k.Sub(lineage+"x").At(call)) == id {
		t.Fatal("the id is not its key's")
	}
	n := k.Sub(lineage).Uint64()
	if a := AgentID(n).String(); len(a) != 17 || a[0] != 'a' || strings.Trim(a[1:], hexDigits) != "" || a != fmt.Sprintf("a%016x", n) {
		t.Fatalf("agent id %s", a)
	}
	for _, bad := range []string{"", s[1:], s + "0", "toolu_" + strings.ToUpper(s[6:29]) + "G", "tool__" + s[6:]} {
		if _, ok := ParseToolUseID(bad); ok {
			t.Fatalf("%q reads as an id", bad)
		}
	}
}

func measures(t *rapid.T) {
	var b Builder
	nodes := drawChain(t, &b)
	var want Measure
	for _, n := range nodes {
		if !n.IsBorder() {
			want = want.Plus(n.Block.Measure())
			if m := n.Block.Content.Measure(); m.Total() != int64(len(n.Block.Content.Raw())) {
				t.Fatalf("%q measures %d bytes", n.Block.Content.Raw(), m.Total())
			}
		}
		if n.Cum != want {
			t.Fatalf("position %d: %v, want %v", n.Pos, n.Cum, want)
		}
	}
}

func classes(t *testing.T) {
	for _, c := range []struct {
		p    *Payload
		want [NumClasses]uint32
	}{
		{NewText(Prose, "ab 12é"), [NumClasses]uint32{Prose: 5, Digits: 2}},
		{NewText(Code, "x1 中文"), [NumClasses]uint32{Code: 2, Digits: 1, CJK: 6}},
		{NewJSON(`{"a":10,"k":"한"}`), [NumClasses]uint32{JSON: 13, Digits: 2, CJK: 3}},
	} {
		if got := c.p.Measure().Bytes; got != c.want {
			t.Errorf("%q measures %v, want %v", c.p.Raw(), got, c.want)
		}
	}
	use := Block{Kind: ToolUse, Name: "Read", Content: NewJSON("{}")}
	if got := use.Measure(); got.Bytes[JSON] != 6 || got.Frames <= (&Block{Kind: Text, Content: NewText(Prose, "")}).Measure().Frames {
		t.Errorf("a tool use measures %v", got)
	}
}

// saltStory: `change` prints, for a request with the settings of `from` and one
// with those of `to`, which levels still hit; `rules` holds model options.
func saltStory(t *testing.T, d *datadriven.TestData) string {
	var from, to Settings
	var rules SaltRules
	for _, arg := range d.CmdArgs {
		for _, v := range arg.Vals {
			switch arg.Key {
			case "from":
				setting(t, d, &from, &rules, v)
			case "to":
				setting(t, d, &to, &rules, v)
			case "rules":
				setting(t, d, nil, &rules, v)
			default:
				d.Fatalf(t, "unknown argument %s", arg.Key)
			}
		}
	}
	x := nodesOf(new(Builder), testScope, from.Salts(rules), []piece{{border: System}, {border: Messages}})
	y := nodesOf(new(Builder), testScope, to.Salts(rules), []piece{{border: System}, {border: Messages}})
	var out strings.Builder
	for i, l := range []Level{Tools, System, Messages} {
		fmt.Fprintf(&out, "%v %s\n", l, map[bool]string{true: "ok", false: "X"}[x[i].Hash == y[i].Hash])
	}
	return out.String()
}

func setting(t *testing.T, d *datadriven.TestData, s *Settings, r *SaltRules, v string) {
	name, value, _ := strings.Cut(v, ":")
	switch name {
	case "effort":
		s.Effort = value
	case "thinking":
		s.Thinking = map[string]ThinkingMode{"disabled": ThinkingDisabled, "enabled": ThinkingEnabled, "adaptive": ThinkingAdaptive}[value]
	case "budget":
		fmt.Sscan(value, &s.ThinkingBudget)
	case "tool_choice":
		s.ToolChoice = value
	case "no-parallel":
		s.DisableParallel = true
	case "images":
		s.Images = true
	case "speed":
		s.Speed = value
	case "citations":
		s.Citations = true
	case "web_search":
		s.WebSearch = true
	case "thinking-rendered-first":
		r.ThinkingRenderedFirst = true
	case "default-effort":
		r.DefaultEffort = value
	default:
		d.Fatalf(t, "unknown setting %s", v)
	}
}
