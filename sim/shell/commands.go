package shell

import "mvdan.cc/sh/v3/syntax"

// Commands lists the simple commands of a script as they are written, wherever
// they stand in it, in order; a redirection that may write is one of its own. A
// script that cannot be parsed is one command.
func Commands(script string) []string {
	file, err := parse(script)
	if err != nil {
		return []string{script}
	}
	var out []string
	add := func(n syntax.Node) {
		if from, to := n.Pos().Offset(), n.End().Offset(); to <= uint(len(script)) && from < to {
			out = append(out, script[from:to])
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			add(n)
		case *syntax.Redirect:
			if !redirectReads(n) {
				add(n)
			}
		}
		return true
	})
	if out == nil {
		return []string{script}
	}
	return out
}
