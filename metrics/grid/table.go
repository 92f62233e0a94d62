package grid

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/report"
)

// AxisColumns are the columns of a grid's axes.
func AxisColumns[R any](g *Grid, point func(R) []string) (out []report.Column[R]) {
	for i, a := range g.Axes {
		out = append(out, report.Column[R]{Name: a.Path, Of: func(r R) report.Value { return report.Text(plainNumber(point(r)[i])) }},
			report.Column[R]{Head: strings.ToUpper(a.Word()), Of: func(r R) report.Value { return report.Text(point(r)[i]) }})
	}
	return out
}

// Costs is what each variant costs at each point, and the cheapest one where there
// are several; a narrow terminal does without the last variants.
func (g *Grid) Costs() *report.Sheet {
	type col = report.Column[[]Cell]
	var rows [][]Cell
	for p := range g.Points() {
		rows = append(rows, g.At(p))
	}
	columns := AxisColumns(g, func(cells []Cell) []string { return cells[0].Point })
	for i, v := range g.Variants {
		cost := func(cells []Cell) report.Value {
			if len(cells) > 1 && slices.Contains(Cheapest(cells), i) {
				return report.Text(costCell(&cells[i])).Marked(report.Better)
			}
			return report.Text(costCell(&cells[i]))
		}
		columns = append(columns, col{Head: " " + cmp.Or(v, "COST"), Drop: i, Of: cost})
	}
	if len(g.Variants) == 1 {
		return report.TableOf("", rows, columns...)
	}
	return report.TableOf("", rows, append(columns, col{Head: "CHEAPEST", Of: func(cells []Cell) report.Value {
		if names := CheapestNames(cells); names != "" {
			return report.Text(names)
		}
		return report.None()
	}})...)
}

// costCell is a variant's cost, marked when not all its work was done: a cheap
// structure that loses facts must not look good.
func costCell(c *Cell) string {
	if !c.Finished() {
		return Unfinished
	}
	return Dollars(c.Median("cost")) + Left(c.Median("items.done"), c.Median("items.total"))
}

// Left marks what is left undone of so many items of work; "" for nothing.
func Left(done, total int64) string {
	if done < total {
		return fmt.Sprintf(" (%d/%d)", done, total)
	}
	return ""
}

// Unfinished stands in for the cost of a run that did not finish.
const Unfinished = "unfinished"

// Dollars prints picodollars.
func Dollars(n int64) string { return report.Money(cachemodel.Picodollars(n)) }

// unranked says why no variant is the cheapest at any point; "" where one is.
func (g *Grid) unranked() string {
	ranks, least := false, ""
	for p := range g.Points() {
		cells := g.At(p)
		if len(Cheapest(cells)) > 0 || len(cells) < 2 {
			return ""
		}
		least = cmp.Or(least, CheapestNames(cells))
		ranks = ranks || slices.ContainsFunc(cells, func(c Cell) bool { return c.ranks() })
	}
	switch {
	case g.Points() == 0:
		return ""
	case least != "":
		return "no single one is the cheapest; those that cost least cost the same: " + least
	case ranks:
		return "none is the cheapest: those that did all of the work cost the same"
	}
	return "none is the cheapest: no variant did all of the work"
}

// Ranking is the changes of the ranking, a line each, or why there is none.
func (g *Grid) Ranking() (out []string) {
	if none := g.unranked(); none != "" {
		return []string{none}
	}
	for _, c := range g.Changes() {
		out = append(out, c.String())
	}
	return out
}

// Decisive is Ranking without the changes among variants that are not the cheapest,
// which it counts; how says where they are listed.
func (g *Grid) Decisive(how string) (out []string) {
	if none := g.unranked(); none != "" {
		return []string{none}
	}
	all := g.Changes()
	for _, c := range all {
		if c.Top {
			out = append(out, c.String())
		}
	}
	if rest := len(all) - len(out); rest > 0 {
		out = append(out, fmt.Sprintf("%d changes among those that are not the cheapest: %s", rest, how))
	}
	return out
}

// plainNumber writes a number without the underscores of a scenario, and leaves
// every other value as it is.
func plainNumber(value string) string {
	plain := strings.ReplaceAll(value, "_", "")
	if _, err := strconv.ParseFloat(plain, 64); err != nil {
		return value
	}
	return plain
}
