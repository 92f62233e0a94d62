package importer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cockroachdb/datadriven"

	"agentsim/sim/recording"
)

// TestStories runs the stories of files and formats. Commands:
//
//	file NAME [gz] [cut] [hex]    adds a file that holds the block; cut leaves out the last line's end
//	                    and half of the line, or of the compressed file
//	import [ROOT …] [max-line=N] [max-content=N]
//	                    reads the recordings under the roots, . unless given
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/files", func(t *testing.T, name string) {
		files := fstest.MapFS{}
		datadriven.RunTest(t, name, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "file":
				files[d.CmdArgs[0].Key] = &fstest.MapFile{Data: storyFile(t, d)}
				return ""
			case "import":
				return storyImport(d, t, files)
			}
			d.Fatalf(t, "no command %q", d.Cmd)
			return ""
		})
	})
}

func storyFile(t *testing.T, d *datadriven.TestData) []byte {
	data := []byte(d.Input)
	if len(data) > 0 {
		data = append(data, '\n')
	}
	data = bytes.ReplaceAll(data, []byte(`\xff`), []byte{0xff})
	if d.HasArg("gz") {
		data = zipped(t, data)
	}
	if d.HasArg("cut") {
		last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
		data = data[:last+(len(data)-last)/2]
	}
	return data
}

func zipped(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func storyImport(d *datadriven.TestData, t *testing.T, files fstest.MapFS) string {
	var opt Options
	d.MaybeScanArgs(t, "max-line", &opt.MaxLine)
	d.MaybeScanArgs(t, "max-content", &opt.MaxContent)
	var roots []string
	for _, a := range d.CmdArgs {
		if len(a.Vals) == 0 {
			roots = append(roots, a.Key)
		}
	}
	if roots == nil {
		roots = []string{"."}
	}
	var b strings.Builder
	report, err := Read(files, roots, opt, func(s *recording.Session) error {
		fmt.Fprintf(&b, "%s %s from", s.Format, s.Origin)
		for _, f := range s.Files {
			fmt.Fprintf(&b, " %s", path.Base(f.Name))
			if len(f.SHA256) != 64 || f.Bytes != int64(len(files[f.Name].Data)) {
				t.Errorf("%s: %d bytes, hash %q; the file has %d bytes", f.Name, f.Bytes, f.SHA256, len(files[f.Name].Data))
			}
		}
		b.WriteByte('\n')
		b.WriteString(ccTell(s))
		tellBlockNames(&b, s)
		return nil
	})
	if err != nil {
		return b.String() + "error: " + err.Error() + "\n"
	}
	fmt.Fprintf(&b, "read %d sessions, %d requests from %d files\n", report.Sessions, report.Requests, report.Files)
	for _, k := range report.Skipped {
		fmt.Fprintf(&b, "skipped in all %d: %s (%s:%d)\n", k.Count, k.What, k.File, k.Line)
	}
	return b.String()
}

// tellBlockNames prints what a recording says of blocks and of fixed sizes.
func tellBlockNames(b *strings.Builder, s *recording.Session) {
	for i, t := range s.Threads {
		if t.ToolTokens+t.SystemTokens > 0 {
			fmt.Fprintf(b, "thread %d: %d tokens of tools, %d of system\n", i, t.ToolTokens, t.SystemTokens)
		}
	}
	for i, r := range s.Requests {
		if r.Blocks != nil {
			fmt.Fprintf(b, "%d: %d tokens, blocks of %d: %v\n", i, r.Usage.Prompt(), s.BlockTokens, r.Blocks)
		}
	}
}
