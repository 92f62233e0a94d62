package workspace

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

func snapshot(t rapid.TB, files map[string]string) *Snapshot {
	t.Helper()
	s, err := NewSnapshot(files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	t.Run("KRN-01 a snapshot's hash changes with any path or content and with nothing else", testHash)
	t.Run("KRN-01 a run's writes never reach the snapshot or another run", rapid.MakeCheck(overlayLaw))
	t.Run("CON-12 a planted mark stands whole at the end of its line and changes no other", rapid.MakeCheck(plantLaw))
	t.Run("CON-13 a version is named by its content", testVersions)
	t.Run("a path that could not be listed on one line or leaves the project is refused", testPaths)
	t.Run("rendered pages stay with their version and searches with the state of the tree", testKept)
	t.Run("a search equals a plain look at every line", rapid.MakeCheck(grepLaw))
	t.Run("a file says whether a literal stands in it, and how many pieces its lines have, after each write", rapid.MakeCheck(containsLaw))
	t.Run("the write log tells who wrote what over what", testLog)
}

func testHash(t *testing.T) {
	base := snapshot(t, map[string]string{"a": "1", "b": "2"})
	if again := snapshot(t, map[string]string{"b": "2", "a": "1"}); again.Hash() != base.Hash() {
		t.Error("equal files, other hash")
	}
	seen := map[string]string{base.Hash(): "base"}
	for _, files := range []map[string]string{{"a": "1", "b": "3"}, {"a": "1", "c": "2"}, {"a": "1"}, {"a": "12", "b": ""}, {"a": "2", "b": "1"}, {}} {
		h := snapshot(t, files).Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%v has the hash of %s", files, other)
		}
		seen[h] = fmt.Sprint(files)
	}
	if base.Len() != 2 {
		t.Errorf("%d files", base.Len())
	}
}

// overlayLaw writes at random into two trees and compares each with a map.
func overlayLaw(t *rapid.T) {
	names := rapid.SampledFrom(strings.Fields("a b c d/e d/f g"))
	base := map[string]string{"a": "one\n", "d/e": "two", "g": ""}
	s := snapshot(t, base)
	trees := []*FS{s.Open(), s.Open()}
	models := []map[string]string{{}, {}}
	for i := range models {
		for p, c := range base {
			models[i][p] = c
		}
	}
	for range rapid.IntRange(0, 20).Draw(t, "steps") {
		i, p := rapid.IntRange(0, 1).Draw(t, "tree"), names.Draw(t, "path")
		if rapid.Bool().Draw(t, "look") {
			trees[i].File(p)
			continue
		}
		content := rapid.StringOf(rapid.SampledFrom([]rune("xy\n"))).Draw(t, "content")
		held := trees[i].Paths()
		names := slices.Clone(held)
		if _, err := trees[i].Write(p, content, 1); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(held, names) {
			t.Fatalf("a list of paths changed under its holder: %v, was %v", held, names)
		}
		models[i][p] = content
	}
	for i, f := range trees {
		got := map[string]string{}
		for _, p := range f.Paths() {
			c, _ := f.Content(p)
			if file := f.File(p); file.Content() != c || file.Path() != p || file.Version() != versionOf(c) {
				t.Fatalf("%s: File and Content differ", p)
			}
			got[p] = c
		}
		if d := cmp.Diff(models[i], got); d != "" || !slices.IsSorted(f.Paths()) {
			t.Fatalf("tree %d, %v: %s", i, f.Paths(), d)
		}
	}
	if s.Hash() != snapshot(t, base).Hash() || !slices.Equal(s.Paths(), []string{"a", "d/e", "g"}) {
		t.Fatal("the snapshot changed")
	}
}

func plantLaw(t *rapid.T) {
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	lines := rapid.SliceOfN(rapid.StringMatching("[a-z ]{0,6}"), 1, 6).Draw(t, "lines")
	content := strings.Join(lines, eol)
	if rapid.Bool().Draw(t, "ended") || lines[len(lines)-1] == "" {
		content += eol
	}
	f := snapshot(t, map[string]string{"f": content}).Open()
	n := rapid.IntRange(1, len(lines)).Draw(t, "line")
	m := mark.NewKey(1).Text(mark.Fact, "a.b")
	if err := f.Plant("f", n, m); err != nil {
		t.Fatal(err)
	}
	lines[n-1] += " " + m
	want := strings.Join(lines, eol)
	if strings.HasSuffix(content, "\n") {
		want += eol
	}
	if got, _ := f.Content("f"); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	if len(f.Log()) != 0 {
		t.Fatal("planting stands in the write log")
	}
	for _, bad := range []int{0, len(lines) + 1} {
		if err := f.Plant("f", bad, m); err == nil {
			t.Fatalf("line %d of %d took a mark", bad, len(lines))
		}
	}
}

func testVersions(t *testing.T) {
	f := snapshot(t, map[string]string{"a": "one\ntwo", "b": ""}).Open()
	first, _ := f.Stat("a")
	if first.Lines != 2 || first.Bytes != 7 || !regexp.MustCompile("^[0-9a-f]{8}$").MatchString(first.Hash) {
		t.Errorf("version %+v", first)
	}
	second, err := f.Write("a", "one\ntwo\n", 1)
	if err != nil || second.Lines != 2 || second.Hash == first.Hash {
		t.Errorf("version %+v, %v", second, err)
	}
	for _, other := range []string{"Xne\ntwo", "one\ntwX", "oneXtwo"} {
		if v := versionOf(other); v.Hash == first.Hash {
			t.Errorf("%q has the hash of another content", other)
		}
	}
	if back, _ := f.Write("a", "one\ntwo", 1); back != first {
		t.Errorf("the first content again is %+v, was %+v", back, first)
	}
	if v, _ := f.Stat("b"); v.Lines != 0 {
		t.Errorf("an empty file has %d lines", v.Lines)
	}
	if _, ok := f.Stat("c"); ok || f.File("c") != nil {
		t.Error("there is a file that nobody wrote")
	}
}

