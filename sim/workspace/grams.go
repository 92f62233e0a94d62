package workspace

import (
	"math/bits"
	"strings"
)

// grams are the sequences of four bytes that stand in a content: bits by hash, a
// power of two of them that is at least the content's length.
type grams []uint64

// gramsOf reads a content once.
func gramsOf(content string) grams {
	g := make(grams, 1<<max(0, bits.Len(uint(len(content)))-6))
	four := uint32(0)
	for i := range len(content) {
		four = four<<8 | uint32(content[i])
		word, bit := g.place(four)
		g[word] |= bit
	}
	return g
}

// place is the bit of the four bytes.
func (g grams) place(four uint32) (word int, bit uint64) {
	h := uint64(four) * 0x9e3779b97f4a7c15 >> 32
	return int(h>>6) & (len(g) - 1), 1 << (h & 63)
}

// lack reports whether a sequence of four bytes of a literal is not there.
func (g grams) lack(literal string) bool {
	four := uint32(0)
	for i := range len(literal) {
		four = four<<8 | uint32(literal[i])
		if word, bit := g.place(four); i >= 3 && g[word]&bit == 0 {
			return true
		}
	}
	return false
}

// Contains reports whether a literal stands in the file. What searches look for stands
// in few files, so a list of what may stand in this one is made and asked first.
func (f *File) Contains(literal string) bool {
	if literal == "" {
		return true
	}
	if f.grams == nil {
		f.grams = f.makeGrams()
	}
	return !f.grams.lack(literal) && strings.Contains(f.content, literal)
}

// makeGrams is those of the content; all runs over its snapshot share them.
func (f *File) makeGrams() grams {
	if f.base == nil {
		return gramsOf(f.content)
	}
	g, _ := f.base.grams.Get(f.path, func(string) (grams, error) { return gramsOf(f.content), nil })
	return g
}

// Pieces is how many pieces of 16 bytes or less the file's lines have, each line with
// its line feed and one piece more than it fills.
func (f *File) Pieces() int {
	if f.pieces == 0 {
		for line := range strings.Lines(f.content) {
			f.pieces += len(line)/16 + 1
		}
	}
	return f.pieces
}
