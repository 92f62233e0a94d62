package scenarios

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"agentsim/scenarios/document"
)

// MaxBesideBytes bounds a file that a scenario names.
const MaxBesideBytes = 512 << 10

// fileBeside is the text of a file beside the scenario. What it holds becomes part
// of the effective scenario, so that neither a run nor its replay depends on the
// file. It is read once, whatever variants there are.
func (f *File) fileBeside(d *document.Decoder, n *document.Node) (string, bool) {
	const hint = "a path beside the scenario"
	if n.Kind != document.String {
		d.Fail(n, hint, "file takes a path, not %s", n.Kind)
		return "", false
	}
	if why := badPath(n.Text); why != "" {
		d.Fail(n, cmp.Or(shortest(n.Text), hint), "file %q %s", n.Text, strings.Replace(why, "leaves the project", "leaves the scenario's directory", 1))
		return "", false
	}
	if f.read == nil {
		d.Fail(n, "write its lines in place of {file: …}", "file %q cannot be read: this scenario stands in no directory", n.Text)
		return "", false
	}
	if text, ok := f.beside[n.Text]; ok {
		return text, true
	}
	src, err := f.read(n.Text)
	switch {
	case err != nil:
		d.Fail(n, hint, "file %q cannot be read: %v", n.Text, err)
	case len(src) > MaxBesideBytes:
		d.Fail(n, "512 KiB are the most", "file %q is too large", n.Text)
	case !utf8.Valid(src):
		d.Fail(n, "save the file as UTF-8", "file %q is not UTF-8 text", n.Text)
	default:
		f.beside[n.Text] = string(src)
		return string(src), true
	}
	return "", false
}