func testPaths(t *testing.T) {
	for _, p := range []string{"", ".", "..", "../a", "/a", "a/", "a//b", "./a", "a/../b", "a\nb", "a\x7f", "a\xff"} {
		if _, err := NewSnapshot(map[string]string{p: ""}); err == nil {
			t.Errorf("%q was taken", p)
		}
		if _, err := snapshot(t, nil).Open().Write(p, "", 0); err == nil {
			t.Errorf("%q was written", p)
		}
	}
	for _, p := range []string{"a", "..a", "a b", "é/ü", ".hidden"} {
		if _, err := NewSnapshot(map[string]string{p: ""}); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	if _, err := NewSnapshot(map[string]string{"a": "", "a/b": ""}); err == nil {
		t.Error("a file is a directory too")
	}
	if _, err := NewSnapshot(map[string]string{"a": "\xff"}); err == nil {
		t.Error("content that is no text was taken")
	}
}

func testKept(t *testing.T) {
	f := snapshot(t, map[string]string{"a": "one"}).Open()
	page, answer := llm.NewText(llm.Code, "page"), llm.NewText(llm.Code, "answer")
	search := Search{"Grep", "{}"}
	f.File("a").KeepPage(Page{Offset: 1, Limit: 0, To: 1, Payload: page})
	f.KeepFound(search, answer)
	if p, ok := f.File("a").Page(1, 0); !ok || p.Payload != page || f.Found(search) != answer {
		t.Error("what was kept is gone")
	}
	if _, ok := f.File("a").Page(1, 1); ok {
		t.Error("another range has the same page")
	}
	if _, err := f.Write("a", "two", 1); err != nil {
		t.Fatal(err)
	}
	if _, ok := f.File("a").Page(1, 0); ok || f.Found(search) != nil {
		t.Error("a page or an answer outlived a write")
	}
	for i := range 3 * maxPages {
		f.File("a").KeepPage(Page{Offset: i})
	}
	for i := range maxSearches + 1 {
		f.KeepFound(Search{"Grep", fmt.Sprint(i)}, answer)
	}
	if len(f.File("a").pages) > maxPages || len(f.searches) > maxSearches {
		t.Error("what is kept has no bound")
	}
}

func grepLaw(t *rapid.T) {
	files := map[string]string{}
	for _, p := range strings.Fields("a.go d/b.go d/e/c.txt dd/f.go") {
		files[p] = rapid.StringOf(rapid.SampledFrom([]rune("abab\n\r"))).Draw(t, p)
	}
	f := snapshot(t, files).Open()
	q := Query{Re: regexp.MustCompile(rapid.SampledFrom([]string{"ab", "^a", "b$", "^$", "a.b", "[ab]+", "aba", "ba+b", "aab|bba", "^abb", "a\nb", ""}).Draw(t, "re")),
		Under: rapid.SampledFrom([]string{"", "d", "a.go", "d/e"}).Draw(t, "under"),
		Glob:  rapid.SampledFrom([]string{"", "*.go", "**/*.txt"}).Draw(t, "glob"), First: rapid.Bool().Draw(t, "first")}
	var want []Match
	for _, p := range strings.Fields("a.go d/b.go d/e/c.txt dd/f.go") {
		if q.Under != "" && p != q.Under && !strings.HasPrefix(p, q.Under+"/") || q.Glob == "*.go" && !strings.HasSuffix(p, ".go") ||
			q.Glob == "**/*.txt" && !strings.HasSuffix(p, ".txt") {
			continue
		}
		lines := strings.Split(files[p], "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i, line := range lines {
			if line = strings.TrimSuffix(line, "\r"); q.Re.MatchString(line) {
				want = append(want, Match{p, i + 1, line})
				if q.First {
					break
				}
			}
		}
	}
	got, err := f.Grep(q)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Fatalf("%+v: %v %s", q, err, d)
	}
}

func containsLaw(t *rapid.T) {
	f := snapshot(t, map[string]string{"a": ""}).Open()
	text := rapid.StringOf(rapid.SampledFrom([]rune("aab é漢\n\x00")))
	for range 4 {
		content := text.Draw(t, "content") + strings.Repeat("-", rapid.IntRange(0, 300).Draw(t, "more"))
		if _, err := f.Write("a", content, 1); err != nil {
			t.Fatal(err)
		}
		pieces := 0
		for line := range strings.Lines(content) {
			pieces += len(line)/16 + 1
		}
		if got := f.File("a").Pieces(); got != pieces {
			t.Fatalf("%d pieces, not %d, in %q", got, pieces, content)
		}
		at := rapid.IntRange(0, len(content)).Draw(t, "at")
		for _, literal := range []string{text.Draw(t, "literal"), content[at:rapid.IntRange(at, len(content)).Draw(t, "end")]} {
			if got, want := f.File("a").Contains(literal), strings.Contains(content, literal); got != want {
				t.Fatalf("%q in %q: %v", literal, content, got)
			}
		}
	}
}

func testLog(t *testing.T) {
	f := snapshot(t, map[string]string{"a": "one"}).Open()
	first, _ := f.Stat("a")
	second, _ := f.Write("a", "two", 7)
	third, _ := f.Write("b", "new", 8)
	want := []Write{{"a", first.Hash, second.Hash, 7}, {"b", "", third.Hash, 8}}
	if d := cmp.Diff(want, f.Log()); d != "" {
		t.Error(d)
	}
}
