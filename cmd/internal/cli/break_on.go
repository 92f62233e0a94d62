//go:build mutants

package cli

import (
	"agentsim/sim/mutant"

	"github.com/spf13/pflag"
)

// addBreak lets a run break a behaviour on purpose (MET-04).
func addBreak(f *pflag.FlagSet) {
	f.Func("break", "break the behaviour behind the `mutant` of this name", func(name string) error {
		mutant.Break(name)
		return nil
	})
}
