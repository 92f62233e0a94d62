package forks

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/recording/profile"
)

// modelRow is a model of fresh children; "" is each one's own.
type modelRow struct{ name, id string }

// models is the other map: by the model of fresh children and by what a fork thinks at
// each call beside what a child answers.
func (p *Point) models() *report.Sheet {
	_, own := p.In.Forked()
	type col = report.Column[modelRow]
	columns := []col{{Name: "childs_model", Head: "CHILD'S MODEL", Of: func(m modelRow) report.Value { return report.Text(m.name) }}}
	for i, thinks := range among(own, 0, 250, 500, 1000) {
		head := report.Quantity(thinks.value)
		if thinks.own {
			head += ", HERE"
		}
		if i == 0 {
			head = "A FORK THINKS " + head
		}
		columns = append(columns, col{Name: fmt.Sprintf("fork_to_fresh_thinking_%d", thinks.value), Head: head, Drop: drop(thinks), Of: func(m modelRow) report.Value {
			pair := p.with(func(q *crossover.Query) {
				q.Thinks = thinks.value
				switch m.id {
				case "":
				case theirs:
					q.Child = ""
				default:
					q.Child = m.id
				}
			})
			return report.Ratio(int64(pair.Fork), int64(pair.Fresh)).As(cell(pair, m.id == "" && thinks.own))
		}})
	}
	return report.TableOf("fork_or_fresh_models", p.others(), columns...)
}

// others are the children's own models, their parents', and the newest small one that
// counts tokens alike.
func (p *Point) others() []modelRow {
	out := []modelRow{{name: "as it is"}}
	first := p.children[0]
	if slices.ContainsFunc(p.children, func(q crossover.Query) bool { return q.Child != "" }) {
		out = append(out, modelRow{"its parent's", theirs})
	}
	for _, id := range cachemodel.Models() {
		if strings.HasPrefix(id, small) && profile.FamilyOf(id) == profile.FamilyOf(first.Model) {
			f, _ := cachemodel.Lookup(id) // it is of the list
			if slices.ContainsFunc(p.children, func(q crossover.Query) bool { return q.Child != f.Pinned() }) {
				out = append(out, modelRow{strings.TrimPrefix(id, "claude-"), f.Pinned()})
			}
			break
		}
	}
	return out
}

const (
	small  = "claude-haiku-"
	theirs = "parent" // every child has its parent's model
)
