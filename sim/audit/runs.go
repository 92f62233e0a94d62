package audit

import "math/bits"

// runs are a text's runs of canary bytes. Which texts can hold one of them is told by
// their grams; the table of all runs is made for the first that can.
type runs struct {
	of    string
	grams []uint64 // a bit for each gram of the text, by its hash
	slots []run    // by the hashes of runs: a power of two, half of them empty
	n     int      // runs in slots
}

// run is a run's hash, and its place + 1: 0 in a slot that is empty, less where the run
// was taken away.
type run struct {
	hash uint64
	at   int32
}

// A run has a gram at one of stride places in a row: at one that is a multiple of it.
const (
	gram   = 8
	stride = canary - gram + 1
)

// base is that of the rolling hash, and leading its power for the first byte of a
// run; mix spreads the hashes.
const (
	base = 1099511628211
	mix  = 0x9e3779b97f4a7c15
)

var leading = func() uint64 {
	p := uint64(1)
	for range canary - 1 {
		p *= base
	}
	return p
}()

func shingles(text string) *runs {
	r := &runs{of: text, grams: make([]uint64, 1<<max(0, bits.Len(uint(8*len(text)))-6))}
	for i := range len(text) - gram + 1 {
		word, bit := r.gram(text, i)
		*word |= bit
	}
	return r
}

// gram is the bit of the gram of a text at i.
func (r *runs) gram(text string, i int) (word *uint64, bit uint64) {
	s := text[i : i+gram]
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	h := x * mix >> 32
	return &r.grams[int(h>>6)&(len(r.grams)-1)], 1 << (h & 63)
}

// slot is where a hash is or would be.
func (r *runs) slot(h uint64) *run {
	mask := len(r.slots) - 1
	for i := int(h*mix>>32) & mask; ; i = (i + 1) & mask {
		if s := &r.slots[i]; s.at == 0 || s.hash == h {
			return s
		}
	}
}

// roll calls each with the hash of every run of canary bytes.
func roll(text string, each func(h uint64, at int)) {
	var h uint64
	for i := 0; i < len(text); i++ {
		if i >= canary {
			h -= uint64(text[i-canary]) * leading
		}
		h = h*base + uint64(text[i])
		if i >= canary-1 {
			each(h, i-canary+1)
		}
	}
}

// table makes the table of all runs.
func (r *runs) table() {
	r.slots = make([]run, 1<<bits.Len(uint(2*len(r.of))))
	roll(r.of, func(h uint64, at int) {
		s := r.slot(h)
		if s.at == 0 {
			r.n++
		}
		*s = run{h, int32(at) + 1}
	})
}

// common calls each with what may be a run of both, in the order of text, and its slot.
func (r *runs) common(text string, each func(s *run, at int)) {
	for i := 0; i+gram <= len(text); i += stride {
		if word, bit := r.gram(text, i); *word&bit == 0 {
			continue
		}
		if r.slots == nil {
			r.table()
		}
		from := max(0, i-stride+1)
		roll(text[from:min(len(text), i+canary)], func(h uint64, at int) {
			if s := r.slot(h); s.at > 0 {
				each(s, from+at)
			}
		})
	}
}

// none reports whether all runs were taken away.
func (r *runs) none() bool { return r.slots != nil && r.n == 0 }

// without takes a text's runs away.
func (r *runs) without(text string) {
	r.common(text, func(s *run, _ int) { s.at, r.n = -1, r.n-1 })
}

// found is the first run of a text among r.
func (r *runs) found(text string) (found string) {
	r.common(text, func(s *run, at int) {
		if own := r.of[s.at-1:][:canary]; found == "" && own == text[at:at+canary] {
			found = own
		}
	})
	return found
}
