package sim_test

import (
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
)

func TestProfile(t *testing.T) {
	t.Run("CACHE-98 a run counts with what is assumed of a model, and has no model on a day without its price", func(t *testing.T) {
		prov := &scenarios.Provider{}
		p, err := sim.Profile(prov, "claude-fable-5-2")
		if err != nil || p.Minimum != 512 || p.HiddenAuto != 286 || p.HiddenForced != 406 {
			t.Errorf("%+v, %v", p, err)
		}
		off := false
		prov.HiddenTokens = &off
		if p, err = sim.Profile(prov, "claude-fable-5-2"); err != nil || p.HiddenAuto != 0 {
			t.Errorf("hidden tokens were left out: %+v, %v", p, err)
		}
		prov.PricesOn = "2026-11-09"
		if _, err = sim.Profile(prov, "claude-fable-5-2"); err == nil || !strings.Contains(err.Error(), "has no price on 2026-11-09") {
			t.Errorf("on the day before its first: %v", err)
		}
		if _, err = sim.Profile(prov, "claude-mythos-preview"); err == nil {
			t.Error("a model without prices is used")
		}
	})
}
