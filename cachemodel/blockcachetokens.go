package cachemodel

import "agentsim/sim/llm"

// tokensOption names how engines that cache tokens see a conversation.
const tokensOption = "tokens=of-whole-blocks"

// appendTokens appends the ids of the tokens behind node from up to node to, as
// many as counts gives each block. They are made of the node's hash, which
// covers the whole prefix, and their place in the block: equal prefixes have
// equal tokens, and from the first block that differs in one byte all tokens
// differ, also those before that byte and those of equal texts. So an engine
// reads what two conversations share in whole blocks, which is a little less than
// a real one would.
func appendTokens(dst []Token, from, to *llm.Node, counts llm.Counts) []Token {
	start := len(dst)
	var first int64
	if from != nil {
		first = counts.At(from)
	}
	all := counts.At(to)
	for int64(len(dst)-start) < all-first {
		dst = append(dst, 0)
	}
	for n, end := to, all; n != from && end > first; n = n.Parent {
		begin := int64(0)
		if n.Parent != nil {
			begin = counts.At(n.Parent)
		}
		seed := mix64(n.Hash.Hi) ^ n.Hash.Lo
		for i := range end - begin {
			dst[int64(start)+begin-first+i] = mix64(seed + uint64(i))
		}
		end = begin
	}
	return dst
}

// isPrefix reports whether head continues the conversation that ends with n.
func isPrefix(n, head *llm.Node) bool {
	for head != nil && head != n && head.Hash != n.Hash {
		head = head.Parent
	}
	return head != nil
}

// readTokens enters that the prompt's first tokens were read, so many of them;
// the report names the last block that was read whole.
func (a *Admission) readTokens(read int64) {
	a.Usage.Read = read
	a.Usage.Input = a.Prompt - read
	if read == 0 {
		return
	}
	for n := a.Request.Head; n != nil; n = n.Parent {
		if !n.IsBorder() && a.Request.Counts.At(n) <= read {
			a.Report.ReadTo = n
			return
		}
	}
}

// mix64 spreads a key over all 64 bits (the finaliser of splitmix64); it is
// one to one.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
