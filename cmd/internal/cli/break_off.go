//go:build !mutants

package cli

import "github.com/spf13/pflag"

// addBreak adds nothing: nothing can be broken in this build.
func addBreak(*pflag.FlagSet) {}

// breaking is the flag that was given: none.
func breaking() []string { return nil }
