package inspect

import (
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

func TestDiagnosis(t *testing.T) {
	for _, c := range []struct {
		why    llm.MissReason
		at     int64
		typ    string
		missed int64
	}{
		{llm.MissModel, -1, "model_changed", 1000}, {llm.MissModel, 3000, "model_changed", 1000}, {llm.MissTools, 0, "tools_changed", 1000}, {llm.MissSystem, 1000, "system_changed", 750},
		{llm.MissMessages, 3000, "messages_changed", 250}, {llm.MissSalt, -1, "unavailable", 0}, {llm.MissExpired, -1, "", 0}, {llm.MissLookBack, -1, "", 0},
	} {
		t.Run("CACHE-48 CACHE-93 the API's diagnosis of a miss by "+c.why.String()+" is given beside the real cause, its tokens estimated from byte lengths", func(t *testing.T) {
			typ, missed := apiSays(&sqlite.CallInfo{Miss: c.why.String(), MissByte: c.at, Bytes: 4000, Usage: llm.Usage{Input: 10, Read: 240, Write5m: 750}})
			if typ != c.typ || missed != c.missed {
				t.Errorf("%q %d, want %q %d", typ, missed, c.typ, c.missed)
			}
		})
	}
}
