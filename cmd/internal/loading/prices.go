package loading

import (
	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"

	"github.com/spf13/pflag"
)

// Prices are the user's own, from a file that a flag names.
type Prices struct {
	Name string // of the file; "" for none
	*scenarios.Prices
	Text string // of the file
}

// Add adds the flag.
func (p *Prices) Add(f *pflag.FlagSet) {
	f.StringVar(&p.Name, "prices", "", "a `file` of your own prices, which stand over the known ones")
}

// Read reads the file, once; without one there is nothing to read.
func (p *Prices) Read() error {
	if p.Name == "" || p.Prices != nil {
		return nil
	}
	text, err := hostdir.Text(p.Name, scenarios.MaxBesideBytes)
	if err != nil {
		return ui.Unusable("--prices", p.Name, err)
	}
	p.Text = string(text)
	p.Prices, err = scenarios.ReadPrices(p.Name, p.Text)
	return err
}

// Words say at whose prices a model is, such as your prices of 2026-11-01 (mine.yaml).
func (p *Prices) Words(model *cachemodel.Profile) string {
	if p.Prices == nil || model.Source != p.Prices.File {
		return "prices of " + cachemodel.Newest()
	}
	return scenarios.OwnOf(model.Date, model.Source, true)
}
