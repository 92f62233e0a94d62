package shell

import (
	"cmp"
	"crypto/sha1"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"agentsim/sim/workspace"
)

// What git prints of changes, in its own forms; renames are a file that goes and one that
// comes.

// standing are the paths that git status tells, by where they differ.
type standing struct {
	staged, unmerged, unstaged []string // each with its letters and its label
	gone                       bool     // something unstaged is a deletion
	torn                       bool     // something unmerged is one
	untracked                  []string
	short                      []string
}

func (c *call) standing() (out standing) {
	repo := c.m.env.Repo
	labels := map[byte]string{'A': "new file:   ", 'M': "modified:   ", 'D': "deleted:    "}
	for _, t := range c.tracked(nil) {
		index, tree := change(t.head, t.next), change(t.next, t.now)
		switch {
		case repo.unmerged(t.path):
			letters, label := repo.torn(t)
			out.unmerged = append(out.unmerged, label+t.path)
			out.short = append(out.short, letters+" "+t.path)
			out.torn = out.torn || letters[0] != letters[1]
			continue
		case t.next == nil && t.now != nil:
			out.untracked = append(out.untracked, c.m.untracked(t.path))
			if index == ' ' {
				continue
			}
			tree = ' '
		}
		if index != ' ' {
			out.staged = append(out.staged, labels[index]+t.path)
		}
		if tree != ' ' {
			out.unstaged = append(out.unstaged, labels[tree]+t.path)
			out.gone = out.gone || tree == 'D'
		}
		if index != ' ' || tree != ' ' {
			out.short = append(out.short, string([]byte{index, tree})+" "+t.path)
		}
	}
	out.untracked = slices.Compact(out.untracked)
	return out
}

// torn says how the sides of a merge differ at a path, in letters and in words.
func (r *Repo) torn(t tracked) (letters, label string) {
	theirs, base := r.store.at(r.merging.theirs.head, t.path), r.store.at(r.head.base(r.merging.theirs.head), t.path)
	switch {
	case t.head == nil && base != nil:
		return "DU", "deleted by us:   "
	case theirs == nil:
		return "UD", "deleted by them: "
	case base == nil:
		return "AA", "both added:      "
	}
	return "UU", "both modified:   "
}

// untracked is the highest directory above a path in which nothing is tracked, with a
// slash behind it, or the path.
func (m *machine) untracked(p string) string {
	repo := m.env.Repo
	for i, r := range p {
		if r != '/' {
			continue
		}
		dir := p[:i+1]
		below := func(p string) bool { return strings.HasPrefix(p, dir) && repo.track(p).next != nil }
		all := m.env.FS.Paths()
		from, _ := slices.BinarySearch(all, dir)
		to := from
		for to < len(all) && strings.HasPrefix(all[to], dir) {
			to++
		}
		if m.charge(entryWork*(to-from)) && !slices.ContainsFunc(all[from:to], below) && !slices.ContainsFunc(repo.touched(), below) {
			return dir
		}
	}
	return p
}

// long is the long form.
func (x *standing) long(repo *Repo) string {
	var out strings.Builder
	out.WriteString("On branch " + repo.Name() + "\n")
	section := func(title, hint string, list []string) {
		if len(list) == 0 {
			return
		}
		out.WriteString(title + ":\n")
		if hint != "" {
			out.WriteString("  (use \"git " + hint + ")\n")
		}
		for _, line := range list {
			out.WriteString("\t" + line + "\n")
		}
		out.WriteByte('\n')
	}
	unstage := `restore --staged <file>..." to unstage`
	switch {
	case repo.merging != nil && len(x.unmerged) > 0:
		out.WriteString("You have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\n")
		unstage = ""
	case repo.merging != nil:
		out.WriteString("All conflicts fixed but you are still merging.\n  (use \"git commit\" to conclude merge)\n\n")
		unstage = ""
	case repo.head == nil:
		out.WriteString("\nNo commits yet\n\n")
		unstage = `rm --cached <file>..." to unstage`
	}
	resolved, updated := `add <file>..." to mark resolution`, `add <file>..." to update what will be committed`
	if x.torn {
		resolved = `add/rm <file>..." as appropriate to mark resolution`
	}
	if x.gone {
		updated = `add/rm <file>..." to update what will be committed`
	}
	section("Changes to be committed", unstage, x.staged)
	section("Unmerged paths", resolved, x.unmerged)
	section("Changes not staged for commit", updated+")\n  (use \"git restore <file>...\" to discard changes in working directory", x.unstaged)
	section("Untracked files", `add <file>..." to include in what will be committed`, x.untracked)
	switch {
	case len(x.staged) > 0:
	case len(x.unstaged)+len(x.unmerged) > 0:
		out.WriteString("no changes added to commit (use \"git add\" and/or \"git commit -a\")\n")
	case len(x.untracked) > 0:
		out.WriteString("nothing added to commit but untracked files present (use \"git add\" to track)\n")
	case repo.head == nil:
		out.WriteString("nothing to commit (create/copy files and use \"git add\" to track)\n")
	default:
		out.WriteString("nothing to commit, working tree clean\n")
	}
	return out.String()
}

