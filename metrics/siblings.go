package metrics

import "agentsim/sim/transcript"

// firstRequest writes down what an agent's first request leaves its siblings in
// common.
func (f *Fold) firstRequest(ordinal int32, b *transcript.Request) {
	k, joined := f.kin.Request(ordinal, b)
	if !joined {
		return
	}
	for len(f.groups) <= k.Index {
		f.groups = append(f.groups, Siblings{Tokens: -1})
	}
	g := &f.groups[k.Index]
	if k.Common == nil {
		g.Bytes, g.Blocks, g.Tokens = 0, 0, -1
		return
	}
	g.Bytes, g.Blocks = k.Common.Bytes, k.Common.Pos
	if f.opt.Tokens != nil {
		g.Tokens = f.opt.Tokens(k.Model, k.Common)
	}
}

// siblings are the groups of two or more.
func (f *Fold) siblings() (out []Siblings) {
	for i, k := range f.kin.All {
		if k.Children < 2 {
			continue
		}
		g := Siblings{Tokens: -1}
		if i < len(f.groups) {
			g = f.groups[i]
		}
		g.Parent, g.Call, g.Type, g.Children = k.Parent, k.Call, k.Type, k.Children
		out = append(out, g)
	}
	return out
}
