package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
)

// pasted is a line that holds a command to paste, which stays whole.
var pasted = regexp.MustCompile(`(^|  )agentsim [a-z]`)

// widths looks at what the command lines of the page of fields answer on terminals.
func widths(t *testing.T, lines []string, at map[string]func(form string, width int) string) {
	for _, line := range lines {
		for _, width := range []int{60, 80, 120, 200} {
			wide(t, fmt.Sprintf("agentsim %s at %d", line, width), at[line]("table", width), width)
		}
	}
}

// answerOf runs a command once, and is what it answers in each form, in a terminal so
// wide.
func answerOf(t *testing.T, args []string) func(form string, width int) string {
	t.Helper()
	var seen []*report.Document
	code, _, stderr := try(func(s *ui.Env) { s.Seen = func(d *report.Document) { seen = append(seen, d) } }, args...)
	if seen == nil || code != ui.Pass && code != ui.Missed {
		t.Fatalf("agentsim %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return func(form string, width int) string {
		var out strings.Builder
		for _, d := range seen {
			if err := d.Write(&out, form, report.Style{Width: width}); err != nil {
				t.Fatal(err)
			}
		}
		return out.String()
	}
}

// TestPartsApart: parts of one name differ in who has them, which no narrow terminal drops.
func TestPartsApart(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := try(nil, "check", ".", "--update"); code != 0 {
		t.Fatal(stderr)
	}
	t.Run("TTY-01 at 60, 80 and 100 columns each part of check says who has it", func(t *testing.T) {
		at := answerOf(t, []string{"check", "."})
		for width, parts := range map[int]string{60: ` +WHO HAS\n.* IT\n`, 80: `(?m)^PART .* WHO HAS IT$`, 100: `(?m)^PART .* WHO HAS IT$`} {
			if out := at("table", width); !regexp.MustCompile(parts).MatchString(out) {
				t.Errorf("at %d columns:\n%s", width, out)
			}
		}
	})
}

// TestToldWrapped: what is told beside the answer keeps to the terminal, too.
func TestToldWrapped(t *testing.T) {
	t.Run("TTY-01 at 80 columns warnings on standard error are broken between words, and the scenario's name is set off", func(t *testing.T) {
		code, out, stderr := try(func(s *ui.Env) { s.ErrTerminal, s.Terminal, s.Width = true, true, 80 }, "run", "content-replacement", "--record", "none", "--no-audit")
		if code != ui.Pass || !strings.HasPrefix(out, "content-replacement   seed 42") {
			t.Errorf("exit code %d, out\n%.200s", code, out)
		}
		if !strings.Contains(stderr, "\n  ") {
			t.Errorf("nothing is broken in\n%s", stderr)
		}
		for line := range strings.Lines(stderr) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	})
}

// TestManyColumns shows tables of many variants, and long names, on narrow terminals.
func TestManyColumns(t *testing.T) {
	long(t)
	t.Chdir(t.TempDir())
	_, text, _ := try(nil, "scenario", "show", "fork-vs-subagent", "--variant", "fork")
	if err := os.WriteFile("named.yaml", []byte(strings.Replace(text, "name: fork-vs-subagent", "name: twenty-two-letters-name", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fork-vs-subagent", "named.yaml"} {
		if code, _, stderr := try(nil, "bench", name, "--baseline", name+".base", "--update"); code != 0 {
			t.Fatal(stderr)
		}
	}
	small := []string{"--variant", "small-inline", "--variant", "small-subagent", "--variant", "small-fork", "--variant", "small-coordinator", "--variant", "small-team"}
	for what, args := range map[string][]string{
		"a sweep":            append([]string{"sweep", "all-ways", "--set", "model.prompting=full,lazy"}, small...),
		"a run with a sweep": append([]string{"run", "all-ways", "--record", "none"}, small...),
		"a gate with a name": {"bench", "named.yaml", "--baseline", "named.yaml.base", "--profile", "tiny"},
		"a gate of two":      {"bench", "fork-vs-subagent", "named.yaml", "--baseline", "named.yaml.base", "--profile", "tiny"},
	} {
		t.Run("TTY-01 at 60 and 80 columns no row breaks in "+what+", and the answer stays", func(t *testing.T) {
			at := answerOf(t, args)
			for _, width := range []int{60, 80} {
				out := at("table", width)
				if !regexp.MustCompile("(?m)  (CHEAPEST|VERDICT)$").MatchString(out) || !strings.Contains(out, "not shown at") {
					t.Errorf("no answer, or all fits:\n%s", out)
				}
				wide(t, fmt.Sprintf("%s at %d", what, width), out, width)
			}
		})
	}
}

// TestColours looks at what is coloured on a terminal.
func TestColours(t *testing.T) {
	long(t)
	t.Chdir(t.TempDir())
	terminal := func(args ...string) string {
		_, out, stderr := try(func(s *ui.Env) { s.Terminal, s.Width = true, 120 }, args...)
		return out + stderr
	}
	t.Run("TTY-02 the cheapest of a grid point, the better side, verdicts and tokens written again are coloured, and say it in words too", func(t *testing.T) {
		for _, variant := range []string{"eight", "nine"} {
			_, text, _ := try(nil, "scenario", "show", "fan-out", "--variant", variant)
			if err := os.WriteFile("s.yaml", []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if variant == "eight" {
				terminal("bench", "s.yaml", "--baseline", "f.base", "--update")
			}
		}
		terminal("run", "fan-out", "--variant", "nine", "--db", "f.db")
		id := regexp.MustCompile("[0-9a-f]{8}").FindString(terminal("inspect", "--db", "f.db"))
		for what, c := range map[string]struct {
			args  []string
			wants []string
		}{
			"sweep":   {[]string{"sweep", "fan-out", "--variant", "eight", "--variant", "nine", "--set", "seed=1,2"}, []string{"\x1b[32m$0.10", "CHEAPEST"}},
			"compare": {[]string{"compare", "fan-out:eight", "fan-out:nine"}, []string{"\x1b[31mA\x1b[0m", "BETTER"}},
			"back":    {[]string{"compare", "fan-out:nine", "fan-out:eight"}, []string{"\x1b[32mB\x1b[0m", "BETTER"}},
			"bench":   {[]string{"bench", "s.yaml", "--baseline", "f.base"}, []string{"\x1b[31mregression\x1b[0m"}},
			"missed":  {[]string{"run", "fan-out", "--variant", "nine", "--set", "provider.fourth_mark=true"}, []string{"\x1b[31mmissed"}},
			"misses":  {[]string{"inspect", id, "--misses", "--db", "f.db"}, []string{"\x1b[31m4,693\x1b[0m", "WRITTEN AGAIN"}},
		} {
			out := terminal(c.args...)
			for _, want := range c.wants {
				if !strings.Contains(out, want) {
					t.Errorf("%s has no %q:\n%.3000s", what, want, out)
				}
			}
		}
	})
}

// wide reports lines that are wider than a terminal, and columns that are left out
// where there is room. A profile's table has twelve, of which its keys need more than 120.
func wide(t *testing.T, what, out string, width int) {
	t.Helper()
	for line := range strings.Lines(ansi.ReplaceAllString(out, "")) {
		if line = strings.TrimSuffix(line, "\n"); !pasted.MatchString(line) && utf8.RuneCountInString(line) > width {
			t.Errorf("%s: %s", what, line)
		}
	}
	large := strings.HasPrefix(what, "agentsim profile show ") || strings.HasPrefix(what, "agentsim check ") // which have a column more than 120 take
	if _, left, found := strings.Cut(out, "not shown at"); found && (width >= 200 || width >= 120 && !large) {
		left, _, _ = strings.Cut(left, "(")
		t.Errorf("%s: columns are left out: %s", what, left)
	}
}
