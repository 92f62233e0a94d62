package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/grid"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/recording/profile"
)

// lifeSize runs the variants of a user's own scenario once more, unrecorded, with the
// sizes of recorded sessions, where they ran with the small ones of the language: heads
// and reports of that size can turn a ranking. Of a scenario of the library, which is to
// be there at once, it says how one does. There is nothing to say of a single
// variant, and where no agent is given work.
func (o *options) lifeSize(s *ui.Env, a *answer) (lines []string, err error) {
	if len(a.done) < 2 || slices.ContainsFunc(a.done, func(x executed) bool { return !invented(x.Spec) || x.Result.Outcome != sim.Completed }) {
		return nil, nil
	}
	command := recordedSizes(s)
	if !loading.LooksLikePath(o.name) {
		return []string{"not run with sizes of recorded sessions, which may rank the variants otherwise", command}, nil
	}
	with := *o
	with.project.Profile = profile.Default
	with.sets = with.project.Sets(slices.DeleteFunc(slices.Clone(o.sets), func(set string) bool { return strings.HasPrefix(set, "profile=") }))
	on, err := with.project.Scenario(s, o.name, with.sets)
	if err == nil {
		on.File, err = on.Fix(with.sets)
	}
	if err != nil {
		return nil, nil // an override that stands against a profile, which was told
	}
	m, specs, err := with.specs(s, on)
	if err != nil {
		return nil, nil
	}
	h := harness.New(s, "running with recorded sizes", len(specs))
	defer h.Close()
	h.NoAudit = true
	var rows []report.Row
	err = h.Run(len(specs), func(i int) (*harness.Job, error) { return m.Job(specs[i]), nil }, func(_ int, r *harness.Run) error {
		rows = append(rows, report.Row{Variant: r.Spec.Variant, Run: r.Metrics})
		return nil
	})
	if err != nil || h.Stop.Has() {
		return nil, err
	}
	lines = turned(a.rows(), rows, command)
	unstruck, mistake := h.Unstruck()
	for _, x := range unstruck {
		lines = append(lines, x.String())
	}
	if mistake != nil {
		lines = append(lines, ui.FirstLine(mistake.Error()))
	}
	return lines, nil
}

// recordedSizes is the command as typed, with the sizes of recorded sessions.
func recordedSizes(s *ui.Env) string {
	var with ui.Env
	for i := 0; i < len(s.Args); i++ {
		switch arg := s.Args[i]; {
		case arg == "--profile", arg == "--set" && i+1 < len(s.Args) && strings.HasPrefix(s.Args[i+1], "profile="):
			i++ // and its value
		case !strings.HasPrefix(arg, "--profile=") && !strings.HasPrefix(arg, "--set=profile="):
			with.Args = append(with.Args, arg)
		}
	}
	with.Args = append(with.Args, "--profile", profile.Default)
	return with.CommandLine()
}

// invented reports whether agents have the small heads of the language, and work.
func invented(spec *sim.Spec) bool {
	return len(spec.Scenario.Work) > 0 && small(spec.Scenario)
}

// small reports whether heads are those of the language, far smaller than recorded ones.
func small(sc *scenarios.Scenario) bool {
	return sc.Profile.Name == "" || sc.Profile.Name == scenarios.TinyProfile
}

// turned says what variants come to with recorded sizes, and whether another is the
// cheapest then.
func turned(small, large []report.Row, command string) []string {
	var bills []string
	for _, r := range large {
		bills = append(bills, r.Variant+" "+report.Money(r.Run.Total.Cost)+left(r.Run))
	}
	was, is := report.Cheapest(small), report.Cheapest(large)
	text := "with sizes of recorded sessions (profile " + profile.Default + "): " + strings.Join(bills, ", ")
	undone := func(r report.Row) bool { return left(r.Run) != "" }
	switch {
	case is == "" || slices.ContainsFunc(large, undone):
		text += "; which is the cheapest is not known, since work is left undone"
	case was == "" || slices.ContainsFunc(small, undone):
		text += fmt.Sprintf("; the cheapest is %s then, and above it is not known, since work is left undone", is)
	case was != is:
		text += fmt.Sprintf("; the cheapest is %s then, and not %s", is, was)
	case !slices.Equal(order(small), order(large)):
		text += fmt.Sprintf("; %s is the cheapest then, too, but the others do not all keep their ranks", is)
	default:
		text += fmt.Sprintf("; %s is the cheapest then, too", is)
	}
	return []string{text, command}
}

// left marks what a run left undone of its work, as sweep does; "" for nothing.
func left(r *metrics.Run) string {
	if !r.Finished() {
		return " (" + grid.Unfinished + ")"
	}
	return grid.Left(r.Items.Done, r.Items.Total)
}

// order is the variants by their bills.
func order(rows []report.Row) (names []string) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b report.Row) int { return cmp.Compare(a.Run.Total.Cost, b.Run.Total.Cost) })
	for _, r := range rows {
		names = append(names, r.Variant)
	}
	return names
}
