package shell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentsim/sim/workspace"
)

// words are what random scripts are made of: commands with operands that
// exist or not, in all the syntax that the shell has, and some it has not.
var words = strings.Split(`cat a|cat a b/c|ls|ls -R|grep -rn x .|grep -c o a|head -n 1 a|tail -1 a|wc a|sort a|sed -n 1p a|`+
	`sed -i s/o/0/ a|echo x|echo -n x|pwd|cd b|cd ..|cd /tmp|true|false|touch n|mkdir m|mkdir -p m/k|rm a|rm -r b|`+
	`cp a n|mv a n|tee t|find . -name c|git status|git diff|git add .|git commit -m x|git log|go test|sleep 1|nothing here|`+
	`x=1|x=$x$x|cat $x|rm $x|xargs rm|cat < a|cat < none|cat -n a|cat *|rm ?|touch {n,o}|echo [ab]*`, "|")

var joints = strings.Split("; | && || \n", " ")

var redirections = strings.Split(` |||||> n|>> a|2>/dev/null|> /dev/null|2>&1|> b|> /tmp/t|< a`, "|")

// script draws a script.
func script(t *rapid.T, depth int) string {
	var b strings.Builder
	for i := range rapid.IntRange(1, 4).Draw(t, "commands") {
		if i > 0 {
			b.WriteString(" " + rapid.SampledFrom(joints).Draw(t, "joint") + " ")
		}
		b.WriteString(single(t, depth))
		b.WriteString(" " + rapid.SampledFrom(redirections).Draw(t, "redirection"))
	}
	return b.String()
}

func single(t *rapid.T, depth int) string {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 7).Draw(t, "kind")
	}
	inner := func() string { return script(t, depth-1) }
	switch kind {
	case 1:
		return "( " + inner() + "\n)"
	case 2:
		return "{ " + inner() + "\n}"
	case 3:
		return "for i in $x {1..3} *; do " + inner() + "\ndone"
	case 4:
		return "echo \"$(" + inner() + "\n)\""
	case 5:
		return "! " + rapid.SampledFrom(words).Draw(t, "word")
	}
	return rapid.SampledFrom(words).Draw(t, "word")
}

func newEnv(t rapid.TB) *Env {
	snap, err := workspace.NewSnapshot(map[string]string{"a": "one\ntwo\none\n", "b/c": "x\no\n", "b/d": ""})
	if err != nil {
		t.Fatal(err)
	}
	return &Env{FS: snap.Open(), Root: "/work/project", Agent: 1, Session: &Session{}, Repo: &Repo{}, Programs: Programs()}
}

// state is everything that a script can change.
func state(e *Env) map[string]string {
	out := map[string]string{"log": fmt.Sprint(e.FS.Log(), e.FS.DirsBelow(""), e.Session.Temp().Log(), e.Session.Temp().DirsBelow("")), "repo": fmt.Sprint(len(e.Repo.staged), e.Repo.merging != nil)}
	e.Repo.open(e.FS)
	for _, k := range newest(e.Repo.head.before(map[*commit]bool{})) {
		out["repo"] += " " + k.hash + " " + k.message
	}
	for _, p := range e.FS.Paths() {
		out[p], _ = e.FS.Content(p)
	}
	return out
}

func TestConformance(t *testing.T) {
	t.Run("LOOP-03 a script that is said to read only changes nothing, whatever it is", rapid.MakeCheck(readOnlyLaw))
	t.Run("KRN-01 equal scripts on equal files end equally, within their bounds, and say all that they changed", rapid.MakeCheck(equalLaw))
	t.Run("hostile text ends with an error or a result, never otherwise", rapid.MakeCheck(hostileLaw))
	t.Run("deep nesting of any kind is refused, or given up, before it costs much", testNesting)
	t.Run("what grep finds below a directory, and what it is charged with, is what it finds in the same lines piped to it", rapid.MakeCheck(grepLaw))
	t.Run("quoting gives back any text", rapid.MakeCheck(quoteLaw))
}

func readOnlyLaw(t *rapid.T) {
	s := script(t, rapid.IntRange(0, 2).Draw(t, "depth"))
	e := newEnv(t)
	if !ReadOnly(s) {
		return
	}
	before := state(e)
	r := Run(e, s)
	if d := cmp.Diff(before, state(e)); d != "" || len(r.Wrote) > 0 || len(r.Temp) > 0 {
		t.Fatalf("%s\nwrote %v %v: %s", s, r.Wrote, r.Temp, d)
	}
}

