package llm

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFigures(t *testing.T) {
	t.Run("KRN-09 the digits of a run's figures count as one constant, in every spelling and class", everySpelling)
	t.Run("KRN-09 other numbers count by their digits", otherNumbers)
	t.Run("KRN-09 whatever stands around it, a figure's value changes no measure, no counted byte and no cut", rapid.MakeCheck(figuresLaw))
	t.Run("KRN-09 what counts of a text without figures is all of it, and what counts of a cut is at most what was asked for", rapid.MakeCheck(cutLaw))
}

// spellings are how figures stand in XML, in JSON, and in JSON within JSON.
func spellings(name string, value any) []string {
	return []string{fmt.Sprintf("<%s>%v</%s>", name, value, name), fmt.Sprintf(`{"%s":%v}`, name, value), fmt.Sprintf(`{"%s": %v}`, name, value),
		fmt.Sprintf(`"{\"%s\":%v}"`, name, value), fmt.Sprintf(`{\\\"%s\\\":%v}`, name, value)}
}

func everySpelling(t *testing.T) {
	for _, name := range figureNames {
		for i, short := range spellings(name, 7) {
			long := spellings(name, 123_456_789_012)[i]
			for _, c := range []Class{Prose, Code, JSON} {
				m := measure(c, short)
				if m != measure(c, long) {
					t.Errorf("%s: %s and %s measure differently", c, short, long)
				}
				if m.Bytes[Digits] != figureDigits {
					t.Errorf("%s: %s has %d digits", c, short, m.Bytes[Digits])
				}
			}
		}
	}
}

func otherNumbers(t *testing.T) {
	for _, s := range []string{"12345678", "<status>12345678", `"tokens":12345678`, "my_total_tokens>12345678", `total_tokens":12345678`, "<total_tokens>x12345678",
		`"totalTokens" 12345678`, "<my_total_tokens>12345678", `"_totalTokens":12345678`, ">12345678", ":12345678", " 12345678", ": 12345678"} {
		if got := Counted(s); got != int64(len(s)) {
			t.Errorf("%s: %d of %d bytes count", s, got, len(s))
		}
	}
}

func figuresLaw(t *rapid.T) {
	part := rapid.StringMatching(`[a-z0-9<>":\\ é漢_]{0,12}`)
	before, behind := part.Draw(t, "before"), rapid.StringMatching(`([^0-9].{0,12})?`).Draw(t, "behind")
	name := rapid.SampledFrom(figureNames[:]).Draw(t, "name")
	a, b := rapid.Int64Min(0).Draw(t, "one"), rapid.Int64Min(0).Draw(t, "other")
	i := rapid.IntRange(0, 4).Draw(t, "spelling")
	x, y := before+spellings(name, a)[i]+behind, before+spellings(name, b)[i]+behind
	if p, q := NewText(Code, x), NewText(Code, y); p.Measure() != q.Measure() {
		t.Fatalf("%q measures %v, %q %v", x, p.Measure(), y, q.Measure())
	}
	n := rapid.IntRange(0, 40).Draw(t, "cut")
	if p, q := CutCounted(x, n), CutCounted(y, n); p != q && x[len(p):] != y[len(q):] { // cut before the figure or behind it
		t.Fatalf("cut at %d: %q and %q", n, p, q)
	}
	flat := func(s string) int64 {
		var bl Builder
		root := bl.Border(bl.Border(bl.Root(Scope{}, Salts{}), System, Salts{}), Messages, Salts{})
		head := bl.Append(root, Assistant, &Block{Kind: ToolUse, Name: "Agent", Content: NewJSON(`{"prompt":` + string(AppendQuoted(nil, s)) + `}`)})
		head = bl.Append(head, User, &Block{Kind: ToolResult, Content: NewText(Prose, s)})
		if got, want := CountedBytes(head, 1), Counted(string(AppendPrefix(nil, head))); got != want {
			t.Fatalf("%d bytes of a request count by its blocks, %d by its bytes: %s", got, want, AppendPrefix(nil, head))
		}
		return CountedBytes(head, 1)
	}
	if flat(x) != flat(y) {
		t.Fatalf("requests with %q and %q count as %d and %d bytes", x, y, flat(x), flat(y))
	}
}

func cutLaw(t *rapid.T) {
	s := rapid.StringMatching(`([a-z]{0,5}<total_tokens>[0-9]{1,9}</total_tokens>| "tool_uses":[0-9]|[0-9é]{0,3}){0,6}`).Draw(t, "text")
	n := rapid.IntRange(0, 80).Draw(t, "n")
	cut := CutCounted(s, n)
	if !strings.HasPrefix(s, cut) || Counted(cut) > int64(n) {
		t.Fatalf("%q is %d bytes of %q, asked for %d", cut, Counted(cut), s, n)
	}
	if Counted(s) <= int64(n) && cut != s {
		t.Fatalf("%q has room in %d and was cut to %q", s, n, cut)
	}
	if !strings.Contains(s, "to") && (Counted(s) != int64(len(s)) || len(cut) != min(n, len(s))) {
		t.Fatalf("%q: %d bytes count, cut at %d: %q", s, Counted(s), n, cut)
	}
}
