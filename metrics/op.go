package metrics

import "strings"

// Op compares two values: one of < <= == != >= >.
type Op string

// Ops are the operators as messages list them.
const Ops = "< <= == != >= >"

// FindOp finds the first operator of a text; "" where there is none, or where what
// stands at that place is none.
func FindOp(text string) (at int, op Op) {
	at = strings.IndexAny(text, "<>=!")
	for _, o := range [...]Op{"<=", ">=", "==", "!=", "<", ">"} {
		if at >= 0 && strings.HasPrefix(text[at:], string(o)) {
			return at, o
		}
	}
	return at, ""
}

// Holds reports whether the comparison is true of values in this order: below 0, 0 or
// above 0, as from Value.Cmp.
func (o Op) Holds(order int) bool {
	switch o {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">=":
		return order >= 0
	}
	return order > 0
}
