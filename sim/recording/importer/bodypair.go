package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// A directory without an index does not say which answer is that of which request.

// pairByContent finds the answer of each request in the one that repeats its messages
// and goes on with that answer: older clients write no index. What stands in front of
// the messages may have changed in between.
func (d *bodies) pairByContent(dir string) error {
	answers := map[llm.Hash][]source{} // by what they hold
	var left []bodyFile
	for _, name := range slices.Sorted(maps.Keys(d.answers)) {
		a, _, err := d.answer(d.answers[name])
		if err != nil {
			return err
		}
		if a == nil {
			defer delete(d.answers, name) // it is told already
			left = append(left, bodyFile{d.answers[name], name, "", true})
		} else {
			left = append(left, bodyFile{d.answers[name], name, a.Model, true})
			if said := d.chain(d.said(a)); len(said) > 0 {
				last := said[len(said)-1].Hash
				answers[last] = append(answers[last], d.answers[name])
			}
		}
	}
	for _, of := range answers { // order: each list by itself
		slices.SortStableFunc(of, func(a, b source) int { return cmp.Compare(a.written, b.written) })
	}
	sent := map[llm.Hash]string{} // requests by their messages
	var all [][]*llm.Node
	for _, name := range slices.Sorted(maps.Keys(d.requests)) {
		body, _, err := d.read(d.requests[name])
		if err != nil {
			return err
		}
		if body == nil {
			continue
		}
		left = append(left, bodyFile{d.requests[name], name, body.Model, false})
		if alone := d.chain(after(body.Head, nil)); len(alone) > 0 {
			sent[alone[len(alone)-1].Hash] = name
			all = append(all, alone)
		}
	}
	for _, nodes := range all {
		d.pairsIn(nodes, sent, answers)
	}
	if n := len(d.pairs); n > 0 {
		d.skips.take("pair of request and answer found by what they hold: there is no "+bodiesIndex, int64(n), dir, 0)
	}
	d.pairByInstants(left, dir)
	return nil
}

// chain are messages' blocks in a chain of their own, without what clients change of
// white space when they repeat an answer.
func (d *bodies) chain(blocks []*llm.Node) (out []*llm.Node) {
	n := d.build.Border(d.build.Border(d.build.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{})
	for _, b := range blocks {
		n = d.build.Append(n, b.Role, tight(b.Block))
		out = append(out, n)
	}
	return out
}

// tight is a block whose JSON has no white space between its words.
func tight(b *llm.Block) *llm.Block {
	whole, odd := b.Content.Whole()
	if !odd && !b.Content.IsJSON() {
		return b
	}
	out, raw := *b, b.Content.Raw()
	if b.Content.IsJSON() {
		raw = compacted(raw)
	}
	if out.Content = llm.NewJSON(raw); odd {
		out.Content = llm.NewWhole(compacted(whole), out.Content)
	}
	return &out
}

func compacted(text string) string {
	var b bytes.Buffer
	json.Compact(&b, []byte(text)) // it is JSON
	return b.String()
}

// pairsIn finds the requests and answers that one conversation repeats.
func (d *bodies) pairsIn(nodes []*llm.Node, sent map[llm.Hash]string, answers map[llm.Hash][]source) {
	for i := 1; i < len(nodes); i++ {
		name, ok := sent[nodes[i-1].Hash]
		request, open := d.requests[name]
		if !ok || !open || nodes[i].Role != llm.Assistant {
			continue
		}
		end := i
		for end < len(nodes) && nodes[end].Role == llm.Assistant {
			end++
		}
		said := d.chain(nodes[i:end])
		of := answers[said[len(said)-1].Hash]
		k := slices.IndexFunc(of, func(a source) bool { return a.written >= request.written })
		if k < 0 {
			continue
		}
		delete(d.requests, name)
		d.found("", "", request, of[k], of[k].written)
		answers[said[len(said)-1].Hash] = slices.Delete(of, k, k+1)
	}
}

// bodyFile is a request or an answer that can be read.
type bodyFile struct {
	source
	name, model string
	answer      bool
}

// soonest is how soon an answer ends after its request at the earliest: files that
// were copied are written one right after the other.
const soonest = 50 * vtime.Millisecond

// pairByInstants pairs what nothing repeats, such as a conversation's last request and
// those in front of which something was changed: a request and the answer of its model
// that was written next, where the only request that was open between is that one. One
// whose answer cannot be read, such as an error, is open no longer, and stays unanswered.
func (d *bodies) pairByInstants(left []bodyFile, dir string) {
	paired := map[string]bool{}
	for _, p := range d.pairs {
		paired[path.Base(p.request.name)], paired[path.Base(p.response.name)] = true, true
	}
	left = slices.DeleteFunc(left, func(f bodyFile) bool { return paired[f.name] })
	slices.SortStableFunc(left, func(a, b bodyFile) int { return cmp.Compare(a.written, b.written) })
	answer := func(i int) bool { return i < 0 || i >= len(left) || left[i].answer }
	n := int64(0)
	for i, r := range left {
		if answer(i) || !answer(i-1) || i+1 == len(left) || !answer(i+1) || i+2 < len(left) && answer(i+2) {
			continue
		}
		if a := left[i+1]; a.written.Sub(r.written) >= soonest && a.written.Sub(r.written) <= vtime.Hour && strings.HasPrefix(a.model, r.model) {
			delete(d.requests, r.name)
			d.found("", "", r.source, a.source, a.written)
			n++
		}
	}
	if n > 0 {
		d.skips.take("pair of request and answer found by when their files were written alone: no other request here was open then", n, dir, 0)
	}
}
