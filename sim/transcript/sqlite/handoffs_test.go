package sqlite

import (
	"slices"
	"testing"

	"agentsim/sim/transcript"
)

func TestHandoffs(t *testing.T) {
	t.Run("TSK-06 REC-01 the record knows each judgement, and who obeyed which injection by what", func(t *testing.T) {
		db := tempDB(t)
		recorded(t, db, runNamed("r"), Options{}, func(e *emitter) {
			e.emit(0, &transcript.AgentStart{Lineage: "main", Parent: -1})
			e.emit(1, &transcript.AgentStart{Lineage: "main/1.1", Parent: 0})
			e.emit(1, &transcript.Finding{Rule: "injection-obeyed", Detail: `note: Bash {"command":"a: b"}`})
			e.emit(1, &transcript.Handoff{Activation: 2, Taint: "note", Verdict: "flagged", Why: "it says run"})
			e.emit(1, &transcript.Handoff{Verdict: "clean"})
		})
		got, err := db.Injections("r")
		want := []Injection{{"main/1.1", "obeyed", "note", `Bash {"command":"a: b"}`}, {"main/1.1", "flagged", "note", "it says run"}, {"main/1.1", "clean", "", ""}}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v", got, err)
		}
		if rows := dump(t, db, `SELECT activation, verdict, taint FROM handoffs WHERE run = 'r' ORDER BY seq`); rows != "2|flagged|note\n0|clean|\n" {
			t.Errorf("%q", rows)
		}
	})
}
