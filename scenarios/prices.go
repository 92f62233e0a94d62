package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"

	"agentsim/cachemodel"
	"agentsim/scenarios/document"
	"agentsim/sim/llm"
)

// Prices are the user's own, as of a contract or a gateway, and a plan's quota. They
// are read from a file beside the scenario, and become part of what is stored.
type Prices struct {
	File   string                `yaml:"file"` // that they come from, without its directory; "" where the scenario itself says them
	Models map[string][]OwnPrice `yaml:"models"`
	Plan   *QuotaPlan            `yaml:"plan"`
}

// OwnPrice is what a model costs from a day on, whatever the length of a prompt.
type OwnPrice struct {
	From    string   `yaml:"from"` // year-month-day
	Input   *Dollars `yaml:"input"`
	Read    *Dollars `yaml:"cache_read"`
	Write5m *Dollars `yaml:"cache_write_5m"`
	Write1h *Dollars `yaml:"cache_write_1h"`
	Output  *Dollars `yaml:"output"`
}

// QuotaPlan is a subscription that counts in a unit of its own. Weights are units for
// Per tokens, 1 where it is not given, of whichever model.
type QuotaPlan struct {
	Name    string  `yaml:"name"`
	Unit    string  `yaml:"unit"`
	Input   *Weight `yaml:"input"`
	Read    *Weight `yaml:"cache_read"`
	Write   *Weight `yaml:"cache_write"`
	Write1h *Weight `yaml:"cache_write_1h"` // nil: as of any cache write
	Output  *Weight `yaml:"output"`
	Per     int64   `yaml:"per"`
	Quota   int64   `yaml:"quota"` // units; 0 where it is not given
}

// Dollars are dollars a million tokens, as Picodollars a token: from 0 to $10,000.
type Dollars cachemodel.Picodollars

// Weight is units of a plan in millionths, from 0 to 1,000 units.
type Weight int64

const (
	millionths    = 6 // decimals of a rate or a weight
	maxOwnRate    = 10_000_000_000
	maxWeight     = 1_000_000_000
	pricesExample = "{from: 2026-11-01, input: 1.80, cache_read: 0.09, cache_write_5m: 2.25, cache_write_1h: 3.60, output: 9}"
)

// priceFile are the limits of a file of prices.
var priceFile = &document.Limits{Of: "price list", Bytes: MaxBesideBytes, Tokens: MaxTokens, Depth: 8, Keys: MaxKeys, Empty: "models: {claude-sonnet-5-5: [" + pricesExample + "]}"}

// Decode reads the path of a file of prices, or the prices.
func (p *Prices) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	file := n
	if n.Kind == document.Map && len(n.Pairs) == 1 && n.Get("file") != nil {
		file = n.Get("file")
	}
	if n.Kind != document.String && file == n {
		d.Structure(n, reflect.ValueOf(p).Elem(), at)
		return
	}
	text, ok := d.Beside(d, file)
	if !ok {
		return
	}
	name := path.Join(path.Dir(n.Pos.Src.Name), file.Text)
	tree, bad := priceFile.Parse(document.NewSource(name, text), text)
	if bad != nil {
		d.Errs.Merge(&document.Problems{List: []*document.Error{bad}})
		return
	}
	if other := tree.Get("file"); other != nil {
		d.Fail(other, "models: or plan:", "a file of prices names no other file")
		return
	}
	d.Structure(tree, reflect.ValueOf(p).Elem(), at)
	p.File = path.Base(file.Text)
}

// Whole says that prices are overridden whole.
func (Prices) Whole() {}

// Decode reads dollars a million tokens.
func (r *Dollars) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	*r = Dollars(inMillionths(d, n, at, maxOwnRate, "dollars a million tokens, from 0 to 10000", "a rate is a whole number of picodollars a token"))
}

// Flow is the rate as it is read.
func (r Dollars) Flow() (string, bool) { return document.DecimalText(int64(r), millionths), true }

// Decode reads units.
func (w *Weight) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	*w = Weight(inMillionths(d, n, at, maxWeight, "a number of units, from 0 to 1000", "a weight is a whole number of millionths"))
}

// Flow is the weight as it is read.
func (w Weight) Flow() (string, bool) { return document.DecimalText(int64(w), millionths), true }

// inMillionths reads a number with six decimals at most.
func inMillionths(d *document.Decoder, n *document.Node, at document.Place, most int64, what, finer string) int64 {
	if n.Kind != document.Int && n.Kind != document.Float {
		d.WrongType(n, at, "a number", what)
		return 0
	}
	v, err := document.Decimal(n.Text, millionths)
	switch {
	case err != nil:
		d.Fail(n, "six decimals at most, such as 0.125", "%s cannot be %s: %s", at.Ctx, n.Text, finer)
	case v < 0 || v > most:
		d.Fail(n, what, "%s cannot be %s", at.Ctx, n.Text)
	default:
		return v
	}
	return 0
}

