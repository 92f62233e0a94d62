package rundb

import (
	"errors"
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript/sqlite"
)

// LevelNote says what of a run is not recorded; "" when everything is.
func LevelNote(info sqlite.RunInfo) string {
	switch {
	case info.Level == sqlite.Calls:
		return "recorded with --record calls: what requests held is not recorded"
	case info.Level == sqlite.Totals:
		return "recorded with --record totals: single calls are not recorded"
	case !info.Level.Whole():
		return fmt.Sprintf("recorded with --record %s: where – is printed, single calls are not recorded", info.Level)
	}
	return ""
}

// NeedsCalls refuses what a record of totals cannot answer.
func NeedsCalls(info sqlite.RunInfo) error {
	return needs(info, info.Level != sqlite.Totals, "single calls are not recorded")
}

// NeedsAll refuses what cannot be answered without every call.
func NeedsAll(info sqlite.RunInfo) error {
	return needs(info, info.Level.Whole(), "not all of its calls are recorded")
}

// NeedsContent refuses to show what requests held where that is not recorded, or
// an import left it out.
func NeedsContent(info sqlite.RunInfo) error {
	if text := WithoutContent(info); text != "" {
		return ui.Failf(ui.Operating, "%s", text)
	}
	return needs(info, info.Level.Content(), "what requests held is not recorded")
}

func needs(info sqlite.RunInfo, is bool, lacks string) error {
	if is {
		return nil
	}
	if info.Level == sqlite.Totals {
		return ui.Failf(ui.Operating, "run %s was recorded with --record totals: %s; run it again with --record full, a shard of a population by --shard N (its seed less the scenario's)", ui.Short(info.ID), lacks)
	}
	return ui.Failf(ui.Operating, "run %s was recorded with --record %s: %s; run it again with --record full", ui.Short(info.ID), info.Level, lacks)
}

// NotKept says of a call that is not on record that there was one.
func NotKept(info sqlite.RunInfo, n int64, err error) error {
	if !errors.Is(err, sqlite.ErrNoCall) || info.Level.Whole() || n > info.Calls {
		return err
	}
	return ui.Failf(ui.Operating, "call %d of run %s is not recorded: its session tree is none of those that --record %s kept; run it again with --record full",
		n, ui.Short(info.ID), info.Level)
}

// NeedsSaid refuses a request of a recording that knows its blocks by names alone:
// text is one block's.
func NeedsSaid(info sqlite.RunInfo, text string) error {
	if !info.Recorded() || !strings.HasPrefix(text, toevents.NamedBlock) || !toevents.Opaque(text) {
		return nil
	}
	info.Variant = toevents.NoContent
	return NeedsContent(info)
}

// WithoutContent says of an imported session that what was said is not stored,
// and what to do; "" of any other run.
func WithoutContent(info sqlite.RunInfo) string {
	if !info.Recorded() || info.Variant != toevents.NoContent {
		return ""
	}
	return fmt.Sprintf("run %s was imported without what was said: agentsim import --with-content PATH reads it again, as a run of its own, where the recording holds it", ui.Short(info.ID))
}
