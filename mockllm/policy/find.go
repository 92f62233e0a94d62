package policy

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// family is how files of one extension are found by somebody who knows no name:
// the broad search first, and narrower ones where the list was cut. No pattern
// holds a file's name.
type family []slice

// slice is one search and those it is divided into.
type slice struct {
	search int
	finer  []int // places in the family
}

// divideOver is how many files a search must find for narrower ones to be made.
// It is far below the length at which a list is cut, since a list may be
// replaced by a preview as well.
const divideOver = 8

// letters divide names by their next character.
var letters = [...]string{"[a-cA-C]", "[d-fD-F]", "[g-iG-I]", "[j-lJ-L]", "[m-oM-O]", "[p-rP-R]", "[s-uS-U]", "[v-zV-Z]",
	"[0-3]", "[4-6]", "[7-9]", "[^a-zA-Z0-9/]"}

// anywhere begins a pattern for names in all directories.
const anywhere = "**/"

// class is the place in letters of the character that s begins with, and what
// follows it.
func class(s string) (int, string) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case 'A' <= r && r <= 'Z':
		return min(int(r-'A')/3, 7), s[n:]
	case 'a' <= r && r <= 'z':
		return min(int(r-'a')/3, 7), s[n:]
	case '0' <= r && r <= '9':
		return 8 + max(int(r-'1'), 0)/3, s[n:]
	}
	return len(letters) - 1, s[n:]
}

// families makes the searches for the extensions of all files that the work
// names.
func (b *binder) families() {
	byExt, within := map[string]int{}, ""
	if b.o.Place != "" {
		within = b.o.Place + "/"
	}
	for _, f := range b.t.files {
		ext := path.Ext(f)
		i, ok := byExt[ext]
		if !ok {
			var names []unsplit
			for _, p := range b.files {
				inside, ok := strings.CutPrefix(p, within)
				dir, base := path.Split(inside)
				if name, is := strings.CutSuffix(base, ext); ok && is {
					_, wanted := b.t.fileIndex[p]
					names = append(names, unsplit{name, strings.TrimSuffix(dir, "/"), wanted})
				}
			}
			i = len(b.t.families)
			byExt[ext] = i
			d := divider{t: b.t, under: escapeGlob(within)}
			d.begun(anywhere, escapeGlob(ext), names)
			b.t.families = append(b.t.families, d.out)
		}
		b.t.family = append(b.t.family, i)
	}
}

type divider struct {
	t     *Table
	under string // what every pattern begins with
	out   family
}

// unsplit is what no search has divided yet of a file's path: the rest of one of its
// names, and the directories above that.
type unsplit struct {
	rest, dir string
	wanted    bool // the work names the file
}

func wanted(names []unsplit) bool {
	return slices.ContainsFunc(names, func(n unsplit) bool { return n.wanted })
}

// enter adds a search for names, and reports whether it is to be divided: whoever
// has read a list that was cut looks further only where its names fit the work.
func (d *divider) enter(pattern string, names []unsplit) (at int, divided bool) {
	d.out = append(d.out, slice{search: d.t.addSearch("Glob", -1, d.under+pattern)})
	return len(d.out) - 1, len(names) > divideOver && wanted(names)
}

// split enters searches for names that begin as the pattern says and end in a
// suffix, by how the names go on.
func (d *divider) split(pattern, suffix string, names []unsplit) (finer []int) {
	var by [len(letters)][]unsplit
	var whole []unsplit
	for _, n := range names {
		if n.rest == "" {
			whole = append(whole, n)
			continue
		}
		var c int
		c, n.rest = class(n.rest)
		by[c] = append(by[c], n)
	}
	if wanted(whole) {
		finer = append(finer, d.whole(pattern, suffix, whole))
	}
	for c, part := range by {
		switch {
		case len(part) == len(names) && pattern != anywhere:
			return d.split(pattern+letters[c], suffix, part) // what all have in common divides nothing
		case wanted(part) || pattern == anywhere && !strings.HasPrefix(suffix, "/"):
			finer = append(finer, d.begun(pattern+letters[c], suffix, part))
		}
	}
	return finer
}

// begun enters the search for names that begin as the pattern says.
func (d *divider) begun(pattern, suffix string, names []unsplit) int {
	at, divided := d.enter(pattern+"*"+suffix, names)
	if divided {
		d.out[at].finer = d.split(pattern, suffix, names)
	}
	return at
}

// whole enters the search for one name in all directories, divided by the name of
// the directory.
func (d *divider) whole(pattern, suffix string, names []unsplit) int {
	at, divided := d.enter(pattern+suffix, names)
	if !divided {
		return at
	}
	name := strings.TrimPrefix(pattern, anywhere) + suffix
	var top, below []unsplit
	for _, n := range names {
		if n.dir == "" {
			top = append(top, n)
			continue
		}
		dir, base := path.Split(n.dir)
		below = append(below, unsplit{base, strings.TrimSuffix(dir, "/"), n.wanted})
	}
	var finer []int
	if wanted(top) {
		first, _ := d.enter(name, top)
		finer = append(finer, first)
	}
	d.out[at].finer = append(finer, d.split(anywhere, "/"+name, below)...)
	return at
}

func escapeGlob(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]{}\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// find looks for a file: by the pattern that the item names its files with, if
// it does, then broadly, then more narrowly wherever a list was cut.
func (p *plan) find(f int, prefix string) {
	if s, ok := p.it.globs[f]; ok && !p.s.searched.has(s) {
		p.addSearch(s, p.told && p.it.tellFiles.has(f))
		return
	}
	if !p.narrow(f, 0) {
		p.missing = append(p.missing, prefix+p.t.files[f])
	}
}

// narrow enters the searches not yet made at and below a place of the file's family.
func (p *plan) narrow(f, at int) (added bool) {
	s := &p.t.families[p.t.family[f]][at]
	if !p.s.searched.has(s.search) {
		p.addSearch(s.search, p.told && p.it.tellFiles.has(f))
		return true
	}
	if p.s.cut.has(s.search) {
		for _, i := range s.finer {
			added = p.narrow(f, i) || added
		}
	}
	return added
}
