package whatif

import (
	"os"
	"testing"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim/crossover"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/recordingtest"
)

func TestRecordedStructures(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	t.Run("TRI-06 sessions whose conversations go back, and from which others go on, are answered for under every structure", func(t *testing.T) {
		answered := 0
		_, err := importer.Read(os.DirFS(recordingtest.Path(t, "sessions")), []string{"marot__spotter", "moredip__session-share"}, importer.Options{}, func(s *recording.Session) error {
			in := &crossover.Inputs{}
			if in.Add(s); len(in.Children) == 0 {
				return nil
			}
			for _, structure := range []scenarios.Structure{scenarios.Fork, scenarios.Subagent, scenarios.Inline, scenarios.Coordinated} {
				if _, err := Restructure(s, structure, in, Options{Slack: 8_500_000_000}); err != nil {
					t.Errorf("%s, %s: %v", s.ID, structure, err)
				}
				answered++
			}
			return nil
		})
		if err != nil || answered < 8 {
			t.Errorf("%d answers, %v", answered, err)
		}
	})
	t.Run("TRI-06 every recorded session with children is answered for with forks, and with each other structure by turns; told as it was, its children cost what they were billed, and with more re-invocations it costs no less; TRI-07 crossover simulates the same ratio within 5 %", func(t *testing.T) {
		var told, billed, forked cachemodel.Picodollars
		var whole []crossover.Query // children of sessions none of whose children is left out
		answered, sessions := 0, 0
		others := []scenarios.Structure{scenarios.Subagent, scenarios.Inline, scenarios.Coordinated}
		_, err := importer.Read(os.DirFS(recordingtest.Path(t, "sessions")), []string{"requests.jsonl.gz"}, importer.Options{}, func(s *recording.Session) error {
			in := &crossover.Inputs{}
			if in.Add(s); len(in.Children) == 0 {
				return nil
			}
			sessions++
			for _, structure := range []scenarios.Structure{scenarios.Fork, others[sessions%len(others)]} {
				a, err := Restructure(s, structure, in, Options{Slack: 8_500_000_000})
				if err != nil {
					t.Errorf("%s, %s: %v", s.ID, structure, err)
					continue
				}
				answered++
				if row := a.Rows[len(a.Rows)-1]; structure == scenarios.Coordinated && row.Session*1000 < a.Told.Session*995 {
					t.Errorf("%s costs %d with a lead that is re-invoked, and %d without", s.ID, row.Session, a.Told.Session)
				}
				if structure == scenarios.Fork && len(in.Left)+len(a.Left) == 0 {
					told, billed, forked = told+a.Told.Children, billed+in.Billed.Fresh, forked+a.Point().Children
					whole = append(whole, in.Settled()...)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		simulated, err := crossover.NewLab().Simulate(whole)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d answers, told %d, billed %d; forks cost %d ‰, simulated %d ‰", answered, told, billed, forked*1000/told, simulated.Fork*1000/simulated.Fresh)
		if a, b := forked*1000/told, simulated.Fork*1000/simulated.Fresh; max(a-b, b-a)*20 > a {
			t.Errorf("forks cost %d ‰ of what their children were billed, simulated %d ‰: more than 5 %% apart", a, b)
		}
		if d := told - billed; answered < 80 || max(d, -d)*50 > billed {
			t.Errorf("%d answers; children cost %d as told, %d as billed", answered, told, billed)
		}
	})
}
