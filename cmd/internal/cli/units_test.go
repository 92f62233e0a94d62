package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/metrics"
)

func TestUnits(t *testing.T) {
	t.Run("EXPT-06 the JSON and NDJSON of a run have the names, units and values of its CSV, of types of agents too", runUnits)
	t.Run("EXPT-06 the two sides of an expectation have their units", expectationUnits)
}

// runUnits compares all metrics of a run in the forms for machines.
func runUnits(t *testing.T) {
	var names []string
	for _, n := range metrics.Names() {
		names = append(names, n.Name)
	}
	const variant = "fork"
	print := func(columns []string, form string) string {
		code, out, stderr := try(nil, "run", "fork-vs-subagent", "--variant", variant, "--record", "none", "--columns", strings.Join(columns, ","), "-o", form)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return out
	}
	type row struct {
		Metrics map[string]json.RawMessage
		Types   map[string]map[string]json.RawMessage
	}
	var whole struct{ Variants []row }
	var line row
	if err := json.Unmarshal([]byte(print(names, "json")), &whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(print(names, "ndjson")), &line); err != nil {
		t.Fatal(err)
	}
	for subject, figures := range map[string][]map[string]json.RawMessage{
		"": {whole.Variants[0].Metrics, line.Metrics}, "fork.": {whole.Variants[0].Types["fork"], line.Types["fork"]},
	} { // order: each is compared by itself
		columns := slices.Clone(names)
		for i := range columns {
			columns[i] = subject + columns[i]
		}
		rows, err := csv.NewReader(strings.NewReader(print(columns, "csv"))).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%d rows of CSV: %v", len(rows), err)
		}
		for _, have := range figures {
			some := 0
			for i, name := range rows[0][5:slices.Index(rows[0], "miss_reasons")] { // behind variant, run, seed, policy and outcome
				name = strings.TrimPrefix(name, subject)
				if got := string(have[name]); got != rows[1][5+i] {
					t.Errorf("%s%s is %s, as CSV %s", subject, name, got, rows[1][5+i])
				}
				if have[name] != nil {
					some++
				}
			}
			if some != len(have) || have["cost_usd"] == nil || have["time_s"] == nil || have["cache.hit_ratio"] == nil {
				t.Errorf("%q: %d figures, %d of them as CSV", subject, len(have), some)
			}
		}
	}
}

func expectationUnits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "swept.yaml")
	text := sweptText + "expect: ['a.cost < $1.60', 'a.cache.hit_ratio <= 95 %', 'a.time < 2m31s']\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, stderr := try(nil, "run", file, "--record", "none", "-o", "json")
	for _, field := range []string{`"left_usd": 0.0`, `"right_usd": 1.6`, `"right_picodollars": 1600000000000`, `"right": 0.950000`, `"left": 0.000000`, `"right_s": 151`} {
		if !strings.Contains(out, field) {
			t.Errorf("no %s in\n%s%s", field, out, stderr)
		}
	}
}
