package workspace

import "strings"

// HomeDir is the user's home as agents see it. Of what is in it there are the plans
// alone, which stand in the run's tree below PlansDir.
const (
	HomeDir  = "/home/user"
	PlansDir = "~/.claude/plans/"
)

// InHome is an absolute path below the plans as a path of the tree.
func InHome(abs string) (p string, ok bool) {
	if rest, below := strings.CutPrefix(abs, HomeDir); below {
		p = "~" + rest
	}
	return p, strings.HasPrefix(p, PlansDir)
}

// IsHome reports whether a path of the tree is the user's and not the project's.
func IsHome(p string) bool { return strings.HasPrefix(p, PlansDir) }

// maxLinks bounds how many links lead from one to the next.
const maxLinks = 8

// Link makes a path lead to another, which need not exist. A file or link that stands
// there is not taken away: false.
func (f *FS) Link(p, to string) bool {
	if _, stands := f.Stat(p); stands || f.IsLink(p) || CheckPath(p) != nil || CheckPath(to) != nil || f.room(p) != nil {
		return false
	}
	if f.links == nil {
		f.links = map[string]string{}
	}
	f.links[strings.Clone(p)] = strings.Clone(to)
	return true
}

// IsLink reports whether a path is a link.
func (f *FS) IsLink(p string) bool {
	_, is := f.links[p]
	return is
}

// follow is where a path leads to: itself, unless it is a link.
func (f *FS) follow(p string) string {
	for range maxLinks {
		to, is := f.links[p]
		if !is {
			break
		}
		p = to
	}
	return p
}
