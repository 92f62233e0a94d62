package blocktrace

import (
	"errors"
	"io"
	"slices"
)

// counted is a reader that knows where lines begin, from a place on that moves
// with what was understood, and that ends when what was not grows too long.
type counted struct {
	r       io.Reader
	read    int64   // bytes read
	base    int64   // bytes understood
	lines   []int64 // offsets of the newlines behind base
	passed  int     // newlines before base
	err     error
	tooLong bool
}

var errTooLong = errors.New("the entry is too long")

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	if c.read-c.base > MaxEntry {
		c.tooLong = true
		return 0, errTooLong
	}
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.lines = append(c.lines, c.read+int64(i))
		}
	}
	c.read += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}

// from says that all before an offset is understood.
func (c *counted) from(offset int64) {
	n, _ := slices.BinarySearch(c.lines, offset)
	c.passed += n
	c.lines = slices.Delete(c.lines, 0, n)
	c.base = offset
}

// line is the number of the line at an offset, which is not before base, from 1.
func (c *counted) line(offset int64) int {
	n, _ := slices.BinarySearch(c.lines, offset)
	return c.passed + n + 1
}
