package sim_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"agentsim/sim"
)

var rewriteDigests = flag.Bool("rewrite-digests", false, "write the library's digests into testdata/library-digests.txt")

// digestsFile holds what every run of the library came to, on any machine.
const digestsFile = "../testdata/library-digests.txt"

// TestDigestsOnRecord holds the library's runs against the record that is kept
// with the source, so that a change of results is seen and comes with a new
// version of the semantics.
func TestDigestsOnRecord(t *testing.T) {
	t.Run("CON-05 KRN-01 the library's runs give the digests on record; a change of results has a new semantics version", func(t *testing.T) {
		var b strings.Builder
		fmt.Fprintf(&b, "semantics %d\n", sim.Semantics)
		for _, r := range libraryResults(t) {
			fmt.Fprintf(&b, "%s %s %s\n", r.name, r.spec.RunID(), r.res.Digest)
		}
		if *rewriteDigests {
			if err := os.WriteFile(digestsFile, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(digestsFile)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != string(want) {
			t.Errorf("results changed: raise sim.Semantics if equal specs now give other events, then run\n"+
				"  go test ./sim -run TestDigestsOnRecord -rewrite-digests\nrecorded:\n%snow:\n%s", want, got)
		}
	})
}