// Listing is a model at the prices of a day, without a tariff.
type Listing struct {
	*cachemodel.Profile
	Day  string // from which an own price holds, or of which the table's is
	Own  bool
	file string
	said bool // the scenario says on which day it is
}

// String says whose prices these are, such as your prices of 2026-11-01 (mine.yaml).
func (l *Listing) String() string {
	if !l.Own {
		return "prices of " + l.Day
	}
	return OwnOf(l.Day, l.file, !l.said)
}

// OwnOf says of which day prices of the user's are. Where nobody said on which day that
// is, the newest hold, which can be of a day to come.
func OwnOf(day, file string, newest bool) string {
	text := "your prices of " + day
	if file != "" {
		text += " (" + file + ")"
	}
	if known := cachemodel.Newest(); newest && day > known {
		text += ", which is after the newest day that is known here, " + known
	}
	return text
}

// Listed is a model at the prices of the scenario's day: the user's own where there
// are any of that model, else the table's.
func (p *Provider) Listed(id string) (*Listing, error) {
	row, err := cachemodel.Lookup(id)
	if err != nil {
		return nil, err
	}
	own := p.Prices.of(row)
	if own == nil {
		day := cmp.Or(p.PricesOn, cachemodel.Newest())
		return &Listing{Profile: row, Day: day}, row.OnDay(day)
	}
	price, err := newestOf(own, row, p.PricedOn())
	if err != nil {
		return nil, err
	}
	if p.Speed == "fast" {
		return nil, fmt.Errorf("your prices of model %s say nothing of fast mode; leave speed out", row.Pinned())
	}
	return &Listing{Profile: price.on(row, cmp.Or(p.Prices.File, "the scenario")), Day: price.From, Own: true, file: p.Prices.File, said: p.PricesOn != ""}, nil
}

// on is a model at this price, which is from source.
func (x *OwnPrice) on(row *cachemodel.Profile, source string) *cachemodel.Profile {
	q := *row
	q.Rates, q.Above, q.LongPrompt = x.rates(), cachemodel.Rates{}, 0
	q.Found.Rates, q.Source, q.Date = true, source, x.From
	return &q
}

// pricesAlone is the least that has prices beside it.
const pricesAlone = `agentsim: 1
name: prices
provider: {model: claude-sonnet-5-5, prices: %q}
script: {main: {user: x}, answers: [{agent: main, turns: [{text: x}]}]}
`

// ReadPrices reads a file of prices by itself.
func ReadPrices(name, text string) (*Prices, error) {
	f, err := Parse(path.Join(path.Dir(name), "prices"), fmt.Appendf(nil, pricesAlone, path.Base(name)), Beside(func(string) ([]byte, error) { return []byte(text), nil }))
	if err != nil {
		return nil, err
	}
	sc, err := f.Effective("", nil)
	if err != nil {
		return nil, err
	}
	return sc.Provider.Prices, nil
}

// Of finds models at the prices of a day, "" for the newest: the user's own where
// there are any of that model and as old, else the table's. It gives the same profile
// each time.
func (p *Prices) Of(day string) func(model string) (*cachemodel.Profile, error) {
	if p == nil {
		return cachemodel.Lookup
	}
	known := map[*cachemodel.Profile]*cachemodel.Profile{}
	return func(model string) (*cachemodel.Profile, error) {
		row, err := cachemodel.Lookup(model)
		if err != nil || known[row] != nil {
			return known[row], err
		}
		known[row] = row
		if list := p.of(row); list != nil {
			if x, err := newestOf(list, row, cmp.Or(day, p.newest())); err == nil {
				known[row] = x.on(row, p.File)
			}
		}
		return known[row], nil
	}
}

// of are the prices of a model, nil for none.
func (p *Prices) of(row *cachemodel.Profile) []OwnPrice {
	if p == nil {
		return nil
	}
	for id, list := range p.Models { // order: one name of a model is all that is checked to be there
		if named, err := cachemodel.Lookup(id); err == nil && named.ID == row.ID {
			return list
		}
	}
	return nil
}

// newest is the newest day from which a price holds.
func (p *Prices) newest() (day string) {
	if p == nil {
		return ""
	}
	for _, list := range p.Models { // order: a maximum
		for i := range list {
			day = max(day, list[i].From)
		}
	}
	return day
}

// newestOf is the newest price that is not after a day.
func newestOf(list []OwnPrice, row *cachemodel.Profile, day string) (*OwnPrice, error) {
	var best *OwnPrice
	first := list[0].From
	for i := range list {
		if x := &list[i]; x.From <= day && (best == nil || x.From > best.From) {
			best = x
		}
		first = min(first, list[i].From)
	}
	if best == nil {
		return nil, fmt.Errorf("your prices of model %s begin on %s, after %s: change the day to %s or later, or add a price", row.Pinned(), first, day, first)
	}
	return best, nil
}

