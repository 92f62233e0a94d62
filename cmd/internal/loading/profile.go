package loading

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/recording/profile"

	"github.com/spf13/pflag"
)

// ReadProfile reads a profile of the binary or of a file.
func ReadProfile(name string) (*profile.Profile, error) {
	p, known := profile.Open(name)
	if known == nil {
		return p, nil
	}
	text, err := hostdir.Text(name, profile.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "./"):
		return nil, ui.Fail(ui.Usage, known)
	case err != nil:
		return nil, ui.Failf(ui.Operating, "%s: %w", ui.Quote(name), hostdir.Plain(err))
	}
	if p, err = profile.Parse(name, string(text)); err != nil {
		return nil, ui.Fail(ui.Usage, err)
	}
	return p, nil
}

// OneSource is a profile of one population, which figures can be drawn from and compared
// with.
func OneSource(name string) (*profile.Profile, error) {
	p, err := ReadProfile(name)
	if err == nil && len(p.Sources) != 1 {
		err = ui.Failf(ui.Usage, "%s has %s, which are no one population: agentsim profile merge measures them as one", ui.Quote(name), ui.Plural(len(p.Sources), "source"))
	}
	return p, err
}

// offer reads the profiles that overrides name, from where the user is. What is not
// there is looked for beside the scenario, unless the flag named it.
func offer(f *scenarios.File, sets []string, given string) error {
	for _, set := range sets {
		name, ok := strings.CutPrefix(set, "profile=")
		if _, err := os.Stat(name); !ok || name == scenarios.TinyProfile || err != nil && name != given {
			continue
		}
		p, err := OneSource(name)
		if err != nil {
			return err
		}
		scenarios.Offer(f, name, p)
	}
	return nil
}

// Draw lets all variants of the scenario draw from a profile, beside other overrides.
func Draw(l *Loaded, sets []string, name string, p *profile.Profile) error {
	scenarios.Offer(l.File, name, p)
	return l.Over(nil, append(sets[:len(sets):len(sets)], "profile="+name))
}

// Prices are the user's own, from a file that a flag names.
type Prices struct {
	Name string // of the file; "" for none
	*scenarios.Prices
	Text string // of the file
}

// Add adds the flag.
func (p *Prices) Add(f *pflag.FlagSet) {
	f.StringVar(&p.Name, "prices", "", "a `file` of your own prices, which go before the known ones")
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
