package importer

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"agentsim/sim/recording"
)

const codexRow = `{"repo":"o/b","agent":"codex","session":"s","thread":"main","seq":0,"t_last":5.5,"read":128,"uncached":7,"output":3}` + "\n"

// hugeFS holds one file that begins with head and goes on with fill, size bytes in
// all, and takes no room.
type hugeFS struct {
	head, fill string
	size       int64
}

func (h hugeFS) Open(name string) (fs.File, error) {
	if name != "huge.jsonl" {
		return nil, fs.ErrNotExist
	}
	return &hugeFile{hugeFS: h}, nil
}

// whole is a file of a head and one filling.
func whole(head, fill string) hugeFS { return hugeFS{head, fill, int64(len(head) + len(fill))} }

type hugeFile struct {
	hugeFS
	at int64
}

func (f *hugeFile) Stat() (fs.FileInfo, error) {
	info, err := fs.Stat(fstest.MapFS{"huge.jsonl": {}}, "huge.jsonl")
	return hugeInfo{info, f.size}, err
}

type hugeInfo struct {
	fs.FileInfo
	size int64
}

func (i hugeInfo) Size() int64 { return i.size }

func (f *hugeFile) Read(p []byte) (n int, err error) {
	for n < len(p) && f.at < f.size {
		part := f.head[min(f.at, int64(len(f.head))):]
		if part == "" {
			part = f.fill[(f.at-int64(len(f.head)))%int64(len(f.fill)):]
		}
		k := copy(p[n:], part[:min(int64(len(part)), f.size-f.at)])
		n, f.at = n+k, f.at+int64(k)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (f *hugeFile) Close() error { return nil }

// readAll reads everything and keeps the sessions.
func readAll(fsys fs.FS, opt Options, roots ...string) (all []*recording.Session, report *Report, err error) {
	report, err = Read(fsys, roots, opt, func(s *recording.Session) error {
		all = append(all, s)
		return nil
	})
	return all, report, err
}

// allocated is how many bytes do allocates in all, and what it keeps of them.
func allocated(do func()) (total, kept int64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	total = int64(after.TotalAlloc - before.TotalAlloc)
	runtime.GC()
	runtime.ReadMemStats(&after)
	return total, int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

func TestHostile(t *testing.T) {
	const gib = 1 << 30
	filler := strings.Repeat("x", 1<<16)
	const trace = `{"block_size":64,"requests":[`
	const line = 1 << 20
	for _, c := range []struct {
		name       string
		file       hugeFS
		line, most int64 // bytes: Options.MaxLine, and how many may be allocated
		sessions   int
		skipped    int64
		what       string
	}{
		{"IMP-10 two gigabytes without a line's end take no more memory than the line limit",
			hugeFS{codexRow, filler, 2 * gib}, line, 20 << 20, 1, 1, "line of more than 1048576 bytes"},
		{"IMP-10 16 MiB of blank lines cost no memory",
			hugeFS{codexRow, strings.Repeat(" \n", 1<<15), 16 << 20}, line, 20 << 20, 1, 0, ""},
		{"IMP-10 a line nested a million deep is counted",
			hugeFS{codexRow, strings.Repeat("[", line-1) + "\n", 4 << 20}, line, 80 << 20, 1, 4, "line that is no row (JSON that is malformed, cut off or nested too deeply)"},
		{"IMP-10 a file that begins nested millions deep is passed over before it costs memory",
			hugeFS{`{"a":`, strings.Repeat("[", 1<<16), 15 << 20}, 16 << 20, 120 << 20, 0, 1, "file of no known format"},
		{"IMP-10 a trace of 64 MiB on one line takes no more memory than the line limit",
			hugeFS{trace + `{"t":0,"type":"`, filler, 64 << 20}, line, 20 << 20, 0, 1, "line of more than 1048576 bytes"},
		{"IMP-10 a sub-agent with millions of empty requests is one entry that is unlike others",
			whole(trace+`{"t":0,"type":"subagent","requests":[{}`, strings.Repeat(",{}", 1<<20)+"]}]}"), 8 << 20, 60 << 20, 1, 1, "entry of a trace that is unlike others"},
		{"IMP-10 a round with millions of empty tools is passed over",
			whole(`{"provider":"claude","session_id":"s","round_index":0,"timing_events":[],"tools":[{}`, strings.Repeat(",{}", 1<<20)+"]}\n"), 8 << 20, 60 << 20, 0, 1, "round with too many tools or events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.file.size > gib {
				t.Skip("reads two gigabytes")
			}
			var all []*recording.Session
			var report *Report
			var err error
			total, _ := allocated(func() { all, report, err = readAll(c.file, Options{MaxLine: c.line}, "huge.jsonl") })
			if err != nil || len(all) != c.sessions {
				t.Fatalf("%d sessions, error %v; want %d", len(all), err, c.sessions)
			}
			if total > c.most {
				t.Errorf("allocated %d bytes, want at most %d", total, c.most)
			}
			var n int64
			for _, k := range report.Skipped {
				if k.What == c.what {
					n = k.Count
				}
			}
			if n != c.skipped {
				t.Errorf("%q counted %d times, want %d: %+v", c.what, n, c.skipped, report.Skipped)
			}
		})
	}
}

func TestCompressed(t *testing.T) {
	t.Run("IMP-10 a gzip bomb ends the import with its name, and nothing of it is held", func(t *testing.T) {
		bomb := fstest.MapFS{"bomb.gz": {Data: zipped(t, append([]byte(codexRow), make([]byte, 40<<20)...))}}
		var err error
		total, _ := allocated(func() { _, _, err = readAll(bomb, Options{MaxLine: 1 << 20}, ".") })
		if err == nil || !strings.HasPrefix(err.Error(), "bomb.gz:2: it expands") {
			t.Errorf("error %v, want one at bomb.gz:2", err)
		}
		if total > 20<<20 {
			t.Errorf("allocated %d bytes", total)
		}
	})
	t.Run("IMP-10 what a compressed file held before it broke off is kept", func(t *testing.T) {
		var text strings.Builder
		for i := range 2000 {
			text.WriteString(strings.Replace(codexRow, `"s"`, `"s`+hashed(strings.Repeat("z", i))[7:]+`"`, 1))
		}
		whole := zipped(t, []byte(text.String()))
		for name, data := range map[string][]byte{
			"cut":     whole[:len(whole)*9/10],
			"flipped": append(append(bytes.Clone(whole[:len(whole)*9/10]), 0xff, 0xff, 0xff), whole[len(whole)*9/10+3:]...),
			"tail":    append(bytes.Clone(whole), "rubbish behind"...),
		} {
			all, report, err := readAll(fstest.MapFS{"rows.gz": {Data: data}}, Options{}, ".")
			if err != nil || len(all) < 1000 || len(report.Skipped) == 0 {
				t.Errorf("%s: %d sessions, skipped %+v, error %v", name, len(all), report.Skipped, err)
			}
		}
	})
}

// countFS counts what is read of a file; the file changes after some openings.
type countFS struct {
	fs.FS
	read  int64
	opens int
	after int // openings, from which on the file is then; 0 for never
	then  fs.FS
}

type countFile struct {
	fs.File
	of *countFS
}

func (c *countFS) Open(name string) (fs.File, error) {
	from := c.FS
	if c.opens++; c.after > 0 && c.opens > c.after {
		from = c.then
	}
	f, err := from.Open(name)
	return countFile{f, c}, err
}

func (f countFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.of.read += int64(n)
	return n, err
}

func TestPassedOver(t *testing.T) {
	t.Run("IMP-10 two gigabytes that are no recording are not read through", func(t *testing.T) {
		files := &countFS{FS: hugeFS{"", strings.Repeat("x", 1<<16), 2 << 30}}
		all, report, err := readAll(files, Options{MaxLine: 1 << 20}, "huge.jsonl")
		if err != nil || len(all) > 0 || report.Skipped[0].What != "file of no known format" || files.read > 4<<20 {
			t.Errorf("%d sessions, error %v, skipped %+v, read %d bytes", len(all), err, report.Skipped, files.read)
		}
	})
	t.Run("IMP-10 where no line says what a file is, one that is too long to be read is told with its place", func(t *testing.T) {
		files := fstest.MapFS{
			"long.jsonl":  {Data: []byte("{}\n" + strings.Repeat("x", 3000))},
			"known.jsonl": {Data: []byte(strings.Repeat("x", 1500) + "\n" + codexRow)},
		}
		all, report, err := readAll(files, Options{MaxLine: 1000}, ".")
		want := []recording.Skip{{What: "file of no known format", Count: 1, File: "long.jsonl"}, {What: "line of more than 1000 bytes", Count: 2, File: "long.jsonl", Line: 2}}
		if err != nil || len(all) != 1 || !slices.Equal(report.Skipped, want) {
			t.Errorf("%d sessions, error %v, skipped %+v, want %+v", len(all), err, report.Skipped, want)
		}
	})
	t.Run("IMP-10 a file that becomes another while it is read costs no more than its content", func(t *testing.T) {
		for _, text := range seeds(t) {
			for after := 1; after < 6; after++ {
				was, is := fstest.MapFS{"f": {Data: []byte(text)}}, fstest.MapFS{"f": {Data: []byte(codexRow)}}
				if _, _, err := readAll(&countFS{FS: was, after: after, then: is}, Options{}, "f"); err != nil {
					t.Errorf("after %d openings: %v", after, err)
				}
			}
		}
	})
	t.Run("IMP-10 a name longer than any becomes a hash, the same for its every mention", func(t *testing.T) {
		long := strings.Repeat("n", 1<<20)
		row := func(req, pred string, at string) string {
			return `{"repo":"` + long + `","agent":"claude-code","session":"` + long + `","thread":"` + long + `","req":"` + req + `","pred":"` + pred +
				`","model":"` + long + `","t_start":` + at + `,"t_first":` + at + `,"t_last":` + at + `,"read":1,"uncached":1,"output":1}` + "\n"
		}
		all, _, err := readAll(fstest.MapFS{"f": {Data: []byte(row(long, "", "1") + row("b", long, "2"))}}, Options{}, "f")
		if err != nil || len(all) != 1 || len(all[0].Requests) != 2 || all[0].Requests[1].Pred != 0 {
			t.Fatalf("%d sessions, error %v", len(all), err)
		}
		if bad := lawful(all[0]); bad != "" || len(all[0].Requests[0].ID) > maxName || len(all[0].Requests[0].Model) > maxName || len(all[0].Origin) > maxName {
			t.Errorf("%s: %.400s", bad, ccTell(all[0]))
		}
	})
}

func TestTooMany(t *testing.T) {
	t.Run("IMP-10 a file of more requests than can be held is an error that names the line", func(t *testing.T) {
		f := rowFile{name: "rows.jsonl", requests: maxRequests, sessions: map[sessionKey]*rowSession{}, names: map[string]string{}}
		if err := f.row([]byte(codexRow), 7, &skips{}); err == nil || !strings.HasPrefix(err.Error(), "rows.jsonl:7: more than 1048576 requests") {
			t.Errorf("error %v", err)
		}
	})
}

// failingFS cannot read its file's end.
type failingFS struct{ fstest.MapFS }

var errDisk = errors.New("disk trouble")

type failingFile struct {
	fs.File
	left int
}

func (f failingFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if err == nil && path.Ext(name) == ".jsonl" {
		return &failingFile{file, 3 * len(codexRow)}, nil
	}
	return file, err
}

func (f *failingFile) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errDisk
	}
	n, err := f.File.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

