package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guides are the subjects that have a guide, and the page of docs that is it. The
// endpoint and exploring have none: they are not there yet.
var guides = map[string]string{
	"the language": "scenarios.md", "writing scenarios": "writing.md", "reading a comparison": "reading.md",
	"forks or sub-agents": "fork-or-sub-agent.md", "structures": "structures.md", "caches and providers": "caches.md", "misses": "misses.md",
	"recordings and profiles": "recordings.md", "your repository": "repository.md", "CI": "ci.md", "truth": "truth.md", "many sessions": "scaling.md",
}

// lists are pages of docs that show no command.
var lists = []string{"fields.md", "glossary.md", "library.md", "provenance.md"}

func TestGuides(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	readme := pageText(t, root, "README.md")
	t.Run("DOC-01 README has at most 200 lines: install, commands, one picture, a table and how to read it, a regression, links", func(t *testing.T) {
		if n := strings.Count(readme, "\n"); n > 200 {
			t.Errorf("README.md has %d lines", n)
		}
		if n := strings.Count(readme, "!["); n != 1 {
			t.Errorf("README.md has %d pictures", n)
		}
		for _, part := range []string{"go install ./cmd/agentsim", "\nmake run ", "\nmake test ", "\n$ agentsim run ", "CACHE READ is what", "  regression\n", "\n$ echo $?\n3\n", "](docs/reading.md)"} {
			if !strings.Contains(readme, part) {
				t.Errorf("README.md lacks %q", part)
			}
		}
	})
	t.Run("DOC-01 each guide is there, README links it, and it has commands or scenarios that tests run", func(t *testing.T) {
		pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		shown := slices.Clone(lists)
		for subject, page := range guides {
			shown = append(shown, page)
			text := pageText(t, root, "docs/"+page)
			// TestReadme runs the former, TestScenarioPage the latter.
			if !strings.Contains(text, "```console\n$ agentsim ") && !strings.Contains(text, "```yaml\nagentsim: 1\n") {
				t.Errorf("the guide to %s, docs/%s, has nothing that a test runs", subject, page)
			}
		}
		slices.Sort(shown)
		var there []string
		for _, page := range pages {
			there = append(there, filepath.Base(page))
			if !strings.Contains(readme, "](docs/"+filepath.Base(page)+")") {
				t.Errorf("README.md does not link docs/%s", filepath.Base(page))
			}
		}
		if !slices.Equal(there, shown) {
			t.Errorf("docs has the pages %q, and guides and lists are %q", there, shown)
		}
	})
	t.Run("DOC-01 links between pages lead to a file or a heading", func(t *testing.T) { followLinks(t, root) })
}

func pageText(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	pageLink    = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// followLinks follows the links of the tree's pages that lead into the tree.
func followLinks(t *testing.T, root string) {
	followed := 0
	for _, glob := range []string{"*.md", "docs/*.md", "testdata/*/README.md"} {
		pages, err := filepath.Glob(filepath.Join(root, glob))
		if err != nil || len(pages) < 2 {
			t.Fatalf("%d pages: %v", len(pages), err)
		}
		for _, page := range pages {
			name, err := filepath.Rel(root, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range pageLink.FindAllStringSubmatch(pageText(t, root, name), -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				followed++
				file, anchor, _ := strings.Cut(m[1], "#")
				to := filepath.Join(filepath.Dir(name), file)
				if file == "" {
					to = name
				}
				if _, err := os.Stat(filepath.Join(root, to)); err != nil {
					t.Errorf("%s links %s, which is not there", name, m[1])
				} else if anchor != "" && !slices.Contains(anchors(pageText(t, root, to)), anchor) {
					t.Errorf("%s links %s, and %s has no such heading", name, m[1], to)
				}
			}
		}
	}
	if followed < 80 {
		t.Errorf("%d links were found", followed)
	}
}

// anchors are the names that code hosts give a page's headings.
func anchors(page string) (out []string) {
	for _, m := range pageHeading.FindAllStringSubmatch(page, -1) {
		out = append(out, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}
