package worktree

import (
	"os/exec"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSlugs(t *testing.T) {
	t.Run("WKT-01 a slug has at most 64 of a few characters, and leads nowhere", testSlugs)
	t.Run("WKT-01 what is taken for a slug stays below its directory and makes a branch that git has", rapid.MakeCheck(slugLaw))
	t.Run("WKT-02 an agent's slug is the first 8 of its id, and a number where that is taken", testAgentSlug)
}

func testSlugs(t *testing.T) {
	for _, ok := range []string{"a", "agent-0a1b2c3d", "A.b_c-d", "a/b/c", ".hidden", strings.Repeat("x", 64)} {
		if err := CheckSlug(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range []string{"", strings.Repeat("x", 65), "/a", "a/", "a//b", "..", "../a", "a/../b", "a..b", ".", "a/./b", "a b", "a\nb", "a\x00", "é", `a\b`, "~", "a:b", "a*", "a.lock", "a."} {
		if err := CheckSlug(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if Path("a/b") != ".claude/worktrees/a+b" || Branch("a/b") != "worktree-a+b" {
		t.Errorf("%s, %s", Path("a/b"), Branch("a/b"))
	}
}

// holds is WKT-01 for any text.
func holds(t interface{ Fatalf(string, ...any) }, slug string) {
	err := CheckSlug(slug)
	plain := strings.Trim(slug, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./-_") == "" && slug != "" && len(slug) <= 64
	leads := strings.Contains(slug, "..") || strings.HasPrefix(slug, "/") || strings.HasSuffix(slug, "/") || strings.Contains(slug, "//")
	if err == nil && (!plain || leads) {
		t.Fatalf("%q was taken", slug)
	}
	if err == nil && (path.Clean(Path(slug)) != Path(slug) || path.Dir(Path(slug)) != Dir) {
		t.Fatalf("%q is at %s", slug, Path(slug))
	}
}

func slugLaw(t *rapid.T) {
	slug := rapid.StringOfN(rapid.SampledFrom([]rune("aZ0.-_/.lock")), 1, 8, -1).Draw(t, "slug")
	holds(t, slug)
	if CheckSlug(slug) != nil {
		return
	}
	if out, err := exec.Command("git", "check-ref-format", "--branch", Branch(slug)).CombinedOutput(); err != nil {
		t.Fatalf("%q: git refuses branch %s: %s", slug, Branch(slug), out)
	}
}

// FuzzSlugs is WKT-01 for bytes of any kind.
func FuzzSlugs(f *testing.F) {
	for _, s := range []string{"agent-0a1b2c3d", "../x", "/x", "a//b", "a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { holds(t, s) })
}

func testAgentSlug(t *testing.T) {
	taken := map[string]bool{}
	for _, want := range []string{"agent-0123abcd", "agent-0123abcd-2", "agent-0123abcd-3"} {
		got := AgentSlug("0123abcdffff0000", func(s string) bool { return taken[s] })
		if got != want || CheckSlug(got) != nil {
			t.Errorf("%s, want %s", got, want)
		}
		taken[got] = true
	}
	if got := AgentSlug("ab", func(string) bool { return false }); got != "agent-ab" {
		t.Error(got)
	}
}
