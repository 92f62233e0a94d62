package scenarios

import "agentsim/scenarios/document"

// patchOf parts what a variant says itself from the paths of its set.
func patchOf(variant *document.Node) (own *document.Node, paths []document.Pair) {
	own, paths = cutOldKeys(variant)
	kept := own.Pairs[:0]
	for _, p := range own.Pairs {
		if p.Key != "set" {
			kept = append(kept, p)
		} else if p.Val.Kind == document.Map {
			paths = append(paths, p.Val.Pairs...)
		}
	}
	own.Pairs = kept
	return own, paths
}

// over lays a variant over a tree: what it says itself, then its paths.
func (f *File) over(tree, variant *document.Node, errs *document.Problems) *document.Node {
	if set := variant.Get("set"); set != nil && set.Kind != document.Map {
		errs.Add(set.Pos, "such as {work.1.output: 400}", "set must be a mapping of paths to values, not %s", set.Kind)
	}
	own, paths := patchOf(variant)
	out := lang.Overlay(tree, own, scenarioType, errs)
	for _, p := range paths {
		if next := f.set(out, p.Key, p.Val, p.Pos, errs); next != nil {
			out = next
		}
	}
	return out
}
