//go:build mutants

package cli

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestBreak runs the program with a behaviour broken on purpose. It is part of
// make mutants.
func TestBreak(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/broken", Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"exits": cmdExits, "sql": cmdSQL}})
}