// blob is the name that git gives a content, abbreviated; of nothing it is zeros.
func blob(f *workspace.File) string {
	if f == nil {
		return "0000000"
	}
	sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(f.Content()), f.Content())))
	return fmt.Sprintf("%x", sum[:4])[:7]
}

// patch is one file's change.
func patch(p string, from, to *workspace.File) string {
	a, b := content(from), content(to)
	head := "diff --git a/" + p + " b/" + p + "\n"
	mode := ""
	switch {
	case from == nil:
		head += "new file mode 100644\n"
	case to == nil:
		head += "deleted file mode 100644\n"
	default:
		mode = " 100644"
	}
	head += "index " + blob(from) + ".." + blob(to) + mode + "\n"
	if a == b { // an empty file comes or goes
		return head
	}
	text := string(diff.Diff(sideName("a/", p, from), []byte(a), sideName("b/", p, to), []byte(b)))
	_, text, _ = strings.Cut(text, "\n")
	return head + headings(text, a)
}

// headings gives each hunk of a patch git's form: a count of one is left out, and behind
// it stands the last line before it that begins like a declaration.
func headings(text, before string) string {
	var out strings.Builder
	lines := slices.Collect(strings.Lines(before))
	for line := range strings.Lines(text) {
		var a, n, b, m int
		if got, _ := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &a, &n, &b, &m); got != 4 {
			out.WriteString(line)
			continue
		}
		side := func(sign string, at, n int) string {
			if n == 1 {
				return fmt.Sprintf("%s%d", sign, at)
			}
			return fmt.Sprintf("%s%d,%d", sign, at, n)
		}
		out.WriteString("@@ " + side("-", a, n) + " " + side("+", b, m) + " @@")
		for i := min(a-2, len(lines)-1); i >= 0; i-- {
			if declares(lines[i]) {
				l := lines[i][:min(len(lines[i]), maxHeading)]
				out.WriteString(" " + strings.TrimRight(l, " \t\r\n"))
				break
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

const maxHeading = 80

func declares(line string) bool {
	r := line[0]
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '$'
}

// delta is what became of one file, in lines.
type delta struct {
	path           string
	added, removed int
	from, to       *workspace.File
}

func newDelta(p string, from, to *workspace.File) delta {
	text := string(diff.Diff("a", []byte(content(from)), "b", []byte(content(to))))
	_, text, _ = strings.Cut(text, "\n+++ b\n")
	text = "\n" + text
	return delta{p, strings.Count(text, "\n+"), strings.Count(text, "\n-"), from, to}
}

// stat is what git prints below a merge and for --stat: a bar for each file, scaled to 80
// columns, and the sums.
func stat(list []delta) string {
	var out strings.Builder
	wide, most, digits := 0, 0, 0
	for _, d := range list {
		wide, most = max(wide, len(d.path)), max(most, d.added+d.removed)
	}
	digits = len(fmt.Sprint(most))
	graph := statColumns - wide - digits - len("  |  ")
	for _, d := range list {
		plus, minus := d.added, d.removed
		if most > graph {
			plus, minus = scaled(plus, minus, graph, most)
		}
		bar := strings.Repeat("+", plus) + strings.Repeat("-", minus)
		if bar != "" {
			bar = " " + bar
		}
		fmt.Fprintf(&out, " %-*s | %*d%s\n", wide, d.path, digits, d.added+d.removed, bar)
	}
	return out.String() + sums(list)
}

const statColumns = 79

// scaled are the lengths of a bar's parts, where the longest has room.
func scaled(plus, minus, room, most int) (int, int) {
	line := func(n int) int {
		if n == 0 {
			return 0
		}
		return 1 + n*(room-1)/most
	}
	total := line(plus + minus)
	if total < 2 && plus > 0 && minus > 0 {
		total = 2
	}
	if plus < minus {
		plus = line(plus)
		return plus, total - plus
	}
	minus = line(minus)
	return total - minus, minus
}

// sums is the last line of stat.
func sums(list []delta) string {
	added, removed := 0, 0
	for _, d := range list {
		added, removed = added+d.added, removed+d.removed
	}
	if len(list) == 0 {
		return ""
	}
	text := " " + plural(len(list), "file") + " changed"
	if added > 0 || removed == 0 {
		text += ", " + plural(added, "insertion") + "(+)"
	}
	if removed > 0 || added == 0 {
		text += ", " + plural(removed, "deletion") + "(-)"
	}
	return text + "\n"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// modes says which files came and went.
func modes(list []delta) (out string) {
	slices.SortFunc(list, func(a, b delta) int { return cmp.Compare(a.path, b.path) })
	for _, d := range list {
		switch {
		case d.from == nil:
			out += " create mode 100644 " + d.path + "\n"
		case d.to == nil:
			out += " delete mode 100644 " + d.path + "\n"
		}
	}
	return out
}
