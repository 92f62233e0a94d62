package sessions

import (
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

func newProfileShow(s *ui.Env) *cobra.Command {
	var output, role string
	cmd := &cobra.Command{
		Use:   "show PROFILE",
		Short: "print a profile as a table: one of the binary by name, or a file",
		Long: `Prints the figures of a profile, and what it does not know and why. Profiles that come with agentsim: ` +
			strings.Join(profile.Shipped(), ", ") + ".",
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
	cmd.Flags().StringVar(&role, "role", "", "only this `role`: main, sub-agent, fork or hidden")
	return cmd
}

// profileHead says what was measured.
func profileHead(d *report.Document, p *profile.Profile) {
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
	profileHead(d, p)
	var rows []figureRow
	var absent []string
	for i, x := range p.Sources {
		for _, r := range x.Roles {
			if role != "" && r.Role != role {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(r.Figures)) {
				rows = append(rows, figureRow{i + 1, &r, name, profile.KindOf(name).Unit, r.Figures[name]})
			}
			by := map[string][]string{}
			for _, name := range slices.Sorted(maps.Keys(r.Absent)) {
				by[r.Absent[name]] = append(by[r.Absent[name]], name)
			}
			for _, reason := range slices.Sorted(maps.Keys(by)) {
				absent = append(absent, fmt.Sprintf("%s (%s), %s: %s", r.Role, r.Family, strings.Join(by[reason], ", "), reason))
			}
		}
	}
	d.Table(figureTable(rows))
	d.Label("absent", absent...)
	return d
}

func figureTable(rows []figureRow) *report.Sheet {
	type col = report.Column[figureRow]
	quantile := func(p int) func(figureRow) report.Value {
		return func(r figureRow) report.Value {
			switch {
			case r.Share != nil:
				return report.Share(*r.Share, 1000).If(p == 50)
			case r.unit == profile.Thousandth:
				return report.Share(r.Percentile(p), 1000)
			}
			return report.Count(r.Percentile(p))
		}
	}
	floor := func(i int) func(figureRow) report.Value {
		return func(r figureRow) report.Value {
			switch {
			case i >= len(r.Floor):
				return report.None()
			case r.unit == profile.Share || r.unit == profile.Thousandth:
				return report.Share(r.Floor[i], 1000)
			}
			return report.Ratio(r.Floor[i], 1000)
		}
	}
	text := func(of func(figureRow) string) func(figureRow) report.Value {
		return func(r figureRow) report.Value { return report.Text(of(r)) }
	}
	return report.TableOf("figures", rows,
		col{Name: "source", Of: func(r figureRow) report.Value { return report.Count(r.source) }},
		col{Name: "role", Head: "ROLE", Of: text(func(r figureRow) string { return r.Role.Role })},
		col{Name: "family", Head: "FAMILY", Drop: 3, Of: text(func(r figureRow) string { return r.Family })},
		col{Name: "type", Head: "TYPE", Drop: 2, Of: text(func(r figureRow) string { return r.Type })},
		col{Name: "figure", Head: "FIGURE", Of: text(func(r figureRow) string { return r.name })},
		col{Name: "unit", Head: "UNIT", Drop: 1, Of: text(func(r figureRow) string { return string(r.unit) })},
		col{Name: "n", Head: " N", Of: func(r figureRow) report.Value { return report.Count(r.N) }},
		col{Name: "sessions", Head: " SESSIONS", Drop: 4, Of: func(r figureRow) report.Value { return report.Count(r.Sessions) }},
		col{Name: "p10", Head: " P10", Of: quantile(10)},
		col{Name: "p50", Head: " P50", Of: quantile(50)},
		col{Name: "p90", Head: " P90", Of: quantile(90)},
		col{Name: "floor_p50", Head: " FLOOR 50", Of: floor(0)},
		col{Name: "floor_p90", Head: " FLOOR 90", Of: floor(1)})
}
