package mark

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	t.Run("CON-12 every verb reads back with its words, whatever characters they hold", rapid.MakeCheck(roundTrip))
	t.Run("CON-12 JSON escaping, XML escaping and line numbers leave a mark's bytes alone", rapid.MakeCheck(survives))
	t.Run("CON-12 a mark cut short anywhere is absent, and the marks before the cut are whole", rapid.MakeCheck(truncated))
	t.Run("CON-12 brackets, other marks and broken marks around a mark do not hide it", surrounded)
	t.Run("CON-12 a name alone, or a mark with the wrong words, is not knowledge", notKnowledge)
	t.Run("CON-12 any changed word or verb breaks the tag", rapid.MakeCheck(forged))
	t.Run("CON-14 a mark of another seed means nothing", otherKeys)
	t.Run("CON-14 text of any kind holds no marks", rapid.MakeCheck(anyText))
	t.Run("CON-12 scanning allocates nothing for text, foreign marks and plain words", scanAllocs)
	t.Run("CON-12 the wrong number of words is a programmer's error", wrongArity)
}

var key = NewKey(42)

func scan(k Key, s string) (out []Mark) {
	k.Scan(s, func(m Mark) { out = append(out, m) })
	return out
}

var verbs = []Verb{Fact, At, File, Do, Done, Failed, On, Out, Lost, Made, Defect, Inject, Crew, Tried}

// drawMark draws a mark of any verb; words hold plain or odd characters.
func drawMark(t *rapid.T) (Mark, string) {
	m := Mark{Verb: rapid.SampledFrom(verbs).Draw(t, "verb")}
	word := rapid.OneOf(
		rapid.StringMatching(`[a-z]+\.[a-z-]{1,9}`),
		rapid.StringMatching(`internal/[a-z_]+\.go:[0-9]{1,4}`),
		rapid.String(),
		rapid.SampledFrom([]string{"", "%", "%41", "a]]b", "[[f x 0000]]", "a b", "\n", `"\<&>`, "é中"}),
	)
	for i := range arity(m.Verb) {
		m.Args[i] = word.Draw(t, "word")
	}
	return m, key.Text(m.Verb, m.Args[:arity(m.Verb)]...)
}

func drawMarks(t *rapid.T) (marks []Mark, texts []string) {
	for range rapid.IntRange(0, 5).Draw(t, "marks") {
		m, s := drawMark(t)
		marks, texts = append(marks, m), append(texts, s)
	}
	return marks, texts
}

func roundTrip(t *rapid.T) {
	marks, texts := drawMarks(t)
	sep := rapid.SampledFrom([]string{"", " ", "\n", "text ", "[", "]", "]]", "[[", "[[f "}).Draw(t, "between")
	if got := scan(key, sep+strings.Join(texts, sep)+sep); !slices.Equal(got, marks) {
		t.Fatalf("%q read back as %q from %s", marks, got, strings.Join(texts, sep))
	}
}

func survives(t *rapid.T) {
	_, mark := drawMark(t)
	if raw, err := json.Marshal(mark); err != nil || string(raw) != `"`+mark+`"` {
		t.Fatalf("JSON writes %s as %s", mark, raw)
	}
	var xmlText strings.Builder
	if err := xml.EscapeText(&xmlText, []byte(mark)); err != nil || xmlText.String() != mark {
		t.Fatalf("XML writes %s as %s", mark, xmlText.String())
	}
	var numbered strings.Builder
	for i, line := range strings.Split("package a\n// "+mark+"\nend", "\n") {
		fmt.Fprintf(&numbered, "%6d\t%s\n", i+1, line)
	}
	if len(scan(key, numbered.String())) != 1 {
		t.Fatalf("lost among numbered lines: %s", numbered.String())
	}
}

func truncated(t *rapid.T) {
	marks, texts := drawMarks(t)
	text := "head " + strings.Join(texts, " between ")
	cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
	got := scan(key, text[:cut]+rapid.SampledFrom([]string{"", "…", " [truncated]", "\n]]"}).Draw(t, "notice"))
	whole, end := 0, len("head ")
	for _, s := range texts {
		if end += len(s); end <= cut {
			whole++
		}
		end += len(" between ")
	}
	if !slices.Equal(got, marks[:whole]) {
		t.Fatalf("cut at %d of %q: %q", cut, text, got)
	}
}

