package scenarios

import (
	"cmp"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios/document"
)

//go:embed example.yaml
var example string

//go:embed starter.yaml
var starter string

// Example is the text of a scenario to begin with on invented files, under a name of
// letters, digits, dashes and underscores. Any other name is an error.
func Example(name string) ([]byte, error) {
	if !isVariantName(name) {
		return nil, fmt.Errorf("%q cannot be a scenario's name: write letters, digits, dashes and underscores", name)
	}
	return []byte(strings.Replace(example, "name: starter\n", "name: "+name+"\n", 1)), nil
}

// What a starter asks about: a run of it takes a second, and its work fits into one
// agent's window.
const (
	starterFiles = 12
	starterItems = 6
	starterBytes = 256 << 10 // of all files
	starterFile  = 48 << 10  // of one
)

// Starter is the text of a scenario to begin with on the files of a directory, by
// path: it asks about those of one directory and ending. Without any that agents
// could review it is the example.
func Starter(name string, sizes map[string]int64) ([]byte, error) {
	text, err := Example(name)
	glob, files, chosen := chooseFiles(sizes)
	if err != nil || chosen == 0 {
		return text, err
	}
	return []byte(strings.NewReplacer("name: starter\n", "name: "+name+"\n", "FILES", files, "GLOB", "'"+glob+"'", "INTO", itoa(min(starterItems, chosen))).Replace(starter)), nil
}

// noSource are endings of files that nobody reviews while there are others.
var noSource = []string{"", ".md", ".txt", ".json", ".lock", ".sum", ".mod", ".yaml", ".yml", ".toml", ".xml", ".html", ".css", ".svg", ".csv", ".map", ".cfg", ".ini"}

// chooseFiles are the files that a starter asks about, as a glob, in words, and how
// many: those of the directory and ending of which most can be taken, else of the
// ending alone, source before other texts. Of too many the largest are taken.
func chooseFiles(sizes map[string]int64) (glob, words string, n int) {
	for _, group := range []func(p string) string{
		func(p string) string { return sourceEnding(p, path.Dir(p)+"/*") },
		func(p string) string { return sourceEnding(p, "**/*") },
		func(p string) string { return "**" },
	} {
		groups := map[string][]string{}
		for p := range sizes { // order: sorted when they are taken
			if key := group(p); key != "" && reviewable(p) {
				groups[key] = append(groups[key], p)
			}
		}
		best := ""
		for key, list := range groups { // order: the most, then the first by name
			if more := cmp.Compare(min(len(list), starterFiles), min(len(groups[best]), starterFiles)); more > 0 || more == 0 && key < best {
				best = key
			}
		}
		chosen := taken(groups[best], sizes)
		glob, n = strings.TrimPrefix(best, "./"), len(chosen)
		words = document.Counted(n, "file")
		if all := len(groups[best]); n < all || best == "**" {
			words = fmt.Sprintf("%d of %d files %s", n, all, glob)
			glob = strings.Join(chosen, ",")
		}
		if strings.Contains(glob, ",") {
			glob = "{" + glob + "}"
		}
		if n > 2 {
			break
		}
	}
	return glob, words, n
}

// sourceEnding is a group with the ending of a path, "" for no source.
func sourceEnding(p, group string) string {
	if slices.Contains(noSource, path.Ext(p)) {
		return ""
	}
	return group + path.Ext(p)
}

// reviewable reports whether a file is the project's own work, under a name that a
// glob can have as it is.
func reviewable(p string) bool {
	own := func(step string) bool {
		return !strings.HasPrefix(step, ".") && !slices.Contains([]string{"vendor", "node_modules", "third_party", "testdata", "dist", "build"}, step)
	}
	if slices.Contains([]string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"}, path.Base(p)) {
		return false // they are in front of agents
	}
	return !strings.ContainsAny(p, `*?[]{}\'",`) && !slices.ContainsFunc(strings.Split(p, "/"), func(step string) bool { return !own(step) })
}

// taken are as many files as a starter asks about, the largest first that fit, by path.
func taken(files []string, sizes map[string]int64) (out []string) {
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), strings.Compare(a, b)) })
	left := int64(starterBytes)
	for _, p := range files {
		if size := sizes[p]; size > 0 && size <= starterFile && size <= left && len(out) < starterFiles {
			out = append(out, p)
			left -= size
		}
	}
	slices.Sort(out)
	return out
}
