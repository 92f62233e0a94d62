package document

// Limits on content that a scenario asks to be generated.
const (
	MaxContentTokens = 10_000_000 // of one piece
	MaxContentBytes  = 64 << 20   // of one piece
	MaxBlocks        = 10_000     // into which one piece may be split
	MaxGenerated     = 256 << 20  // bytes of all pieces of a scenario
)

// TokenBytes is what a token counts for among the bytes of all pieces.
const TokenBytes = 4

// boundSize refuses a piece of too many tokens.
func (d *Decoder) boundSize(n *Node, s Size) {
	if s.Hi > MaxContentTokens {
		d.Fail(n, "", "more than %d tokens in one piece", MaxContentTokens)
		return
	}
	d.Generates(n, s.Hi*TokenBytes)
}

// Generates adds a piece to those of the scenario; the one with which they become
// too much is told.
func (d *Decoder) Generates(n *Node, bytes int64) {
	before := d.generated
	d.generated += bytes
	if before <= MaxGenerated && d.generated > MaxGenerated {
		d.Fail(n, "smaller pieces, or fewer", "with this the scenario generates more than %d bytes, a token taken for %d", MaxGenerated, TokenBytes)
	}
}
