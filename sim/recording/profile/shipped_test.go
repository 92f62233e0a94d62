package profile

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/rng"
)

var rewriteShipped = flag.Bool("rewrite-shipped", false, "write shipped/*.json anew from shipped/*.yaml")

func shippedTwice(t *testing.T) {
	files, err := filepath.Glob("shipped/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		p := must(Parse(name, string(text)))
		if *rewriteShipped {
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("shipped/"+name+".json", append(text, '\n'), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if !reflect.DeepEqual(p, must(Open(name))) {
			t.Errorf("%s.json is not %s.yaml: go test ./sim/recording/profile -rewrite-shipped", name, name)
		}
	}
}

func shippedOne(t *testing.T) {
	if !slices.Contains(Shipped(), Default) {
		t.Fatal(Shipped())
	}
	p, err := Open(Default)
	if err != nil || p.Origin == "" || len(p.Sources) != 1 {
		t.Fatalf("%v, %+v", err, p)
	}
	family := FamilyOf(opus)
	for _, w := range []Want{{Role: Main, Figure: "first_prompt"}, {Role: SubAgent, Figure: "first_prompt"}, {Role: SubAgent, Figure: "calls_whole"},
		{Role: SubAgent, Figure: "tool_uses"}, {Role: SubAgent, Figure: "overlap_parent"}, {Role: Main, Figure: "Bash.time"},
		{Role: SubAgent, Type: "Explore", Figure: "first_prompt"}} {
		w.Family = family
		f, grade := p.Find(w)
		if f == nil || grade != Measured {
			t.Errorf("%+v is %v", w, grade)
			continue
		}
		for i := range uint64(1000) {
			if v := f.At(rng.Root(3).At(i).Uint64()); v < f.Q[0] || v > f.Q[Steps] {
				t.Errorf("%+v: draw %d", w, v)
			}
		}
	}
	for _, c := range []struct {
		Want
		found bool
		grade Grade
	}{
		{Want{Role: Main, Family: FamilyOf("claude-sonnet-5-5"), Figure: "calls"}, true, Scaled},
		{Want{Role: Fork, Family: family, Figure: "calls"}, true, Assumed},
		{Want{Role: SubAgent, Family: family, Figure: "output"}, false, Assumed},
	} {
		if f, grade := p.Find(c.Want); (f != nil) != c.found || grade != c.grade {
			t.Errorf("%+v is %v", c.Want, grade)
		}
	}
	if _, err := Open("recorded-2026-12"); err == nil || !strings.Contains(err.Error(), `"recorded-2026-11"?`) {
		t.Errorf("%v", err)
	}
	if len(p.Text()) > 100<<10 {
		t.Errorf("%d bytes are not small enough to read", len(p.Text()))
	}
}

// shippedAgrees measures the open rows, which hold a part of what was measured, and
// compares medians: within the floor, for what rows tell.
func shippedAgrees(t *testing.T) {
	dir := recordingtest.Path(t, "sessions")
	m := New(Options{Joined: true})
	if _, err := importer.Read(os.DirFS(dir), []string{"requests.jsonl.gz"}, importer.Options{}, func(s *recording.Session) error {
		m.Add("", s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	rows, p := m.Profile(), must(Open(Default))
	for _, role := range []string{Main, SubAgent} {
		for _, figure := range []string{"first_prompt", "last_prompt", "calls", "growth", "input_units"} {
			w := Want{Role: role, Figure: figure}
			a, b := mustFind(t, rows, w), mustFind(t, p, w)
			for i, k := range []int{50, 90} {
				if r := ratio(a.Percentile(k), b.Percentile(k)); r > b.Floor[i] {
					t.Errorf("%s %s P%d: rows %d, shipped %d, floor %d", role, figure, k, a.Percentile(k), b.Percentile(k), b.Floor[i])
				}
			}
		}
	}
}

func must(p *Profile, err error) *Profile {
	if err != nil {
		panic(err)
	}
	return p
}

func nonsense(t *testing.T) {
	text := measured(Options{}, spawnSession(), plainSession("other", 100, 200)).Text()
	for _, c := range []struct{ was, now, want string }{
		{"profile: 1\n", "profile: 2\n", "profile version 2 is newer than this agentsim, which reads up to 1"},
		{"profile: 1\n", "profile: 0\n", "profile version 0 is none"},
		{"profile: 1\n", "scenario: 1\n", "this is no profile: it does not begin with profile: 1"},
		{"q: [1000, 1000", "q: [9000, 1000", "first_prompt has quantiles that fall"},
		{"calls: {n: 2,", "calls: {n: 1,", "calls is of 2 sessions and 1 samples"},
		{"calls: {n: 2, sessions: 2,", "calls: {n: 9, sessions: 5,", "calls is of 5 sessions, the source has 2"},
		{"calls: {n: 2, sessions: 2, thin: true,", "calls: {n: 2, sessions: 2,", "calls has 2 samples: it is thin below 20, and only then"},
		{"share: 667", "share: 1667", "one_tool is a share of 1667 thousandths"},
		{"          calls: {", "          cals: {", `unknown figure "cals"`},
		{"role: main", "role: mian", `unknown role "mian"`},
		{"    sessions: 2", "    sessons: 2", `unknown key "sessons"`},
		{"- sessions: 2", "- sessions: -2", "sessions"},
		{`    from: "2026-09-21"`, "    from: yesterday", `from: "yesterday" is no day`},
		{`    from: "2026-09-21"`, "    from: 2026-09-31", `from: "2026-09-31" is no day`},
		{`    from: "2026-09-21"`, "    from: 2026-09-22", "from 2026-09-22 is after to 2026-09-21"},
		{`    to: "2026-09-21"` + "\n", "", `to: "" is no day`},
		{"floor: [1500, 1500], q: [2,", "floor: [1500, 1500], q: [0,", "calls goes down to 0: it counts what there is at least one of"},
		{regexp.MustCompile(`first_prompt: .*`).FindString(text), "first_prompt: {n: 2, sessions: 2, thin: true, q: [0" + strings.Repeat(", 0", Steps) + "]}", "first_prompt is 0 throughout: no prompt is empty"},
	} {
		edited := strings.Replace(text, c.was, c.now, 1)
		if edited == text {
			edited = strings.Replace(text, strings.TrimSpace(c.was), strings.TrimSpace(c.now), 1)
		}
		_, err := Parse("p.yaml", edited)
		if edited == text || err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "p.yaml:") {
			t.Errorf("%q for %q: %v, want %q", c.now, c.was, err, c.want)
		}
	}
	for _, text := range []string{"", "name: x\n", "- 1\n", "profile: 1\n"} {
		if _, err := Parse("p.yaml", text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
