package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

func TestReprice(t *testing.T) {
	t.Run("REC-05 figures repriced from the record are those of a run again, for the library's scenarios, and instants and tokens are the same", repricedLibrary)
	t.Run("REC-05 a setting that changes what is sent, counted or waited for is refused, with where to ask", notFromTheRecord)
}

// runInto runs a scenario into a database of its own and lists its runs by variant.
func runInto(t *testing.T, name string, args ...string) (path string, runs map[string]sqlite.RunInfo, code ui.Code) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "runs.db")
	code, _, stderr := try(nil, append([]string{"run", name, "--db", path, "--no-audit"}, args...)...)
	if code == ui.Usage {
		return path, nil, code
	}
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err, stderr)
	}
	defer db.Close()
	list, err := db.Runs()
	if err != nil || len(list) == 0 {
		t.Fatal(err, stderr)
	}
	runs = map[string]sqlite.RunInfo{}
	for _, r := range list {
		runs[r.Variant] = r
	}
	return path, runs, code
}

func repricedLibrary(t *testing.T) {
	long(t)
	for _, setting := range []string{"provider.inference_geo=us", "provider.speed=fast"} {
		compared, dearer := 0, 0
		for _, name := range []string{"hello", "fan-out", "retry-storm", "nested", "stream-failures", "abort-tree"} {
			model := "provider.model=claude-opus-4-8"
			path, base, _ := runInto(t, name, "--set", model)
			_, again, code := runInto(t, name, "--record", "totals", "--set", model, "--set", setting)
			for variant, r := range base {
				got, out, errs := try(nil, "inspect", r.ID, "--db", path, "--reprice", setting, "-o", "json")
				if code == ui.Usage {
					if got != ui.Usage {
						t.Errorf("%s/%s %s: a run again is refused, from the record it is %d", name, variant, setting, got)
					}
					continue
				}
				var doc struct {
					Cost     int64 `json:"cost_picodollars"`
					Uncached int64 `json:"cost_uncached_picodollars"`
					Before   int64 `json:"recorded_cost_picodollars"`
				}
				if err := json.Unmarshal([]byte(out), &doc); err != nil || got != ui.Pass {
					t.Fatalf("%s/%s: code %d, %v\n%s%s", name, variant, got, err, out, errs)
				}
				want := again[variant]
				if want.EndedAt != r.EndedAt || want.Usage != r.Usage {
					t.Errorf("%s/%s: %s changes instants or tokens", name, variant, setting)
				}
				if doc.Cost != want.Cost || doc.Uncached != want.Uncached || doc.Before != r.Cost {
					t.Errorf("%s/%s %s: from the record %d (%d uncached), run again %d (%d)", name, variant, setting, doc.Cost, doc.Uncached, want.Cost, want.Uncached)
				}
				compared++
				if doc.Cost > r.Cost {
					dearer++
				}
			}
		}
		t.Logf("%s: %d runs compared, %d of them dearer", setting, compared, dearer)
		if dearer == 0 {
			t.Errorf("%s makes no run dearer: nothing was tested", setting)
		}
	}
}

func notFromTheRecord(t *testing.T) {
	path, runs, _ := runInto(t, "hello")
	id := runs[""].ID
	for args, says := range map[string]string{
		"provider.tll=1h":           `did you mean "provider.ttl"?`,
		"provider.tll":              "is not path=value",
		"limits.steps=9":            "it changes what is sent, counted or waited for",
		"provider.inference_geo=eu": "unknown inference geography",
		"provider.latency.queue=1s": "or ask agentsim whatif",
		"provider.rate_limits={input: {most: 9, refill: 1s}}": "run the scenario with --set",
		"provider.tail_tokens=9":                              "it changes how many tokens a prompt has",
		"provider.options.thinking_rendered_first=true":       "it changes the keys of prefixes",
	} {
		code, _, stderr := try(nil, "inspect", id, "--db", path, "--reprice", args)
		if code != ui.Usage || !strings.Contains(stderr, says) {
			t.Errorf("%s: code %d, %s", args, code, stderr)
		}
	}
	calls, runs, _ := runInto(t, "hello", "--record", "calls")
	if code, _, stderr := try(nil, "inspect", runs[""].ID, "--db", calls, "--reprice", "provider.ttl=1h"); code != ui.Operating || !strings.Contains(stderr, "what requests held is not recorded") {
		t.Errorf("calls: code %d, %s", code, stderr)
	}
	totals, runs, _ := runInto(t, "hello", "--record", "totals")
	if code, _, stderr := try(nil, "inspect", runs[""].ID, "--db", totals, "--reprice", "provider.speed=fast"); code != ui.Operating || !strings.Contains(stderr, "not all of its calls are recorded") {
		t.Errorf("totals: code %d, %s", code, stderr)
	}
	if code, _, _ := try(nil, "inspect", id, "--db", path, "--reprice", "provider.speed=fast", "--misses"); code != ui.Usage {
		t.Errorf("--reprice with --misses: code %d", code)
	}
}
