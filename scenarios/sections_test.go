package scenarios

import (
	"slices"
	"strings"
	"testing"
)

func TestSections(t *testing.T) {
	t.Run("SCN-07 every section that is built has a scenario, and what has none says why", sectionsCovered)
	t.Run("SCN-07 every scenario of the library stands in a section, says why it exists, and what to look at", scenariosListed)
}

func sectionsCovered(t *testing.T) {
	var without, all []string
	for _, s := range Sections() {
		all = append(all, s.Word)
		if (len(s.Scenarios) == 0) != (s.Without != "") || s.About == "" {
			t.Errorf("%s has %d scenarios, and says %q", s.Word, len(s.Scenarios), s.Without)
		}
		if s.Without != "" {
			without = append(without, s.Word)
		}
		for i, name := range s.Scenarios {
			if !slices.Contains(Names(), name) || slices.Contains(s.Scenarios[:i], name) {
				t.Errorf("%s names %q, which is not in the library or is there twice", s.Word, name)
			}
		}
	}
	const want = "GATE LOOP DEF SUB FLT ISO FRK CRD TSK SWM PRM PLN WKT VER BTW MCP LEAN BRG MIN CACHE-A CACHE-B CACHE-C CACHE-D CACHE-X TOK KRN LLM MET"
	if got := strings.Join(all, " "); got != want {
		t.Errorf("the sections are %s, want %s", got, want)
	}
	if got, want := strings.Join(without, " "), "CACHE-B CACHE-C"; got != want {
		t.Errorf("without a scenario are %s, want %s", got, want)
	}
	if _, err := SectionNamed("FRX"); err == nil || !strings.Contains(err.Error(), `"FRK"`) {
		t.Errorf("got %v", err)
	}
}

func scenariosListed(t *testing.T) {
	listed := map[string]bool{}
	for _, s := range Sections() {
		for _, name := range s.Scenarios {
			listed[name] = true
		}
	}
	entries, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !listed[e.Name] || strings.TrimSpace(e.Why) == "" || len(e.LookAt) == 0 {
			t.Errorf("%s: in a section %v, why %q, %d things to look at", e.Name, listed[e.Name], e.Why, len(e.LookAt))
		}
	}
}
