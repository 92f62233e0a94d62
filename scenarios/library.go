package scenarios

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"strings"

	"agentsim/scenarios/document"
)

// The library is data: scenario files and the projects they act in.
//
//go:embed library
var library embed.FS

// Entry is a scenario of the library.
type Entry struct {
	Name   string
	Why    string
	LookAt []string
}

// Library lists the scenarios that ship in the binary, by name.
func Library() ([]Entry, error) {
	var out []Entry
	for _, name := range Names() {
		f, err := Open(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{name, f.Why, f.LookAt})
	}
	return out, nil
}

// Names lists the library's scenarios without reading them.
func Names() []string { return shipped("library", ".yaml") }

// shipped are the names of the files of a directory that end so.
func shipped(dir, suffix string) (out []string) {
	files, err := library.ReadDir(dir)
	if err != nil {
		panic("scenarios: " + err.Error()) // it is part of the program
	}
	for _, e := range files {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			out = append(out, name)
		}
	}
	return out
}

// Open parses a scenario of the library; for an unknown name the error names
// the nearest one. Files of the machine are the command line's to read.
func Open(name string, opts ...Option) (*File, error) {
	src, err := library.ReadFile("library/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no scenario %q in the library: %s", name, document.DidYouMeanOr(name, Names()))
	}
	return Parse(name+".yaml", src, append([]Option{Beside(readLibrary)}, opts...)...)
}

func readLibrary(file string) ([]byte, error) { return library.ReadFile("library/" + file) }

// EmbeddedProject returns the files of a project of the library by path.
func EmbeddedProject(name string) (map[string]string, error) {
	files, ok := projects[name]
	if !ok {
		return nil, fmt.Errorf("no embedded project %q: %s", name, document.DidYouMeanOr(name, EmbeddedProjects()))
	}
	return maps.Clone(files), nil
}

// projects are the files of each project of the library, which are looked at often
// before a run.
var projects = func() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, name := range EmbeddedProjects() {
		src, _ := library.ReadFile(path.Join("library/projects", name+".txtar")) // it is listed
		out[name] = archived(string(src))
	}
	return out
}()

// archived is the files of a txtar archive by path: behind each line `-- PATH --` a
// file, up to the next.
func archived(text string) map[string]string {
	out, name, from := map[string]string{}, "", 0
	for at := 0; ; {
		next := strings.Index(text[at:], "\n-- ")
		if next < 0 {
			out[name] = text[from:]
			delete(out, "") // what stands in front of the first
			return out
		}
		at += next + 1
		line, _, _ := strings.Cut(text[at:], "\n")
		if after, ok := strings.CutSuffix(line, " --"); ok {
			out[name] = text[from:at]
			name, from = strings.TrimPrefix(after, "-- "), at+len(line)+1
			at = from - 1
		}
	}
}

// EmbeddedProjects lists the projects of the library by name.
func EmbeddedProjects() []string { return shipped("library/projects", ".txtar") }
