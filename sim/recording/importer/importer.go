package importer

import (
	"cmp"
	"fmt"
	"io/fs"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// Options say how much of a recording is read. The zero value is usable.
type Options struct {
	Strict     bool  // fail where the body of a request has what the API does not know
	Content    bool  // fill Request.Said and Request.Answer where the recording holds them
	MaxLine    int64 // bytes; a longer line is skipped and counted; 0 is 64 MiB
	MaxContent int64 // bytes of content a session; 0 is 256 MiB
	// Progress is told from time to time how many of all bytes have been read; nil
	// for nobody.
	Progress func(done, total int64)
}

// Defaults of Options.
const (
	defaultMaxLine    = 64 << 20
	defaultMaxContent = 256 << 20
)

// maxRequests is how many requests one session, or one file of rows, may have:
// they are held in memory.
const maxRequests = 1 << 20

// Report is what an import came to.
type Report struct {
	Files    int   // that sessions were read from
	Bytes    int64 // of these, as they lie on disk
	Sessions int
	Requests int
	// Skipped is all that was passed over, that of the sessions included, by what
	// it is.
	Skipped []recording.Skip
}

// Read finds the recorded sessions under roots, which are files or directories of
// fsys, and hands each to each, whose error ends the import. Directories are
// walked; a file of no known format is counted as skipped. Files that belong to
// one session are read as one, and of several copies of a file, as checkpoints
// leave them, the longest counts.
//
// The order is fixed: by the path of a session's first file; within a file of many
// sessions by origin and id.
//
// Every session keeps this: Request.Pred lies before the request, and
// Thread.Parent before the thread. Where a recording has no instant for the
// beginning of a request, Start is the earliest that it has for it.
func Read(fsys fs.FS, roots []string, opt Options, each func(*recording.Session) error) (*Report, error) {
	opt.MaxLine = cmp.Or(opt.MaxLine, defaultMaxLine)
	opt.MaxContent = cmp.Or(opt.MaxContent, defaultMaxContent)
	im := &imported{opt: opt, each: each, skips: &skips{}, seen: map[sessionKey]llm.Usage{}}
	sources, err := im.find(fsys, roots)
	if err != nil {
		return nil, err
	}
	groups, err := im.group(sources)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if err := im.read(g); err != nil {
			return nil, err
		}
	}
	if opt.Progress != nil {
		opt.Progress(im.total, im.total)
	}
	im.report.Skipped = im.skips.sorted()
	return &im.report, nil
}

// imported is one import under way.
type imported struct {
	opt         Options
	each        func(*recording.Session) error
	skips       *skips
	report      Report
	seen        map[sessionKey]llm.Usage // what was billed
	done, total int64                    // bytes, for Progress
}

type sessionKey struct{ format, origin, id string }

// read reads the sessions of one group.
func (im *imported) read(g group) error {
	sk := &skips{}
	err := readers[g[0].format](g, &im.opt, sk, im.hand)
	im.skips.merge(sk)
	im.report.Files += len(g)
	for _, src := range g {
		im.report.Bytes += src.size
	}
	return err
}

var readers = [...]reader{
	claudeCode: readClaudeCode,
	codex:      readCodex,
	traceLab:   lineReaderOf((*rowFile).round),
	kvTrace:    lineReaderOf((*rowFile).trace),
	rows:       lineReaderOf((*rowFile).row),
	rawBodies:  readBodies,
}

// reader reads files that belong together. It hands on each session with what was
// skipped in it, and leaves in sk what belongs to none.
type reader func(group []source, opt *Options, sk *skips, hand func(*recording.Session, *skips) error) error

// hand gives a session to the caller, unless it was given before.
func (im *imported) hand(s *recording.Session, sk *skips) error {
	k := sessionKey{s.Format, s.Origin, s.ID}
	if billed, twice := im.seen[k]; twice {
		var file string
		if len(s.Files) > 0 {
			file = s.Files[0].Name
		}
		if billed != s.Usage() {
			im.skips.add(twoSessions, file, 0)
		}
		im.skips.add("session that was read from another file already", file, 0)
		return nil
	}
	im.seen[k] = s.Usage()
	s.Skipped = sk.sorted()
	im.skips.merge(sk)
	im.report.Sessions++
	im.report.Requests += len(s.Requests)
	return im.each(s)
}

// tooMany is the error of a file with more requests than can be held.
func tooMany(name string, line int64) error {
	return fmt.Errorf("%s:%d: more than %d requests: split the file", name, line, maxRequests)
}