func TestErrors(t *testing.T) {
	t.Run("IMP-10 a file that cannot be read to its end is an error that names it", func(t *testing.T) {
		files := failingFS{fstest.MapFS{"a/rows.jsonl": {Data: []byte(strings.Repeat(codexRow, 9))}}}
		if _, _, err := readAll(files, Options{}, "."); !errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), "a/rows.jsonl") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("IMP-10 the receiver's error ends the import", func(t *testing.T) {
		files := fstest.MapFS{"rows.jsonl": {Data: []byte(codexRow)}}
		if _, err := Read(files, []string{"."}, Options{}, func(*recording.Session) error { return errDisk }); !errors.Is(err, errDisk) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("IMP-10 progress never goes back or past the end, and comes to it", func(t *testing.T) {
		var last, all int64
		files := fstest.MapFS{"rows.jsonl": {Data: []byte(strings.Repeat(codexRow, 12_000))}}
		_, _, err := readAll(files, Options{Progress: func(done, total int64) {
			if done < last || done > total {
				t.Errorf("%d of %d after %d", done, total, last)
			}
			last, all = done, total
		}}, ".")
		if err != nil || last != all || all != int64(len(files["rows.jsonl"].Data)) {
			t.Errorf("came to %d of %d, error %v", last, all, err)
		}
	})
}

// lawful says what is wrong with a session that every session keeps to.
func lawful(s *recording.Session) string {
	for i, th := range s.Threads {
		switch {
		case th.Parent >= int32(i) || th.Parent < -1:
			return "a thread's parent is not before it"
		case th.SpawnedBy < -1 || int(th.SpawnedBy) >= len(s.Requests):
			return "a thread's spawner is none"
		case strings.ContainsAny(th.Name, "/\\\x00") || len(th.Name) > maxName:
			return "a thread has a name that could be a path"
		}
	}
	for i, r := range s.Requests {
		switch {
		case r.Pred >= int32(i) || r.Pred < -1:
			return "a predecessor is not before its request"
		case r.Thread < 0 || int(r.Thread) >= len(s.Threads):
			return "a request is of no thread"
		case i > 0 && r.Start < s.Requests[i-1].Start:
			return "requests are not by start"
		case r.Start < 0 || r.First < r.Start || r.Last < r.First:
			return "a request ends before it begins"
		case !possible(r.Usage):
			return "a request has a count that cannot be"
		}
		for _, u := range r.Tools {
			if u.Spawned < -1 || int(u.Spawned) >= len(s.Threads) {
				return "a tool use spawned no thread"
			}
		}
	}
	if strings.ContainsAny(s.ID, "/\\\x00") || len(s.ID) > maxName || strings.HasPrefix(s.Origin, "/") || strings.Contains(s.Origin, "..") {
		return "a session has an id or origin that could be a path"
	}
	return ""
}

// seeds are the files that stories hold, for others to be made of.
func seeds(t testing.TB) (out []string) {
	names, err := filepath.Glob("testdata/files/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "\nfile ")[1:] {
			_, part, _ = strings.Cut(part, "\n")
			part, _, _ = strings.Cut(part, "\n----")
			out = append(out, part)
		}
	}
	return out
}

func FuzzRead(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readAnything(t, data) })
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// readAnything reads data twice and holds what comes of it to the laws.
func readAnything(t failer, data []byte) {
	t.Helper()
	var texts [2]string
	for i := range texts {
		all, report, err := readAll(fstest.MapFS{"f": {Data: data}}, Options{Content: true, MaxLine: 1 << 16}, ".")
		if err != nil {
			texts[i] = err.Error()
			continue
		}
		for _, s := range all {
			if bad := lawful(s); bad != "" {
				t.Fatalf("%s: %s\n%s", bad, ccTell(s), data)
			}
			texts[i] += ccTell(s)
		}
		for _, k := range report.Skipped {
			texts[i] += k.What
		}
	}
	if texts[0] != texts[1] {
		t.Fatalf("two readings differ:\n%s\n%s", texts[0], texts[1])
	}
}

func TestLaws(t *testing.T) {
	parts := seeds(t)
	words := []string{`"s"`, `null`, `-1`, `9223372036854775807`, `1e308`, `"../x"`, `{`, `}`, `[`, `]`, `"`, "\n", "\x00", "\xff", `"1970-01-01T00:00:00Z"`, `""`, `0`}
	t.Run("IMP-10 whatever is changed in a file, reading it ends, twice alike, and what is read keeps the laws", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := []byte(rapid.SampledFrom(parts).Draw(t, "file"))
			if rapid.Bool().Draw(t, "joined") {
				data = append(append(data, '\n'), rapid.SampledFrom(parts).Draw(t, "other")...)
			}
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				at := rapid.IntRange(0, len(data)).Draw(t, "at")
				end := min(len(data), at+rapid.IntRange(0, 12).Draw(t, "out"))
				word := rapid.SampledFrom(words).Draw(t, "in")
				data = append(append(bytes.Clone(data[:at]), word...), data[end:]...)
			}
			if rapid.Bool().Draw(t, "cut") {
				data = data[:rapid.IntRange(0, len(data)).Draw(t, "length")]
			}
			readAnything(t, data)
		})
	})
}
