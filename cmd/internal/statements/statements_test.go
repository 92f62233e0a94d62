package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// green is a run of three tests that bear ids, one of which uses recorded data.
const green = `{"Action":"run","Package":"agentsim/a","Test":"TestX"}
{"Action":"pass","Package":"agentsim/a","Test":"TestX/CON-10_said_at_once"}
{"Action":"pass","Package":"agentsim/a","Test":"TestX/CON-100_is_another_id"}
{"Action":"pass","Package":"agentsim/a","Test":"TestX/CACHE-L1-CON-10-a-law"}
{"Action":"pass","Package":"agentsim/a","Test":"TestX/CON-10_said_at_once/inner"}
{"Action":"pass","Package":"agentsim/a","Test":"TestX/UTF-8_is_no_id"}
{"Action":"attr","Package":"agentsim/b","Test":"TestY/CON-10_of_data/rows","Key":"recordings","Value":"sessions"}
{"Action":"pass","Package":"agentsim/b","Test":"TestY/CON-10_of_data/rows"}
{"Action":"pass","Package":"agentsim/b","Test":"TestY/CON-10_of_data"}
{"Action":"pass","Package":"agentsim/b","Elapsed":1}
`

const (
	failing = `{"Action":"output","Package":"agentsim/c","Test":"TestZ/CON-11_red","Output":"this is why\n"}
{"Action":"fail","Package":"agentsim/c","Test":"TestZ/CON-11_red"}
`
	skipping = `{"Action":"skip","Package":"agentsim/c","Test":"TestZ/CON-12_without_data"}
`
	unbuilt = `{"Action":"build-output","ImportPath":"agentsim/d","Output":"d.go:1: no\n"}
{"Action":"build-fail","ImportPath":"agentsim/d"}
`
)

func listed(t *testing.T, log string, args ...string) (code int, out string) {
	t.Helper()
	var b bytes.Buffer
	code = run(args, strings.NewReader(log), &b, &b)
	return code, b.String()
}

func TestStatements(t *testing.T) {
	file := filepath.Join(t.TempDir(), "S.md")
	holds := func(t *testing.T, text string, want int, said string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, out := listed(t, green, "-check", file); code != want || !strings.Contains(out, said) {
			t.Errorf("%s\nends with %d and says %s", text, code, out)
		}
	}
	const all = "# x\n\n- CACHE-L1 A law holds.\n- CON-10 It is said.\n- CON-100 So is this.\n"
	t.Run("AUD-06 a proof is a test that ran and whose own name holds the whole id; what needs recorded data says so", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(results, []byte(`[{"check":"CON-10","mutants":[{"caught":true},{}]}]`), 0o644); err != nil {
			t.Fatal(err)
		}
		_, out := listed(t, green, "-tests", "-mutants", results)
		var rows []string
		for _, l := range strings.Split(out, "\n") {
			if strings.HasPrefix(l, "| C") {
				rows = append(rows, l)
			}
		}
		want := "| CACHE-L1 | a: TestX |  |\n| CON-10 | a: TestX 2; b: TestY\\* | 1 of 2 noticed |\n| CON-100 | a: TestX |  |"
		if got := strings.Join(rows, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("AUD-06 DOC-04 each statement that a test proves has a sentence of one line, and each sentence a test", func(t *testing.T) {
		holds(t, all, 0, "7 passed")
		holds(t, strings.Replace(all, "- CON-10 It is said.\n", "", 1), 1, "has no sentence for CON-10, which agentsim/a TestX/CACHE-L1-CON-10-a-law proves")
		holds(t, all+"- CON-101 So is that.\n", 1, "no test that passes bears CON-101")
		holds(t, all+"- CON-101 "+strings.Repeat("x", 150)+".\n", 1, "S.md:6: longer than 160 characters")
		holds(t, all+"- CON-99 So is that.\n", 1, "S.md:6: CON-99 comes before CON-100")
		holds(t, all+"- CON101 So is that.\n", 1, "S.md:6: a line is - ID and a sentence")
	})
	t.Run("AUD-06 a sentence that names a target is proven by the tests of that target", func(t *testing.T) {
		away := all + "- CON-101 A browser shows it (make browser).\n"
		holds(t, away, 0, "7 passed")
		if code, out := listed(t, green, "-check", file, "-apart", "browser"); code != 1 || !strings.Contains(out, "bears CON-101") || strings.Contains(out, "bears CON-10 ") {
			t.Error(code, out)
		}
		shown := `{"Action":"pass","Package":"agentsim/e","Test":"TestE/CON-101_shown"}` + "\n"
		for target, want := range map[string]int{"browser": 0, "outside": 0, "": 1} { // all but CON-101 are this module's
			if code, out := listed(t, shown, "-check", file, "-apart", target); code != want {
				t.Error(target, code, out)
			}
		}
	})
	t.Run("a failure is printed and ends with 1, as does a package that does not compile", func(t *testing.T) {
		if code, out := listed(t, green+failing); code != 1 || !strings.Contains(out, "this is why") || !strings.Contains(out, "7 passed, 1 failed, 0 skipped") {
			t.Error(code, out)
		}
		if code, out := listed(t, green+unbuilt); code != 1 || !strings.Contains(out, "d.go:1") {
			t.Error(code, out)
		}
	})
	t.Run("a skipped test is a failure where recorded data is, and excuses a sentence without a proof elsewhere", func(t *testing.T) {
		t.Setenv("AGENTSIM_DATA", "here")
		if code, out := listed(t, green+skipping); code != 1 || !strings.Contains(out, "CON-12_without_data") {
			t.Error(code, out)
		}
		t.Setenv("AGENTSIM_DATA", "")
		if err := os.WriteFile(file, []byte(all+"- CON-101 So is that.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, out := listed(t, green+skipping, "-check", file); code != 0 {
			t.Error(code, out)
		}
	})
}
