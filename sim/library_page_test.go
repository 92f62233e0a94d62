package sim_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/metrics/report"
	"agentsim/metrics/sides"
	"agentsim/scenarios"
)

var rewriteLibrary = flag.Bool("rewrite-library", false, "write docs/library.md and the pictures in docs/library")

const libraryIntro = `# The library

What comes with agentsim, to learn from and to begin with. ` + "`agentsim run NAME`" + ` runs one, ` + "`agentsim scenario show NAME`" + ` prints it with every default, and a copy of its file may be changed ([writing a scenario](writing.md)). A picture has a bar for each variant: what its calls were billed, for what, and how long it took on virtual time, at the scenario's own seed. A longer bar is a dearer variant, not always a worse one: the line above says what it shows. [Reading a comparison](reading.md) explains the words.
`

// biggestPicture is of a picture of the library, in bytes, so that a page of all stays
// light.
const biggestPicture = 20 << 10

// libraryPage is the page and its pictures, by their paths below docs.
func libraryPage(t *testing.T) map[string]string {
	bills := map[string][]report.Row{}
	for _, r := range libraryResults(t) {
		scenario, variant, _ := strings.Cut(r.name, "/")
		bills[scenario] = append(bills[scenario], report.Row{Variant: variant, Run: r.bill})
	}
	entries, err := scenarios.Library()
	if err != nil {
		t.Fatal(err)
	}
	out, page := map[string]string{}, strings.Builder{}
	page.WriteString(libraryIntro)
	for _, e := range entries {
		fmt.Fprintf(&page, "\n## [%s](../scenarios/library/%[1]s.yaml)\n\n%s\n", e.Name, e.Why)
		picture := sides.Bills(e.Name, bills[e.Name])
		if picture == nil {
			page.WriteString("\nWithout a picture: nothing is billed.\n")
			continue
		}
		var svg bytes.Buffer
		if err := picture.SVG(&svg); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if svg.Len() > biggestPicture {
			t.Errorf("the picture of %s has %d bytes, more than %d", e.Name, svg.Len(), biggestPicture)
		}
		fmt.Fprintf(&page, "\n![%s: what each variant was billed, and for what](library/%[1]s.svg)\n", e.Name)
		out["library/"+e.Name+".svg"] = svg.String()
	}
	out["library.md"] = page.String()
	return out
}

func TestLibraryPage(t *testing.T) {
	t.Run("DOC-03 docs/library.md has each scenario with what it teaches and a picture of its runs", func(t *testing.T) {
		want, docs := libraryPage(t), "../docs"
		if *rewriteLibrary {
			if err := os.RemoveAll(filepath.Join(docs, "library")); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(docs, "library"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range want {
				if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		kept, err := filepath.Glob(filepath.Join(docs, "library", "*"))
		if err != nil || len(kept)+1 != len(want) {
			t.Errorf("docs/library has %d files, and %d are made: %v", len(kept), len(want)-1, err)
		}
		for name, text := range want {
			if is, err := os.ReadFile(filepath.Join(docs, name)); err != nil || string(is) != text {
				t.Errorf("docs/%s is not what the library's runs give (%v): go test ./sim -run TestLibraryPage -rewrite-library", name, err)
			}
		}
	})
}
