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
	t.Run("AUD-06 a proof is a test that ran and whose own name holds the whole id; what needs recorded data says so", func(t *testing.T) {
		if code, out := listed(t, green, "-write", file); code != 0 {
			t.Fatal(code, out)
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, l := range strings.Split(string(src), "\n") {
			if strings.HasPrefix(l, "| C") {
				rows = append(rows, l)
			}
		}
		want := "| CACHE-L1 | a: TestX |  |\n| CON-10 | a: TestX 2; b: TestY\\* |  |\n| CON-100 | a: TestX |  |"
		if got := strings.Join(rows, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("AUD-06 a list that is out of date is told, and so is a mutant that nothing noticed", func(t *testing.T) {
		if code, out := listed(t, green, "-check", file); code != 0 {
			t.Error(code, out)
		}
		results := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(results, []byte(`[{"check":"CON-10","mutants":[{"caught":true},{}]}]`), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, out := listed(t, green, "-check", file, "-mutants", results); code != 1 || !strings.Contains(out, "out of date") {
			t.Error(code, out)
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
	t.Run("a skipped test is a failure where recorded data is, and keeps the list from being compared elsewhere", func(t *testing.T) {
		t.Setenv("AGENTSIM_DATA", "here")
		if code, out := listed(t, green+skipping); code != 1 || !strings.Contains(out, "CON-12_without_data") {
			t.Error(code, out)
		}
		t.Setenv("AGENTSIM_DATA", "")
		if code, out := listed(t, green+skipping, "-check", file); code != 0 || !strings.Contains(out, "was not compared") {
			t.Error(code, out)
		}
	})
}
