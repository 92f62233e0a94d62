//go:build mutants

package mutant

// broken is the behaviour that is broken, "" for none. Asked is whether anybody
// came by its switch since.
var (
	broken string
	asked  bool
)

// On reports whether the named behaviour is broken on purpose.
func On(name string) bool {
	if name != broken {
		return false
	}
	asked = true
	return true
}

// Break breaks the named behaviour, and mends the one that was broken before; ""
// breaks none. It is for the time between two runs.
func Break(name string) { broken, asked = name, false }

// Reached reports whether a run has come by the switch that Break named.
func Reached() bool { return asked }
