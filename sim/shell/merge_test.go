package shell

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMergedLines(t *testing.T) {
	t.Run("WKT-06 lines that differ are merged as git merges them", rapid.MakeCheck(mergeLaw))
}

func mergeLaw(t *rapid.T) {
	dir, err := os.MkdirTemp("", "merge")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	base := strings.SplitAfter("a\nb\nc\nd\ne\nf\ng\n", "\n")[:rapid.IntRange(0, 7).Draw(t, "lines")]
	texts := []string{strings.Join(base, "")}
	for _, name := range []string{"ours", "theirs"} {
		var out []string
		for i := 0; i <= len(base); i++ {
			if rapid.IntRange(0, 4).Draw(t, "added") == 0 {
				out = append(out, name+string(rune('0'+i))+"\n")
			}
			if i < len(base) && rapid.IntRange(0, 4).Draw(t, "taken away") > 0 {
				out = append(out, base[i])
			}
		}
		text := strings.Join(out, "")
		if rapid.IntRange(0, 4).Draw(t, "without an end") == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		texts = append(texts, text)
	}
	for i, name := range []string{"base", "ours", "theirs"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(texts[i]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("git", "merge-file", "-p", "ours", "base", "theirs")
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
	want, err := c.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	got, clean := mergeLines(texts[0], texts[1], texts[2], "ours", "theirs")
	if clean != (err == nil) || clean && got != string(want) {
		t.Fatalf("clean %v:\n%s\ngit, %v:\n%s", clean, got, err, want)
	}
}
