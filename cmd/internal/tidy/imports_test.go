package tidy

import (
	"path"
	"slices"
	"strings"
)

// parseRooms reads the table of rooms: room → the rooms it may import.
func parseRooms(text string) map[string][]string {
	groups, out := map[string][]string{}, map[string][]string{}
	expand := func(words string) (list []string) {
		for _, w := range strings.Fields(words) {
			if g, ok := groups[w]; ok {
				list = append(list, g...)
			} else {
				list = append(list, w)
			}
		}
		return list
	}
	for line := range strings.Lines(text) {
		if name, words, ok := strings.Cut(line, "="); ok {
			groups[strings.TrimSpace(name)] = expand(words)
		} else if name, words, ok := strings.Cut(line, ":"); ok {
			out[strings.TrimSpace(name)] = expand(words)
		}
	}
	return out
}

// roomImports checks our packages' imports of one another.
func roomImports(t *tree) (out []finding) {
	const rule = "rooms"
	allowed := parseRooms(rooms)
	for _, f := range t.files {
		may, known := allowed[f.room()]
		if f.test {
			continue
		}
		if !known {
			out = append(out, t.finding(rule, f, nil, "package %s has no place in the table of rooms; decide what it may import", f.room()))
			continue
		}
		for _, spec := range f.syntax.Imports {
			imp := strings.Trim(spec.Path.Value, `"`)
			rel := strings.TrimPrefix(imp, module+"/")
			if ours(imp) && rel != f.room() && !slices.Contains(may, rel) {
				out = append(out, t.finding(rule, f, spec, "%s must not import %s; it may import: %s", f.room(), rel, list(may)))
			}
		}
	}
	return out
}

func list(words []string) string {
	if len(words) == 0 {
		return "nothing of ours"
	}
	return strings.Join(words, ", ")
}

// foreignImports checks the packages of others that belong to certain rooms.
func foreignImports(t *tree) (out []finding) {
	for _, f := range t.files {
		if f.test {
			continue
		}
		for _, spec := range f.syntax.Imports {
			imp := strings.Trim(spec.Path.Value, `"`)
			for _, p := range imports {
				if within(imp, p.pattern) && imp != strings.TrimSuffix(p.pattern, "/") || imp == p.pattern {
					if !within(path.Clean(f.room()), strings.Fields(p.only)...) {
						out = append(out, t.finding("imports", f, spec, "%s does not belong in %s; instead: %s", imp, f.room(), p.use))
					}
				}
			}
		}
	}
	return out
}
