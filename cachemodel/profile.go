package cachemodel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// Picodollars is money: 10⁻¹² US dollars, so that a rate of $1 per million
// tokens is exactly 1,000,000 per token and sums lose nothing. The type holds
// some nine million dollars.
type Picodollars int64

// perMillion turns micro-dollars per million tokens into Picodollars per token:
// both units differ from theirs by the same factor, so $3 is 3,000,000.
const perMillion Picodollars = 1_000_000

// Rates are Picodollars per token. No rate is derived from another.
type Rates struct {
	Input, Write5m, Write1h, Read, Output Picodollars
}

// Cost is what the usage costs at these rates.
func (r Rates) Cost(u llm.Usage) Picodollars {
	return Picodollars(u.Input)*r.Input + Picodollars(u.Write5m)*r.Write5m + Picodollars(u.Write1h)*r.Write1h +
		Picodollars(u.Read)*r.Read + Picodollars(u.Output)*r.Output
}

// String is such as $2 input, $0.10 cache read, $2.50 cache write ($4 for 1h), $10
// output a million tokens.
func (r Rates) String() string {
	return fmt.Sprintf("%s input, %s cache read, %s cache write (%s for 1h), %s output a million tokens",
		perMillionText(r.Input), perMillionText(r.Read), perMillionText(r.Write5m), perMillionText(r.Write1h), perMillionText(r.Output))
}

// Words are the list prices for machines, such as read=$0.10, dollars a million
// tokens: also those of long prompts and of fast mode, where there are any.
func (p *Profile) Words() (out []string) {
	for _, of := range []struct {
		prefix string
		rates  Rates
	}{{"", p.Rates}, {fmt.Sprintf("above_%d_", p.LongPrompt), p.Above}, {"fast_", p.Fast}} {
		for i, rate := range [...]Picodollars{of.rates.Input, of.rates.Read, of.rates.Write5m, of.rates.Write1h, of.rates.Output} {
			if of.rates != (Rates{}) {
				out = append(out, of.prefix+[...]string{"input", "read", "write", "write_1h", "output"}[i]+"="+perMillionText(rate))
			}
		}
	}
	return out
}

// perMillionText prints a rate as dollars a million tokens: whole, or with two
// decimals and as many more as it needs.
func perMillionText(rate Picodollars) string {
	whole, rest := rate/perMillion, rate%perMillion
	if rest == 0 {
		return fmt.Sprintf("$%d", whole)
	}
	digits := strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
	return fmt.Sprintf("$%d.%s", whole, digits+strings.Repeat("0", max(0, 2-len(digits))))
}

// Established says whether a figure was found in a source.
type Established struct {
	Rates, Minimum, Hidden, Tail bool
}

// Profile is one model family: everything about a model that decides a hit or a
// bill. Copy it to change a figure; the table's rows are shared.
type Profile struct {
	ID      string   // undated
	Release string   // the dated id that scenario files name; "" when the undated id is the only one
	Aliases []string // other names of the API for it

	Rates Rates
	// Above, when LongPrompt is not 0, are the rates of a request whose prompt is
	// longer than LongPrompt tokens.
	Above      Rates
	LongPrompt int64

	// Fast are the rates of fast mode, zero for a model without it, and where they
	// come from (CACHE-42).
	Fast       Rates
	FastSource string
	// PricedByRegion says that inference in the US costs more (CACHE-42).
	PricedByRegion bool

	Platform     Platform
	Minimum      int64 // tokens a prefix needs to be cached (CACHE-17)
	HiddenAuto   int64 // tokens that tools add (CACHE-45)
	HiddenForced int64 // likewise when tool_choice makes the model call one
	Tail         int64 // tokens after the last block (CACHE-38)
	Window       int64 // context window in tokens; 0 when not established
	// BedrockMinimum is the minimum on Bedrock where it is another; else 0 (CACHE-18).
	BedrockMinimum int64

	// StripsThinking says that a user turn which is no tool_result removes all
	// earlier thinking from what the model sees, and cuts the cache there.
	StripsThinking bool
	Salts          llm.SaltRules
	// Takes is what the model takes beside the plain blocks (CACHE-33, CACHE-34).
	Takes llm.Features
	// BindsThinking says that a thinking block belongs to what stood before it
	// (CACHE-35).
	BindsThinking bool
	// LimitsReads says that tokens read count towards the limit of input tokens
	// (CACHE-44).
	LimitsReads bool

	// Like names the model whose figures stand in for those that no source gives
	// (see Assume).
	Like string

	// From is the first day on which the model was there, at these rates; Retired
	// the first on which it is not. Year-month-day, "" where no source says.
	From, Retired string

	Found  Established
	Source string // of the rates
	Date   string // of the source, year-month-day
}

