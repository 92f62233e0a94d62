package scenarios

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed starter.yaml
var starter string

// Starter is the text of a scenario to begin with, under a name of letters,
// digits, dashes and underscores. Any other name is an error.
func Starter(name string) ([]byte, error) {
	if !isVariantName(name) {
		return nil, fmt.Errorf("%q cannot be a scenario's name: write letters, digits, dashes and underscores", name)
	}
	return []byte(strings.Replace(starter, "name: starter\n", "name: "+name+"\n", 1)), nil
}
