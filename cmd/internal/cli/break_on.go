//go:build mutants

package cli

import (
	"agentsim/sim/mutant"

	"github.com/spf13/pflag"
)

// chosen is what --break names.
var chosen string

// breaking is the flag that was given, for the line that repeats a run.
func breaking() []string {
	if chosen == "" {
		return nil
	}
	return []string{"--break", chosen}
}

// addBreak lets a run break a behaviour on purpose (MET-04).
func addBreak(f *pflag.FlagSet) {
	f.Func("break", "break the behaviour behind the `mutant` of this name", func(name string) error {
		mutant.Break(name)
		chosen = name
		return nil
	})
}
