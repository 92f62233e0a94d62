package importer

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// source is one file. Opened, it gives what it holds, decompressed.
type source struct {
	name string
	open func() (*opened, error)
	size int64 // bytes on disk
	// written is when the file was written last, as its file system says.
	written vtime.Instant
	identity
}

// located says in which file an error is.
func located(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// A compressed file may give maxExpand bytes for each of its own, and freeExpand
// besides. What JSON lines compress to is far from it.
const (
	maxExpand  = 200
	freeExpand = 16 << 20
)

var errBomb = fmt.Errorf("it expands to more than %d times its size: decompress it first if it is meant to", maxExpand)

// brokenOff reports whether an error says that a file ends early or goes on with
// something else, rather than that it cannot be read.
func brokenOff(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.As(err, &corrupt)
}

// opened is a source being read: it hashes what lies on disk and gives what that
// holds.
type opened struct {
	from  io.ReadCloser
	body  io.Reader
	hash  hash.Hash
	raw   int64 // bytes read from disk
	given int64
	zip   bool
	tell  func(int64)
}

// openSource opens a file. tell learns of each piece that was read from disk.
func openSource(from io.ReadCloser, tell func(int64)) (*opened, error) {
	o := &opened{from: from, hash: sha256.New(), tell: tell}
	raw := bufio.NewReaderSize(rawReader{o}, 64<<10)
	magic, err := raw.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(raw)
		if err != nil && !brokenOff(err) {
			return nil, err
		}
		if o.zip = true; err != nil {
			o.body = failing{err}
			return o, nil
		}
		raw = bufio.NewReader(z)
	}
	if mark, _ := raw.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		raw.Discard(len(mark)) // it is there
	}
	o.body = raw
	return o, nil
}

// byteOrderMark may stand at the beginning of a text and means nothing.
const byteOrderMark = "\ufeff"

// failing is a file whose head cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// rawReader reads what lies on disk.
type rawReader struct{ o *opened }

func (r rawReader) Read(p []byte) (int, error) {
	n, err := r.o.from.Read(p)
	r.o.hash.Write(p[:n])
	r.o.raw += int64(n)
	r.o.tell(int64(n))
	return n, err
}

func (o *opened) Read(p []byte) (int, error) {
	n, err := o.body.Read(p)
	o.given += int64(n)
	if o.zip && o.given > freeExpand+maxExpand*o.raw {
		return 0, errBomb
	}
	return n, err
}

// Close closes the file.
func (o *opened) Close() error { return o.from.Close() }

// file tells of what was read, as it lies on disk; it is whole once the end was
// reached.
func (o *opened) file(name string) recording.File {
	return recording.File{Name: name, SHA256: hex.EncodeToString(o.hash.Sum(nil)), Bytes: o.raw}
}

// closing returns err after what was open is closed.
func closing(err error, done func() error) error {
	if e := done(); e != nil {
		return fmt.Errorf("%w (and closing it: %v)", err, e)
	}
	return err
}
