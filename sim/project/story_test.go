package project_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"agentsim/sim/client"
	"agentsim/sim/project"

	"github.com/cockroachdb/datadriven"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestStories runs the stories of testdata.
//
//	read [client=…] [window=…] [home] [status=N]   -- FILE --, of the user's directory
//	-- ~/FILE --, of those above -- ../FILE -- and -- ../../FILE --
//
// In a file's text \xNN is a byte, (N lines) and (N bytes) so many of them.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, f, func(t *testing.T, d *datadriven.TestData) string { return tell(read(t, d)) })
		})
	}
}

func read(t *testing.T, d *datadriven.TestData) *project.Found {
	layout, window, lines := client.Default, int64(0), 0
	d.MaybeScanArgs(t, "client", &layout)
	d.MaybeScanArgs(t, "window", &window)
	from := project.Source{Name: "dir", Path: "/work/dir"}
	dir, home, above, root := fstest.MapFS{}, fstest.MapFS{}, fstest.MapFS{}, fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(d.Input + "\n")).Files {
		file := &fstest.MapFile{Data: []byte(grown(t, string(f.Data)))}
		if name, ok := strings.CutPrefix(f.Name, "~/"); ok {
			home[name] = file
		} else if name, ok := strings.CutPrefix(f.Name, "../../"); ok {
			root[name] = file
		} else if name, ok := strings.CutPrefix(f.Name, "../"); ok {
			above[name] = file
		} else {
			dir[f.Name] = file
		}
		if strings.HasSuffix(f.Name, "/CLAUDE.md") && f.Name[0] != '.' && f.Name[0] != '~' {
			from.Nested = append(from.Nested, f.Name)
		}
	}
	if len(root)+len(above) > 0 {
		from.Above = []fs.FS{root, above}
	}
	from.Dir = dir
	if len(home) > 0 || d.HasArg("home") {
		from.Home, from.HomeName = home, "home"
	}
	if d.MaybeScanArgs(t, "status", &lines); d.HasArg("status") {
		from.Git = &project.Git{Branch: "fix", Main: "main", Commits: []string{"1234567 Begin"}}
		for i := range lines {
			from.Git.Status = append(from.Git.Status, fmt.Sprintf(" M file%04d.go", i))
		}
	}
	return project.Read(from, client.Find(layout), window)
}

// grown is a file's text with what is too long to be written down.
func grown(t *testing.T, text string) string {
	var n, c int
	for _, form := range []struct{ scan, unit string }{{"(%d lines)\n", "line\n"}, {"(%d bytes)\n", "x"}} {
		if _, err := fmt.Sscanf(text, form.scan, &n); err == nil {
			return strings.Repeat(form.unit, n)
		}
	}
	for {
		before, after, ok := strings.Cut(text, `\x`)
		if !ok {
			return text
		}
		if _, err := fmt.Sscanf(after[:2], "%x", &c); err != nil {
			t.Fatal(err)
		}
		text = before + string([]byte{byte(c)}) + after[2:]
	}
}

func tell(f *project.Found) string {
	var b strings.Builder
	for _, p := range f.Parts {
		fmt.Fprintf(&b, "%s %s", p.Kind, p.From)
		if p.By != "" {
			fmt.Fprintf(&b, ", imported by %s", p.By)
		}
		text := strings.ReplaceAll(p.Text, "\n", "|")
		if len(text) > 200 {
			text = text[:60] + "… " + fmt.Sprint(len(text)) + " bytes …" + text[len(text)-60:]
		}
		if p.Bytes > 0 {
			text = fmt.Sprint("assumed, ", p.Bytes, " bytes")
		}
		fmt.Fprintf(&b, ": %s\n", text)
	}
	s := f.Settings
	for _, x := range []struct {
		name string
		list []project.Setting
	}{{"model", []project.Setting{s.Model}}, {"subagent model", []project.Setting{s.SubagentModel}}, {"ttl", []project.Setting{s.TTL}}, {"subagent ttl", []project.Setting{s.SubagentTTL}}, {"deny", s.Deny}, {"ask", s.Ask}, {"allow", s.Allow}} {
		for _, v := range x.list {
			if v.Value != "" {
				fmt.Fprintf(&b, "setting %s %s of %s\n", x.name, v.Value, v.From)
			}
		}
	}
	for _, line := range f.Aside {
		if !strings.HasPrefix(line, "git: dir is in no") {
			b.WriteString("beside " + line + "\n")
		}
	}
	for _, line := range f.Assumed {
		b.WriteString("assumed " + line + "\n")
	}
	for _, p := range f.Problems {
		b.WriteString("problem " + p.String() + "\n")
	}
	return b.String()
}
