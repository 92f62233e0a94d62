package crossover

// Row is one point, by the law and simulated.
type Row struct {
	Query                    Query
	Closed, Simulated        Pair
	ClosedCrossing, Crossing Crossing // without a value where they were not asked for
}

// Row runs the query in its own world; crossings also looks for where forks stop
// being cheaper with everything but the turns as the query has it.
func (l *Lab) Row(q Query, crossings bool) (Row, error) {
	out := Row{Query: q}
	var err error
	if out.Closed, err = q.Closed(); err != nil {
		return out, err
	}
	if out.Simulated, err = l.pair(q, q.world()); err != nil || !crossings {
		return out, err
	}
	if out.ClosedCrossing, err = q.ClosedCrossing(); err != nil {
		return out, err
	}
	out.Crossing, err = l.cross(q, q.world(), guessOf(out.ClosedCrossing))
	return out, err
}

// Scenarios are the two scenarios that the query's row runs, forks first, as
// canonical text.
func (l *Lab) Scenarios(q Query) (forks, subagents []byte, err error) {
	own, err := l.ownBlocks(q, fork, q.world())
	if err != nil {
		return nil, nil, err
	}
	a, err := q.scenario(fork, q.world(), own)
	if err != nil {
		return nil, nil, err
	}
	b, err := q.scenario(fresh, q.world(), 0)
	if err != nil {
		return nil, nil, err
	}
	return a.Canonical(), b.Canonical(), nil
}
