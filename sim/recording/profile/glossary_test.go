package profile

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestGlossary holds the page of words to the figures: a name in a file or a table can
// be looked up.
func TestGlossary(t *testing.T) {
	page, err := os.ReadFile("../../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| name | unit | meaning |\n|---|---|---|\n")
	var want strings.Builder
	for _, k := range Kinds {
		fmt.Fprintf(&want, "| %s | %s | %s |\n", k.Name, k.Unit, k.Is)
	}
	for _, k := range toolKinds {
		fmt.Fprintf(&want, "| TOOL.%s | %s | %s |\n", k.Name, k.Unit, k.Is)
	}
	if table != want.String() {
		t.Errorf("docs/glossary.md should end with:\n%s", want.String())
	}
}

// TestLabels names figures in words, in the order of their list and then by tool.
func TestLabels(t *testing.T) {
	names := []string{"Bash.time", "miss", "Agent.mix", "rare_tools", "Bash.bytes", "first_prompt"}
	slices.SortFunc(names, Compare)
	var got []string
	for _, n := range names {
		got = append(got, Label(n))
	}
	want := []string{"rare tools", "prompt of an agent's first request", "requests within the TTL that read less than was left for them",
		"Agent: of all tool uses", "Bash: size of a result", "Bash: time from the use to its result"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
