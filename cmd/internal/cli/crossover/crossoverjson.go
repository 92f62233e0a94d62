package crossover

import "agentsim/sim/crossover"

// crossoverJSON is a comparison for machines: exact, in picodollars.
type crossoverJSON struct {
	Setting  string        `json:"setting,omitempty"`
	Axis     string        `json:"axis"`
	Law      string        `json:"law"`
	Assumes  string        `json:"assumes"`
	Rows     []crossedJSON `json:"rows"`
	Explains explainedJSON `json:"explains"`
	Runs     int           `json:"runs"`
}

type crossedJSON struct {
	At              string              `json:"at"`
	Query           crossover.Query     `json:"query"`
	Closed          crossover.Pair      `json:"closed_form"`
	Simulated       crossover.Pair      `json:"simulated"`
	ClosedCrossing  *crossover.Crossing `json:"closed_form_crossing,omitempty"`
	CrossedAtTurns  *crossover.Crossing `json:"simulated_crossing,omitempty"`
	CheaperByTheLaw string              `json:"cheaper_closed_form"`
	Cheaper         string              `json:"cheaper_simulated"`
}

type explainedJSON struct {
	Row            int                `json:"row"`
	Usual          *crossover.Usual   `json:"closed_form_at_usual_rates,omitempty"`
	Closed         crossover.Pair     `json:"closed_form"`
	ClosedCrossing crossover.Crossing `json:"closed_form_crossing"`
	Movers         []crossover.Mover  `json:"movers"`
	Simulated      crossover.Pair     `json:"simulated"`
	Crossing       crossover.Crossing `json:"simulated_crossing"`
	NotInPlay      []string           `json:"not_in_play"`
}

func (c *comparison) document() crossoverJSON {
	d := c.ladder
	doc := crossoverJSON{Axis: c.axis.name, Law: crossover.Formula, Assumes: crossover.Assumptions, Runs: c.runs,
		Explains: explainedJSON{c.why, d.Usual, d.Closed, d.ClosedCrossing, d.Movers, d.Simulated, d.Crossing, d.Absent}}
	if c.setting != nil {
		doc.Setting = c.setting.Name
	}
	for i := range c.rows {
		r := &c.rows[i]
		row := crossedJSON{At: c.places[i].label, Query: r.Query, Closed: r.Closed, Simulated: r.Simulated, CheaperByTheLaw: cheaper(r.Closed), Cheaper: cheaper(r.Simulated)}
		if c.axis.name != "turns" {
			row.ClosedCrossing, row.CrossedAtTurns = &r.ClosedCrossing, &r.Crossing
		}
		doc.Rows = append(doc.Rows, row)
	}
	return doc
}

// TableRows are the rows of its table.
func (d crossoverJSON) TableRows() any { return d.Rows }
