package importer

import (
	"agentsim/sim/vtime"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// group is the files that are read together, all of one format.
type group []source

// find lists the files under roots, by path.
func (im *imported) find(fsys fs.FS, roots []string) ([]source, error) {
	var out []source
	known := map[string]bool{}
	for _, root := range roots {
		root = path.Clean(root)
		err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return located(name, err)
			}
			info, err := d.Info()
			if err != nil {
				return located(name, err)
			}
			switch {
			case d.IsDir() && d.Name() == ".git":
				return fs.SkipDir
			case d.IsDir() || known[name]:
			case !info.Mode().IsRegular() && name != root:
				im.skips.add("neither a file nor a directory", name, 0)
			default:
				known[name] = true
				out = append(out, im.source(fsys, name, info))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// source is a file of fsys. Reading it counts for Progress once im.total is known.
func (im *imported) source(fsys fs.FS, name string, info fs.FileInfo) source {
	return source{name: name, size: info.Size(), written: vtime.Instant(max(info.ModTime().UnixNano(), 0)), open: func() (*opened, error) {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		o, err := openSource(f, im.tell)
		if err != nil {
			return nil, fmt.Errorf("%w (and closing it: %v)", err, f.Close())
		}
		return o, nil
	}}
}

// tellEvery is how many bytes lie between two calls of Progress.
const tellEvery = 1 << 20

func (im *imported) tell(n int64) {
	if im.total == 0 || im.opt.Progress == nil {
		return
	}
	before := im.done / tellEvery
	if im.done = min(im.done+n, im.total); im.done/tellEvery != before {
		im.opt.Progress(im.done, im.total)
	}
}

// group puts together the files of one session.
func (im *imported) group(sources []source) ([]group, error) {
	var files []source
	var err error
	for _, src := range sources {
		id, ok, err := identify(src, &im.opt, im.skips)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			im.skips.add("empty file", src.name, 0)
		case id.format == unknown:
			im.skips.add("file of no known format", src.name, 0)
		default:
			src.identity = id
			files = append(files, src)
		}
	}
	if files, err = im.longest(files); err != nil {
		return nil, err
	}
	for _, src := range files {
		im.total += src.size
	}
	return families(files), nil
}

// longest leaves of the copies of one thread's file the longest, and tells of copies
// that contradict it.
func (im *imported) longest(files []source) (out []source, err error) {
	type thread struct {
		format         format
		session, agent string
	}
	best := map[thread]int{}
	for _, f := range files {
		k := thread{f.format, f.session, f.agent}
		i, copied := best[k]
		switch {
		case f.session == "":
			out = append(out, f)
		case !copied:
			best[k] = len(out)
			out = append(out, f)
		default:
			if f.size > out[i].size {
				f, out[i] = out[i], f
			}
			im.skips.add("shorter copy of a file", f.name, 0)
			if f.format != claudeCode {
				continue
			}
			switch at, err := im.contradicts(out[i], f); {
			case err != nil:
				return nil, err
			case at > 0:
				im.skips.add(twoCopies, f.name, at)
			}
		}
	}
	return out, nil
}

// families groups files by the session that they belong to, in the order of each
// session's first file: Claude Code's by session, Codex's by the thread that all
// of them come from, others alone.
func families(files []source) []group {
	parent := map[string]string{}
	for _, f := range files {
		if f.format == codex {
			parent[f.session] = f.parent
		}
	}
	var out []group
	at := map[identity]int{}
	slices.SortStableFunc(files, func(a, b source) int {
		return cmp.Or(cmp.Compare(a.format, b.format), strings.Compare(a.agent, b.agent), strings.Compare(a.name, b.name))
	})
	for _, f := range files {
		k := identity{format: f.format, session: f.session}
		if f.format == codex {
			k.session = ancestor(parent, f.session)
		}
		i, ok := at[k]
		if !ok || f.session == "" {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	slices.SortStableFunc(out, func(a, b group) int { return strings.Compare(a[0].name, b[0].name) })
	return out
}

// ancestor is the farthest ancestor of a thread that is among the files.
func ancestor(parent map[string]string, thread string) string {
	for range len(parent) {
		p := parent[thread]
		if _, here := parent[p]; !here {
			return thread
		}
		thread = p
	}
	return thread // they go round in a circle
}
