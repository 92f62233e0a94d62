package crossover

import (
	"math/big"

	"agentsim/cachemodel"
)

// Formula is the law in words of the specification: a fork is cheaper while it
// holds.
const Formula = "r·P·T < w·(S+R) + r·(S+R)·(T−1)"

// Assumptions are what the law leaves out; they belong wherever it is printed.
const Assumptions = "all of R arrives in the first turn; a fork's own assistant block, placeholders and directive are ignored; the parent is warm; P > S+R"

// Law is the closed form for a model's rates, in picodollars a token: w for
// what is written, r for what is read.
type Law struct{ Write, Read cachemodel.Picodollars }

// LawOf is the law at a model's rates. Writes are those of the lifetime of five
// minutes, which sub-agents have.
func LawOf(p *cachemodel.Profile) Law { return Law{p.Rates.Write5m, p.Rates.Read} }

// Turns is the number of turns T at which both cost the same; a fork is cheaper
// below it. With P ≤ S+R there is none, it is nil, and a fork is cheaper at every T:
// the law speaks of P > S+R only.
func (l Law) Turns(prefix, know int64) *big.Rat {
	if prefix <= know {
		return nil
	}
	return big.NewRat(int64(l.Write-l.Read)*know, int64(l.Read)*(prefix-know))
}

// Factor is (w−r)/r: the law is T < Factor·(S+R)/(P−S−R). A rate that reads for
// nothing has none.
func (l Law) Factor() (*big.Rat, error) {
	if l.Read <= 0 || l.Write < l.Read {
		return nil, &Error{"model", "reading is free or dearer than writing, so the closed form has no crossing"}
	}
	return big.NewRat(int64(l.Write-l.Read), int64(l.Read)), nil
}
