package profile

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/memo"
)

// shipped has the profiles as JSON, which a program that starts reads in a twentieth of
// the time that YAML takes. The YAML beside it is what was measured and what people read;
// a test holds that both are equal.
//
//go:embed shipped/*.json
var shipped embed.FS

// recorded-2026-11 was measured on 2026-11-22 from the open sessions that
// testdata/validation/README.md names: whole transcripts where their repositories
// have them, rows of requests of the others.

// Default is the profile that is used where none is named.
const Default = "recorded-2026-11"

// Shipped lists the profiles in the binary.
func Shipped() (names []string) {
	list, err := shipped.ReadDir("shipped")
	if err != nil {
		panic("profile: " + err.Error()) // it is in the binary
	}
	for _, f := range list {
		names = append(names, strings.TrimSuffix(f.Name(), ".json"))
	}
	return names
}

// opened holds the profiles of the binary that were asked for.
var opened memo.Map[string, *Profile]

// Open is a profile in the binary, one for all who ask: it is not to be changed. Where
// there is none of that name the error says which there are.
func Open(name string) (*Profile, error) {
	return opened.Get(name, func(name string) (*Profile, error) {
		text, err := shipped.ReadFile("shipped/" + name + ".json")
		if err != nil {
			return nil, fmt.Errorf("no profile %q in this agentsim: %s", name, document.DidYouMeanOr(name, Shipped()))
		}
		p := &Profile{}
		return p, json.Unmarshal(text, p)
	})
}
