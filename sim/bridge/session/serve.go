package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"agentsim/sim/bridge"
)

// ErrInput is that a session's input cannot be read.
var ErrInput = errors.New("cannot read standard input")

// Serve takes lines from in and writes what the session says of each to out, until the
// input ends or the session fails.
func (s *Session) Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	for {
		text, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInput, err)
		}
		said, err := s.Take(text)
		for i := range said {
			fmt.Fprintf(out, "%s\n", said[i].Text())
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line. Of one that is too long the beginning is kept, which is
// refused as too long.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, more, err := in.ReadLine()
		if err != nil {
			return nil, fmt.Errorf("after %d bytes of a line: %w", len(line), err)
		}
		if len(line) <= bridge.MaxLine {
			line = append(line, part...)
		}
		if !more {
			return line, nil
		}
	}
}
