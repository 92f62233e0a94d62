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
	"[0-3]", "[4-6]", "[7-9]", "[^a-zA-Z0-9]"}

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
	byExt := map[string]int{}
	for _, f := range b.t.files {
		ext := path.Ext(f)
		i, ok := byExt[ext]
		if !ok {
			var names []string
			within := ""
			if b.o.Place != "" {
				within = b.o.Place + "/"
			}
			for _, p := range b.files {
				if name, ok := strings.CutSuffix(path.Base(p), ext); ok && strings.HasPrefix(p, within) {
					names = append(names, name)
				}
			}
			i = len(b.t.families)
			byExt[ext] = i
			d := divider{t: b.t, all: escapeGlob(within) + "**/", ext: escapeGlob(ext)}
			d.divide(d.all, names)
			b.t.families = append(b.t.families, d.out)
		}
		b.t.family = append(b.t.family, i)
	}
}

type divider struct {
	t   *Table
	all string // what a pattern for any name begins with
	ext string
	out family
}

// divide enters the search for names that begin as the pattern says; rests are
// what follows in each of the project's names. It returns the search's place.
func (d *divider) divide(pattern string, rests []string) int {
	at := len(d.out)
	d.out = append(d.out, slice{search: d.t.addSearch("Glob", -1, pattern+"*"+d.ext)})
	if len(rests) <= divideOver {
		return at
	}
	var by [len(letters)][]string
	ends := false
	for _, rest := range rests {
		if rest == "" {
			ends = pattern != d.all
			continue
		}
		c, after := class(rest)
		by[c] = append(by[c], after)
	}
	var finer []int
	if ends {
		finer = append(finer, len(d.out))
		d.out = append(d.out, slice{search: d.t.addSearch("Glob", -1, pattern+d.ext)})
	}
	if slices.ContainsFunc(by[:], func(s []string) bool { return len(s) > 0 }) {
		for c, part := range by {
			finer = append(finer, d.divide(pattern+letters[c], part))
		}
	}
	d.out[at].finer = finer
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