// Cost is the price of one call.
func (p *Profile) Cost(u llm.Usage) Picodollars {
	if p.LongPrompt > 0 && u.Prompt() > p.LongPrompt {
		return p.Above.Cost(u)
	}
	return p.Rates.Cost(u)
}

// CostUncached is what the same call costs with no cache at all: its whole
// prompt as plain input.
func (p *Profile) CostUncached(u llm.Usage) Picodollars {
	return p.Cost(llm.Usage{Input: u.Prompt(), Output: u.Output})
}

// Lookup finds the profile of a model id: undated, dated or an alias.
func Lookup(id string) (*Profile, error) { return lookup(id, false) }

// LookupBillable finds a model whose bills can be made with nothing assumed, for
// requests that count no hidden tool tokens. The error names the models of which
// that can be said, or the figure that was not found.
func LookupBillable(id string) (*Profile, error) {
	p, err := lookup(id, true)
	if err == nil {
		err = p.Require(true)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// lookup finds a model; exact says of which list its error speaks.
func lookup(id string, exact bool) (*Profile, error) {
	for i := range profiles {
		if p := &profiles[i]; id == p.ID || id == p.Release || slices.Contains(p.Aliases, id) {
			return p, nil
		}
	}
	if family, date := undated(id); date != "" {
		if p, err := Lookup(family); err == nil {
			return nil, fmt.Errorf("model %q: the table knows no release of %s dated %s; write %s", id, p.ID, date, p.Pinned())
		}
	}
	return nil, fmt.Errorf("model %q is not in the table, so there is no price for it: name one of %s", id, strings.Join(usable(exact), ", "))
}

// undated splits an id that ends in eight digits; date is empty for others.
func undated(id string) (family, date string) {
	i := strings.LastIndexByte(id, '-')
	if i < 0 || len(id)-i-1 != 8 || strings.Trim(id[i+1:], "0123456789") != "" {
		return id, ""
	}
	return id[:i], id[i+1:]
}

// Models lists the undated ids of the table, in its order.
func Models() []string {
	ids := make([]string, len(profiles))
	for i := range profiles {
		ids[i] = profiles[i].ID
	}
	return ids
}

// Pinned is the id that scenario files name: the dated one where there is one.
func (p *Profile) Pinned() string {
	return cmp.Or(p.Release, p.ID)
}

// CheckPinned returns an error when id names a model that has a dated id and is
// not that id, so that a scenario cannot change its meaning with an alias.
func (p *Profile) CheckPinned(id string) error {
	if id == p.Pinned() {
		return nil
	}
	return fmt.Errorf("model %q may come to mean another release: write %s", id, p.Pinned())
}

// Require returns an error that names the figure which was not found for the
// model, and without which no bill would be right: its rates, and with exact,
// where nothing may be assumed, its minimum.
func (p *Profile) Require(exact bool) error {
	what, why := "", ""
	switch {
	case !p.Found.Rates:
		what, why = "rates are", "no bill can be made"
	case exact && !p.Found.Minimum:
		what, why = "minimum cacheable length is", "whether a prefix is cached cannot be told"
	default:
		return nil
	}
	return fmt.Errorf("model %s: its %s not established, so %s; usable models: %s", p.ID, what, why, strings.Join(usable(exact), ", "))
}

// usable lists the pinned ids of the models of which enough is established for a
// bill, in the table's order.
func usable(exact bool) []string {
	var ids []string
	for i := range profiles {
		f := profiles[i].Found
		if f.Rates && (f.Minimum || !exact) {
			ids = append(ids, profiles[i].Pinned())
		}
	}
	return ids
}
