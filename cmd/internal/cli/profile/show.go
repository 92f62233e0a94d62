package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording/profile"

	"github.com/spf13/cobra"
)

func newShow(s *ui.Env) *cobra.Command {
	var output, role string
	cmd := &cobra.Command{
		Use:   "show PROFILE",
		Short: "print a profile as a table: one of the binary by name, or a file",
		Long: `Prints the figures of a profile, and what it does not know and why. Profiles that come with agentsim: ` +
			strings.Join(profile.Shipped(), ", ") + `.

ROLE      main agents, sub-agents, forks, and hidden requests of the client's own, such as summaries
FAMILY    models that count tokens alike: Claude up to 4.6, Claude from 4.7 on, others
FIGURE    what was measured; in front of it the tool or the type of sub-agents that it is of, after it the unit
N         samples (agents, requests, results), from so many SESSIONS; below 20 a figure is thin and nothing draws from it
P10 P90   one sample in ten is below P10, one in ten above P90; P50 is the one in the middle. A share of all samples is
          one value, under P50
FLOOR     how far two halves of the sessions differ by chance, at P50 and at P90: 1.300 is 30 % more, a share differs by
          so many points. No comparison with the profile can be finer
KEY       the figure's name in the file and in agentsim profile --check; docs/glossary.md lists them`,
		Example: "  agentsim profile show recorded-2026-11 --role sub-agent",
		Args:    ui.Exactly(1, "one profile"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := loading.ReadProfile(args[0])
			if err != nil {
				return err
			}
			return s.Print(output, shown(p, role))
		},
	}
	ui.OutputFlag(cmd.Flags(), &output)
	ui.ChoiceFlag(cmd.Flags(), &role, "role", "", "which roles are printed", append([]string{"all"}, profile.Roles...)...)
	return cmd
}

// head says what was measured.
func head(d *report.Document, p *profile.Profile) {
	d.Label("origin", p.Origin)
	for i, x := range p.Sources {
		text := fmt.Sprintf("%s, %s", ui.Things(x.Sessions, "session"), ui.Things(x.Requests, "request"))
		if x.From != "" {
			text += ", " + x.From + " to " + x.To
		}
		d.Label(fmt.Sprintf("source %d", i+1), append([]string{text}, x.Notes...)...)
	}
	if len(p.Sources) > 1 {
		d.Label("", "scenarios draw from one source: agentsim profile merge measures them as one")
	}
}

// maxAbsent is how many of the figures that are absent for one reason are named.
const maxAbsent = 3

// figureRow is one figure in the table.
type figureRow struct {
	source int
	*profile.Role
	name string
	unit profile.Unit
	profile.Figure
}

// shown is a profile as a document.
func shown(p *profile.Profile, role string) *report.Document {
	d := &report.Document{}
	head(d, p)
	var rows []figureRow
	var families, absent []string // families are in the order of the profile
	for i, x := range p.Sources {
		of := ""
		if len(p.Sources) > 1 {
			of = fmt.Sprintf("source %d, ", i+1)
		}
		for _, r := range x.Roles {
			if role != "all" && r.Role != role {
				continue
			}
			families = append(families, r.Family)
			for name, f := range r.Figures {
				rows = append(rows, figureRow{i + 1, &r, name, profile.KindOf(name).Unit, f})
			}
			by := map[string][]string{}
			for _, name := range slices.SortedFunc(maps.Keys(r.Absent), profile.Compare) {
				by[r.Absent[name]] = append(by[r.Absent[name]], profile.Label(name))
			}
			for _, reason := range slices.Sorted(maps.Keys(by)) {
				names := by[reason]
				if more := len(names) - maxAbsent; more > 0 {
					names = append(names[:maxAbsent], fmt.Sprintf("%d more", more))
				}
				absent = append(absent, fmt.Sprintf("%s%s (%s): %s: %s", of, r.Role, r.Family, strings.Join(names, "; "), reason))
			}
		}
	}
	slices.SortFunc(rows, func(a, b figureRow) int {
		return cmp.Or(slices.Index(profile.Roles, a.Role.Role)-slices.Index(profile.Roles, b.Role.Role), slices.Index(families, a.Family)-slices.Index(families, b.Family),
			cmp.Compare(a.Type, b.Type), profile.Compare(a.name, b.name), a.source-b.source)
	})
	d.Table(figureTable(rows, len(p.Sources) > 1))
	d.Label("absent", absent...)
	return d
}

// label says what the figure is, of which type of agents, and in which unit.
func (r figureRow) label() string {
	text := profile.Label(r.name)
	if r.Type != "" {
		text = r.Type + ": " + text
	}
	if r.unit == profile.Tokens || r.unit == profile.Bytes || r.unit == profile.Millis {
		text += ", " + string(r.unit)
	}
	return text
}

// quantile is a percentile of a figure; a share of all is one value, under P50.
func quantile(f *profile.Figure, unit profile.Unit, p int) report.Value {
	switch {
	case f == nil:
		return report.None()
	case f.Share != nil:
		return report.Share(*f.Share, 1000).If(p == 50)
	case unit == profile.Thousandth:
		return report.Share(f.Percentile(p), 1000)
	}
	return report.Count(f.Percentile(p))
}

// apart is how far values of a figure are apart at P50 (0) or P90 (1), in thousandths: as
// a ratio, of shares as a distance.
func apart(of []int64, unit profile.Unit, i int) report.Value {
	switch {
	case i >= len(of):
		return report.None()
	case unit == profile.Share || unit == profile.Thousandth:
		return report.Share(of[i], 1000)
	}
	return report.Ratio(of[i], 1000)
}

func figureTable(rows []figureRow, several bool) *report.Sheet {
	type col = report.Column[figureRow]
	at := func(p int) func(figureRow) report.Value {
		return func(r figureRow) report.Value { return quantile(&r.Figure, r.unit, p) }
	}
	floor := func(i int) func(figureRow) report.Value {
		return func(r figureRow) report.Value { return apart(r.Floor, r.unit, i) }
	}
	text := func(of func(figureRow) string) func(figureRow) report.Value {
		return func(r figureRow) report.Value { return report.Text(of(r)) }
	}
	source := col{Name: "source", Of: func(r figureRow) report.Value { return report.Count(r.source) }}
	if several {
		source.Head = " SOURCE"
	}
	return report.TableOf("figures", rows,
		source,
		col{Name: "role", Head: "ROLE", Drop: 1, Of: text(func(r figureRow) string { return r.Role.Role })},
		col{Name: "family", Head: "FAMILY", Drop: 2, Of: text(func(r figureRow) string { return r.Family })},
		col{Name: "type", Of: text(func(r figureRow) string { return r.Type })},
		col{Name: "label", Head: "FIGURE", Of: text(figureRow.label)},
		col{Name: "unit", Of: text(func(r figureRow) string { return string(r.unit) })},
		col{Name: "n", Head: " N", Drop: 3, Of: func(r figureRow) report.Value { return report.Count(r.N) }},
		col{Name: "sessions", Head: " SESSIONS", Drop: 6, Of: func(r figureRow) report.Value { return report.Count(r.Sessions) }},
		col{Name: "p10", Head: " P10", Of: at(10)},
		col{Name: "p50", Head: " P50", Of: at(50)},
		col{Name: "p90", Head: " P90", Of: at(90)},
		col{Name: "floor_p50", Head: " FLOOR 50", Drop: 4, Of: floor(0)},
		col{Name: "floor_p90", Head: " FLOOR 90", Drop: 4, Of: floor(1)},
		col{Name: "figure", Head: "KEY", Drop: 5, Of: text(func(r figureRow) string { return r.name })})
}
