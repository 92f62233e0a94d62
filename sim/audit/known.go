package audit

import "agentsim/sim/llm"

// seenFile is a file that an agent knows by its own results.
type seenFile struct {
	path    string
	read    bool     // it may have read it, or changed it
	certain bool     // it has
	saw     uint64   // the event at which it last saw it, 0 where that is not known
	wrote   llm.Hash // the input of its Write, where it saw it so
}

// files are the files that an agent knows. The one asked for last is found at once:
// a call asks several times.
type files struct {
	list []seenFile
	at   map[string]int // places, where there are many
	last int
}

// manyFiles is from how many on they are looked up in a map.
const manyFiles = 16

// find is what is known of a file, nil for nothing. It is good until the next make.
func (f *files) find(path string) *seenFile {
	if f.last < len(f.list) && f.list[f.last].path == path {
		return &f.list[f.last]
	}
	if f.at != nil {
		i, ok := f.at[path]
		if !ok {
			return nil
		}
		f.last = i
		return &f.list[i]
	}
	for i := range f.list {
		if f.list[i].path == path {
			f.last = i
			return &f.list[i]
		}
	}
	return nil
}

// make is what is known of a file, once it has been noted.
func (f *files) make(path string) *seenFile {
	if x := f.find(path); x != nil {
		return x
	}
	f.list = append(f.list, seenFile{path: path})
	f.last = len(f.list) - 1
	if f.at != nil {
		f.at[path] = f.last
	} else if len(f.list) > manyFiles {
		f.at = make(map[string]int, 2*manyFiles)
		for i := range f.list {
			f.at[f.list[i].path] = i
		}
	}
	return &f.list[f.last]
}

// clone is a copy with files of its own.
func (f *files) clone() (out files) {
	for i := range f.list {
		*out.make(f.list[i].path) = f.list[i]
	}
	return out
}
