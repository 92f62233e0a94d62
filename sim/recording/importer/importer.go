// Package importer reads recorded sessions of real agents.
//
// Rules:
//   - A recording is data: nothing in it is run, and no name in it is opened.
//   - What is not understood is counted with the place where it was met first;
//     it never ends an import, and nothing is passed over in silence.
//   - Files are streamed. Of a line only what its session needs is kept, and every
//     table has a limit.
//   - Equal files give equal sessions, in whatever order they are found.
package importer

// Options say how recordings are read.
type Options struct {
	// Content keeps what was said; without it a session is figures only.
	Content bool
	// MaxLine is the longest line that is read, in bytes, and MaxContent the most
	// content that a session may hold; 0 is the default of each.
	MaxLine, MaxContent int64
	// Progress, if set, is told how many bytes of how many were read.
	Progress func(done, total int64)
}

// The defaults of Options.
const (
	defaultMaxLine    = 64 << 20
	defaultMaxContent = 1 << 30
)