func (x *OwnPrice) rates() cachemodel.Rates {
	return cachemodel.Rates{Input: cachemodel.Picodollars(*x.Input), Write5m: cachemodel.Picodollars(*x.Write5m), Write1h: cachemodel.Picodollars(*x.Write1h),
		Read: cachemodel.Picodollars(*x.Read), Output: cachemodel.Picodollars(*x.Output)}
}

// Units are what usage takes of the plan, rounded to whole units.
func (q *QuotaPlan) Units(u llm.Usage) int64 {
	hour := cmp.Or(q.Write1h, q.Write)
	sum := u.Input*int64(*q.Input) + u.Read*int64(*q.Read) + u.Write5m*int64(*q.Write) + u.Write1h*int64(*hour) + u.Output*int64(*q.Output)
	whole := cachemodel.Million * max(q.Per, 1)
	return (sum + whole/2) / whole
}

// String says what the plan counts, such as plan Team in credits a token: 1 uncached
// input, ….
func (q *QuotaPlan) String() string {
	per := "a token"
	if q.Per > 1 {
		per = fmt.Sprintf("per %d tokens", q.Per)
	}
	text := func(w *Weight) string { s, _ := w.Flow(); return s }
	write := text(q.Write) + " cache write"
	if q.Write1h != nil {
		write += " (" + text(q.Write1h) + " for 1h)"
	}
	return fmt.Sprintf("plan %s in %s %s: %s uncached input, %s cache read, %s, %s output, whatever the model", q.Name, q.Unit, per,
		text(q.Input), text(q.Read), write, text(q.Output))
}

// prices checks the user's own prices and plan.
func (c *checker) prices() bool {
	const at = "provider.prices"
	p, before := c.s.Provider.Prices, len(c.Errs.List)
	if p == nil {
		return true
	}
	if len(p.Models) == 0 && p.Plan == nil {
		c.bad(at, "models: {claude-sonnet-5-5: ["+pricesExample+"]}", "prices name no model and no plan")
	}
	known := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(p.Models)) {
		at := at + ".models." + id
		row, err := cachemodel.Lookup(id)
		if err != nil {
			msg, hint := splitHint(err.Error())
			if near := document.Nearest(id, cachemodel.Models()); near != "" {
				hint = "did you mean " + document.Quoted(near) + "?"
			}
			c.badKey(at, hint, "%s", msg)
			continue
		}
		if other := known[row.ID]; other != "" {
			c.badKey(at, "put all prices below one of them", "%s is the same model as %s", id, other)
		}
		known[row.ID] = id
		c.ownPrices(at, id, p.Models[id])
	}
	if p.Plan != nil {
		c.quotaPlan(at+".plan", p.Plan)
	}
	return len(c.Errs.List) == before
}

// ownPrices checks the prices of one model.
func (c *checker) ownPrices(at, id string, list []OwnPrice) {
	if len(list) == 0 {
		c.badKey(at, pricesExample, "model %s has no price", id)
	}
	days := map[string]bool{}
	for i := range list {
		x, at := &list[i], at+"["+itoa(i)+"]"
		switch {
		case x.From == "":
			c.bad(at, "such as from: 2026-11-01", "a price of %s does not say from which day on it holds", id)
		case !isDate(x.From):
			c.bad(at+".from", "such as 2026-11-01", "bad date %q in a price of %s", x.From, id)
		case days[x.From]:
			c.bad(at+".from", "one price a day", "a second price of %s from %s on", id, x.From)
		}
		days[x.From] = true
		for _, r := range []struct {
			key  string
			rate *Dollars
		}{{"input", x.Input}, {"cache_read", x.Read}, {"cache_write_5m", x.Write5m}, {"cache_write_1h", x.Write1h}, {"output", x.Output}} {
			if r.rate == nil {
				c.bad(at, r.key+": N, dollars a million tokens; no rate is taken from another", "a price of %s has no %s", id, r.key)
			}
		}
	}
}

// quotaPlan checks a plan: a unit without weights would be made up.
func (c *checker) quotaPlan(at string, q *QuotaPlan) {
	name := cmp.Or(q.Name, "without a name")
	for _, w := range []struct{ key, value string }{{"name", q.Name}, {"unit", q.Unit}} {
		if w.value == "" {
			c.bad(at, map[string]string{"name": "such as name: Team", "unit": "such as unit: credits"}[w.key], "the plan has no %s", w.key)
		}
	}
	for _, w := range []struct {
		key    string
		weight *Weight
	}{{"input", q.Input}, {"cache_read", q.Read}, {"cache_write", q.Write}, {"output", q.Output}} {
		if w.weight == nil {
			c.bad(at, w.key+": N, units a token; no weight is made up", "plan %s has no weight of %s", name, w.key)
		}
	}
	if q.Per > cachemodel.Million {
		c.bad(at+".per", "such as 1000", "per is how many tokens the weights are for, at most 1,000,000")
	}
}
