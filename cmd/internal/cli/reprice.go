package cli

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim/transcript/sqlite"
)

// priceOnly are the settings that change what a call costs and nothing that is
// sent, cached or waited for: figures under another value follow from the record.
var priceOnly = []string{"provider.inference_geo", "provider.speed"}

// repricedJSON is a run's cost by other prices.
type repricedJSON struct {
	Run      string           `json:"run"`
	Settings []string         `json:"settings"`
	Cost     int64            `json:"cost_picodollars"`
	Uncached int64            `json:"cost_uncached_picodollars"`
	Before   int64            `json:"recorded_cost_picodollars"`
	Agents   []repricedAgents `json:"agents"`
}

type repricedAgents struct {
	Lineage string `json:"lineage"`
	Calls   int64  `json:"calls"`
	Before  int64  `json:"recorded_cost_picodollars"`
	Cost    int64  `json:"cost_picodollars"`
}

// inspectRepriced prices the calls on record by other settings (REC-05).
func (s *State) inspectRepriced(db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	doc, err := s.reprice(db, info, o.reprice)
	if err != nil {
		return err
	}
	if o.output != "table" {
		return s.emit(o.output, doc)
	}
	if err := s.heading(db, info); err != nil {
		return err
	}
	s.printf("repriced by %s: tokens and instants as recorded\n\n", strings.Join(doc.Settings, ", "))
	t := report.NewTable("AGENT", " CALLS", " RECORDED", " REPRICED")
	for _, a := range doc.Agents {
		t.Row(a.Lineage, strconv.FormatInt(a.Calls, 10), money(a.Before), money(a.Cost))
	}
	t.Row("(all)", strconv.FormatInt(info.Calls, 10), money(doc.Before), money(doc.Cost))
	return t.Write(s.Stdout, s.style())
}

// reprice adds up what a run's calls cost by other settings. The sum by the run's
// own settings has to be the recorded one, or nothing is said.
func (s *State) reprice(db *sqlite.DB, info sqlite.RunInfo, sets []string) (*repricedJSON, error) {
	if err := needsAll(info); err != nil {
		return nil, err
	}
	if info.Recorded() {
		return nil, failf(Usage, "run %s is a recorded session: agentsim whatif asks what it would have cost otherwise", short(info.ID))
	}
	own, other, err := pricings(db, info, sets)
	if err != nil {
		return nil, err
	}
	calls, err := db.Calls(info.ID)
	if err != nil {
		return nil, err
	}
	doc := &repricedJSON{Run: info.ID, Settings: sets, Agents: []repricedAgents{}}
	at, again := map[string]int{}, int64(0)
	for i := range calls {
		c := &calls[i]
		if c.Usage.Prompt()+c.Usage.Output == 0 {
			continue
		}
		was, err := own.Priced(c.Model)
		if err != nil {
			return nil, failf(Operating, "run %s: call %d: %w", short(info.ID), c.N, err)
		}
		now, err := other.Priced(c.Model)
		if err != nil {
			return nil, failf(Usage, "run %s: call %d: %w", short(info.ID), c.N, err)
		}
		if _, ok := at[c.Lineage]; !ok {
			at[c.Lineage] = len(doc.Agents)
			doc.Agents = append(doc.Agents, repricedAgents{Lineage: c.Lineage})
		}
		a := &doc.Agents[at[c.Lineage]]
		a.Calls, a.Before, a.Cost = a.Calls+1, a.Before+c.Cost, a.Cost+int64(now.Cost(c.Usage))
		doc.Before += c.Cost
		doc.Cost += int64(now.Cost(c.Usage))
		doc.Uncached += int64(now.CostUncached(c.Usage))
		again += int64(was.Cost(c.Usage))
	}
	if again != info.Cost {
		return nil, failf(Operating, "run %s: by its own settings its calls cost %s, and %s is recorded: its prices were others; run it again",
			short(info.ID), money(again), money(info.Cost))
	}
	return doc, nil
}

// pricings are a run's provider as it was and with the settings over it.
func pricings(db *sqlite.DB, info sqlite.RunInfo, sets []string) (own, other *scenarios.Provider, err error) {
	for _, set := range sets {
		path, _, _ := strings.Cut(set, "=")
		if !slices.Contains(priceOnly, path) {
			return nil, nil, failf(Usage, "--reprice %s: it changes what is sent, cached or waited for, and the record cannot tell how; "+
				"run the scenario with --set %[1]s, or ask agentsim whatif %s; from the record follow %s", set, short(info.ID), strings.Join(priceOnly, ", "))
		}
	}
	stored, err := db.Spec(info.ID)
	if err != nil {
		return nil, nil, err
	}
	file, err := scenarios.Parse("run "+short(info.ID), []byte(stored.Spec), scenarios.ForeignProject)
	if err != nil {
		return nil, nil, err
	}
	was, err := file.Effective("", nil)
	if err != nil {
		return nil, nil, err
	}
	now, err := file.Effective("", sets)
	if err != nil {
		return nil, nil, err
	}
	return &was.Provider, &now.Provider, nil
}