func surrounded(t *testing.T) {
	f := key.Text(Fact, "auth.null-user")
	for _, s := range []string{
		f, "[" + f, "[[" + f, "[[[" + f + "]]]", "[" + f + "](link)", "[[" + f[2:], "[[f auth" + f, f + "]]", "[[x]]" + f, "[[\n" + f,
		"a[[1]]" + f, "]]" + f + "[[", "m[i][j]" + f, "[[1,2],[3,4]] " + f,
	} {
		if got := scan(key, s); len(got) != 1 || got[0].Args[0] != "auth.null-user" {
			t.Errorf("in %q: %v", s, got)
		}
	}
	if got := scan(key, f+f+" "+f); len(got) != 3 {
		t.Errorf("of three marks: %v", got)
	}
}

func notKnowledge(t *testing.T) {
	f := key.Text(Fact, "auth.null-user")
	for _, s := range []string{
		"auth.null-user", "missing auth.null-user", "[[f auth.null-user]]", "[[f auth.null-user 0]]", "[f auth.null-user " + f[len(f)-6:],
		strings.Replace(f, " auth", "\nauth", 1), strings.Replace(f, " auth", "  auth", 1), f[:len(f)-1],
		signed("g auth.null-user"), signed("f"), signed("f a b"), signed("at a"), signed("file a b c d"), signed(""), signed("f a\nb"), signed("f a[b"),
	} {
		if got := scan(key, s); got != nil {
			t.Errorf("%q is read as %v", s, got)
		}
	}
	if got := scan(key, signed("f auth.null-user")); len(got) != 1 {
		t.Error("signed makes no valid marks")
	}
}

// signed is a body with its right tag, whatever it says.
func signed(body string) string {
	tag := key.tag(body)
	return "[[" + body + " " + string(tag[:]) + "]]"
}

// forged changes one letter of a mark. One in 65,536 would fit by chance, so
// the letters are few.
func forged(t *rapid.T) {
	f := []byte(key.Text(File, "internal/a.go", "9c1e22aa", "1-40/40"))
	i := rapid.IntRange(2, len(f)-3).Draw(t, "at")
	if f[i] == 'z' {
		t.Skip("the same letter")
	}
	f[i] = 'z'
	if got := scan(key, string(f)); got != nil {
		t.Fatalf("%s is read as %v", f, got)
	}
}

func otherKeys(t *testing.T) {
	f := key.Text(Fact, "auth.null-user")
	for _, c := range []struct {
		what string
		k    Key
		want int
	}{
		{"the same seed", NewKey(42), 1},
		{"another seed", NewKey(43), 0},
		{"no key", Key{}, 0},
	} {
		if got := scan(c.k, f); len(got) != c.want {
			t.Errorf("%s reads %v", c.what, got)
		}
	}
	tags := map[string]bool{}
	for seed := range uint64(200) {
		s := NewKey(seed).Text(Fact, "a")
		tags[s] = true
	}
	if len(tags) < 195 {
		t.Errorf("200 seeds give %d tags", len(tags))
	}
}

func anyText(t *rapid.T) {
	s := rapid.StringOf(rapid.RuneFrom([]rune("[[]] f\nat.é%"))).Draw(t, "text")
	if got := scan(key, s); got != nil {
		t.Fatalf("%q is read as %v", s, got)
	}
}

func scanAllocs(t *testing.T) {
	n := 0
	count := func(Mark) { n++ }
	for _, s := range texts() {
		if got := testing.AllocsPerRun(100, func() { key.Scan(s.text, count) }); got != 0 {
			t.Errorf("%s: %v allocations", s.name, got)
		}
	}
	if n == 0 {
		t.Error("no mark was read")
	}
}

type sample struct{ name, text string }

// texts are payloads of some 10,000 bytes.
func texts() []sample {
	foreign := NewKey(1)
	return []sample{
		{"code", strings.Repeat("	m[i][j] = append(m[i], x[[2]int{1, 2}])\n", 250)},
		{"foreign", strings.Repeat("text "+foreign.Text(Fact, "auth.null-user")+" more\n", 250)},
		{"marks", strings.Repeat("text "+key.Text(At, "auth.null-user", "internal/a.go:41")+" more\n", 150)},
	}
}

func wrongArity(t *testing.T) {
	for _, args := range [][]string{nil, {"a", "b"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a fact of %d words is written", len(args))
				}
			}()
			key.Text(Fact, args...)
		}()
	}
}

func BenchmarkScan(b *testing.B) {
	for _, s := range texts() {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.text)))
			b.ReportAllocs()
			for b.Loop() {
				key.Scan(s.text, func(Mark) {})
			}
		})
	}
}

func BenchmarkAppendText(b *testing.B) {
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = key.AppendText(buf[:0], Fact, "auth.null-user")
	}
}