func equalLaw(t *rapid.T) {
	s := script(t, rapid.IntRange(0, 2).Draw(t, "depth"))
	a, b := newEnv(t), newEnv(t)
	before := state(a)
	ra, rb := Run(a, s), Run(b, s)
	if d := cmp.Diff(told(ra, true), told(rb, true)); d != "" {
		t.Fatalf("%s\n%s", s, d)
	}
	if d := cmp.Diff(state(a), state(b)); d != "" {
		t.Fatalf("%s\n%s", s, d)
	}
	if len(ra.Output) > maxShown+200 || ra.Took > DefaultTimeout {
		t.Fatalf("%s\n%d bytes in %v", s, len(ra.Output), ra.Took)
	}
	if changed := cmp.Diff(before, state(a)) != ""; changed != (len(ra.Wrote)+len(ra.Temp) > 0) {
		t.Fatalf("%s\nchanged: %v, and it says %v %v", s, changed, ra.Wrote, ra.Temp)
	}
}

// hostileLaw runs scripts with pieces cut out and signs put in.
func hostileLaw(t *rapid.T) {
	s := script(t, 2)
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		at := rapid.IntRange(0, len(s)).Draw(t, "at")
		end := rapid.IntRange(at, min(len(s), at+6)).Draw(t, "end")
		s = s[:at] + rapid.StringOf(rapid.SampledFrom([]rune("()[]{}<>|&;$`'\"\\*?!#~=- \n\t019axé%@:/^,.+"))).Draw(t, "put") + s[end:]
	}
	Run(newEnv(t), s)
	ReadOnly(s)
}

func testNesting(t *testing.T) {
	for _, s := range []string{"(", "$(", "{ ", "if ", "${x:-", "\"$(", "$((", "(( ", "[[ ( ", "while ", "x() ", "<(", "$((-", "$((x?", "$((1**", "$((a[", "((a=", "case x in a) ",
		"for i in $(", "function f ", "time ", "coproc ", "$(( - - "} {
		e := newEnv(t)
		if r := Run(e, strings.Repeat(s, maxScript/len(s))); r.Err == nil {
			t.Errorf("%q gives %.200v", s, r.Err)
		}
	}
	if r := Run(newEnv(t), strings.Repeat("#", maxScript+1)); r.Err == nil || !strings.Contains(r.Err.Error(), "bytes") {
		t.Errorf("a script that is too long gives %v", r.Err)
	}
}

// grepLaw searches a file by a walk, where lines that cannot match are not looked at,
// and its content from a pipe, where each one is.
func grepLaw(t *rapid.T) {
	content := rapid.StringOf(rapid.SampledFrom([]rune("abab\n "))).Draw(t, "content")
	set := flags{}
	for _, f := range strings.Split(rapid.SampledFrom(strings.Fields("n c v q l i E v,c v,n")).Draw(t, "flags"), ",") {
		set[f] = "true"
	}
	pattern := rapid.SampledFrom(strings.Fields("a ab aba ^aba aab|bba ab*a b$ legacy_a")).Draw(t, "pattern")
	snap, err := workspace.NewSnapshot(map[string]string{"d/f": content})
	if err != nil {
		t.Fatal(err)
	}
	grep := func(walk bool) (string, bool, int) {
		m := newMachine(&Env{FS: snap.Open(), Root: "/r", Session: &Session{}, Repo: &Repo{}})
		s := &search{c: &call{streams: &streams{out: m.buffer(), err: m.buffer()}, m: m}, f: set}
		if err := s.compile(pattern); err != nil {
			t.Fatal(err)
		}
		src := file{name: "d/f", content: content}
		if walk {
			src.version = m.version("/r/d/f")
		}
		before := m.work
		found := s.in(src)
		return s.c.out.String(), found, m.work - before
	}
	text, found, work := grep(true)
	if text2, found2, work2 := grep(false); text != text2 || found != found2 || work != work2 {
		t.Fatalf("grep %v %s in %q: %q %v for %d, and from a pipe %q %v for %d", set, pattern, content, text, found, work, text2, found2, work2)
	}
}

func quoteLaw(t *rapid.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab $*?[]{}\"`\\~#;|&<>()!=\té\n"))).Draw(t, "text")
	quoted := "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	e := newEnv(t)
	if r := Run(e, "x="+quoted+"; echo -n \"$x\""); r.Err != nil || r.Output != text {
		t.Fatalf("%q gives %q, %v", text, r.Output, r.Err)
	}
}

// FuzzRun holds that no text makes the shell panic or run away.
func FuzzRun(f *testing.F) {
	for _, w := range words {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, s string) {
		snap, _ := workspace.NewSnapshot(map[string]string{"a": "one\n"})
		e := &Env{FS: snap.Open(), Root: "/r", Session: &Session{}, Repo: &Repo{}}
		reads := ReadOnly(s)
		if r := Run(e, s); reads && len(r.Wrote)+len(r.Temp) > 0 {
			t.Errorf("%q is said to read and wrote %v %v", s, r.Wrote, r.Temp)
		}
	})
}
