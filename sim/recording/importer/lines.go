package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"agentsim/sim/recording"
)

// lineReader reads a source line by line in bounded memory. Lines that are too
// long or no UTF-8 are counted as skipped and never held whole; empty ones are
// left out.
type lineReader struct {
	name   string
	in     *bufio.Reader
	max    int64
	skips  *skips
	number int64
	line   []byte
	cut    bool // the line that was returned last does not end with a line feed
}

func newLineReader(r io.Reader, name string, opt *Options, sk *skips) *lineReader {
	return &lineReader{name: name, max: cmp.Or(opt.MaxLine, defaultMaxLine), skips: sk, in: bufio.NewReaderSize(r, 64<<10)}
}

// next is the next line without its end, and its number from 1. The line is good
// until the next call. The error is io.EOF behind the last line, or the
// source's own, located.
func (l *lineReader) next() ([]byte, int64, error) {
	for {
		whole, err := l.fill()
		if err != nil {
			return nil, l.number, err
		}
		line := bytes.TrimSpace(l.line)
		switch {
		case !whole:
			l.skips.add(l.tooLong(), l.name, l.number)
		case len(line) == 0:
		case !utf8.Valid(line):
			l.skips.add("line that is no UTF-8", l.name, l.number)
		default:
			return line, l.number, nil
		}
	}
}

// tooLong is what a line is counted as that is longer than the limit.
func (l *lineReader) tooLong() string { return fmt.Sprintf("line of more than %d bytes", l.max) }

// fill reads one line into l.line; whole is false when it was longer than the
// limit, and what it held is gone.
func (l *lineReader) fill() (whole bool, err error) {
	l.line, whole, l.cut = l.line[:0], true, false
	var got int64
	for {
		part, err := l.in.ReadSlice('\n')
		got += int64(len(part))
		if whole = whole && got <= l.max; whole {
			l.line = append(l.line, part...)
		}
		switch {
		case err == nil:
			l.number++
			return whole, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && got > 0:
			l.number++
			l.cut = true
			return whole, nil
		case errors.Is(err, io.EOF):
			return false, io.EOF
		case brokenOff(err):
			l.skips.add("rest of a compressed file that breaks off", l.name, l.number+1)
			return false, io.EOF
		default:
			return false, fmt.Errorf("%s:%d: %w", l.name, l.number+1, err)
		}
	}
}

// eachLine calls do for the lines of a source, saying whether each is cut off before
// its line feed, and tells of the file when all are read.
func eachLine(src source, opt *Options, sk *skips, do func(line []byte, number int64, cut bool) error) (recording.File, error) {
	from, err := src.open()
	if err != nil {
		return recording.File{}, located(src.name, err)
	}
	lines := newLineReader(from, src.name, opt, sk)
	for {
		line, number, err := lines.next()
		if err == nil {
			err = do(line, number, lines.cut)
		}
		switch {
		case err == io.EOF:
			return from.file(src.name), from.Close()
		case err != nil:
			return recording.File{}, closing(err, from.Close)
		}
	}
}
