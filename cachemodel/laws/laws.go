// Package laws checks what must hold of every bill, whatever the engine.
//
// Rules:
//   - A check is integers and at most one look-back window of steps, so a run
//     makes it on every call.
//   - An error names the law first and then the figures.
//   - L4 and L5 compare whole runs; they are properties of package oracle's
//     tests. L6 is about the books of a run, which sim checks.
package laws

import (
	"fmt"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
)

// Check holds one call against L1, L2 and L3. It is to be made right after the
// engine's Admit, with the bill of the prompt; req.Expect, where given, must be
// a request whose response began.
func Check(a *cachemodel.Admission) error {
	if err := whole(a); err != nil {
		return err
	}
	if err := written(a); err != nil {
		return err
	}
	return grows(a)
}

// Billed holds what End returned against L1: the bill of the prompt that Check
// has seen and the output, or nothing.
func Billed(a *cachemodel.Admission, u llm.Usage) error {
	want := a.Usage
	want.Output = u.Output
	if u != want || want.Prompt() == 0 && u.Output != 0 {
		return fmt.Errorf("CACHE-L1: billed %+v for a prompt of %+v", u, a.Usage)
	}
	return nil
}

// whole is L1: the parts of the prompt are the prompt, and none is negative.
func whole(a *cachemodel.Admission) error {
	u, req := a.Usage, a.Request
	prompt := req.Counts.At(req.Head) + req.Profile.Tail
	if u.Input+u.Write5m+u.Write1h+u.Read != prompt || u.Written() != u.Write5m+u.Write1h {
		return fmt.Errorf("CACHE-L1: input %d + written %d (5m) + %d (1h) + read %d is not the prompt of %d tokens",
			u.Input, u.Write5m, u.Write1h, u.Read, prompt)
	}
	if min(u.Input, u.Write5m, u.Write1h, u.Read, u.Output) < 0 {
		return fmt.Errorf("CACHE-L1: a part of the prompt is negative: %+v", u)
	}
	return nil
}

// written is L2: what is read was written before, under the same key, and lives.
func written(a *cachemodel.Admission) error {
	n, h := a.Report.ReadTo, &a.Hit
	switch {
	case n == nil && a.Usage.Read == 0:
		return nil
	case n == nil:
		return fmt.Errorf("CACHE-L2: %d tokens were read from no prefix", a.Usage.Read)
	case h.Key != n.Hash:
		return fmt.Errorf("CACHE-L2: the prefix at position %d was read under the key %v of another", n.Pos, h.Key)
	case h.Tokens != a.Usage.Read:
		return fmt.Errorf("CACHE-L2: %d tokens were read of a prefix that was written with %d", a.Usage.Read, h.Tokens)
	case h.Written > h.Readable || h.Readable > a.Start:
		return fmt.Errorf("CACHE-L2: read at %v, but written at %v and readable from %v", a.Start, h.Written, h.Readable)
	case !h.Kept && h.Expiry < a.Start:
		return fmt.Errorf("CACHE-L2: read at %v, but it had expired at %v", a.Start, h.Expiry)
	}
	return nil
}

// grows is L3: an append-only conversation that is warm, within the look-back
// and unchanged in its salts reads what its last request read and wrote.
func grows(a *cachemodel.Admission) error {
	x, n := a.Request.Expect, a.Report.ReadTo
	if x == nil || x.Mark == nil {
		return nil
	}
	want := a.Request.Counts.At(x.Mark)
	if n != nil && n.Pos == x.Mark.Pos && n.Hash == x.Mark.Hash && a.Usage.Read != want {
		return fmt.Errorf("CACHE-L3: the prefix that was written with %d tokens was read with %d", want, a.Usage.Read)
	}
	switch a.Report.Miss.Reason {
	case llm.MissNotYetReadable, llm.MissNoise: // the latter by a named option alone
		return nil
	}
	if a.Usage.Read >= want || !readable(a, want) {
		return nil
	}
	return fmt.Errorf("CACHE-L3: %d tokens were read of %d that the request at %v left %v ago",
		a.Usage.Read, want, x.Start, a.Start.Sub(x.Start))
}

// readable reports whether the expected prefix had to be read: long enough, not
// old, of the same salts and model, and met by a breakpoint's window.
func readable(a *cachemodel.Admission, want int64) bool {
	x, req := a.Request.Expect, a.Request
	if want < req.Profile.Sure() || x.Model != req.Model || x.Salts != req.Salts ||
		a.Start > x.Start.Add(llm.TTL5m.Duration()) {
		return false
	}
	return slices.ContainsFunc(a.Marks(), func(m cachemodel.Mark) bool { return m.Long && within(m.Node, x.Mark) })
}

// within reports whether old is a prefix fewer than LookBack positions before n (CACHE-14), with
// no border between them (what a border means is an option).
func within(n, old *llm.Node) bool {
	if n.Pos < old.Pos || n.Pos-old.Pos >= cachemodel.LookBack || n.Level != old.Level {
		return false
	}
	for n != nil && n.Pos > old.Pos {
		n = n.Parent
	}
	return n != nil && n.Hash == old.Hash
}
