package scenarios

import (
	"strings"
	"unicode/utf8"
)

// MaxBesideBytes bounds a file that a scenario names.
const MaxBesideBytes = 64 << 10

// fileBeside is the text of a file beside the scenario. What it holds becomes part
// of the effective scenario, so that neither a run nor its replay depends on the
// file. It is read once, whatever variants there are.
func (d *decoder) fileBeside(n *node) (string, bool) {
	const hint = "a path beside the scenario, such as latencies.csv"
	if n.kind != kindString {
		d.fail(n, hint, "file takes a path, not %s", n.kind)
		return "", false
	}
	if why := badPath(n.text); why != "" {
		d.fail(n, hint, "file %q %s", n.text, strings.Replace(why, "leaves the project", "leaves the scenario's directory", 1))
		return "", false
	}
	if d.file == nil || d.file.read == nil {
		d.fail(n, "write its lines in place of {file: …}", "file %q cannot be read: this scenario stands in no directory", n.text)
		return "", false
	}
	if text, ok := d.file.beside[n.text]; ok {
		return text, true
	}
	src, err := d.file.read(n.text)
	switch {
	case err != nil:
		d.fail(n, hint, "file %q cannot be read: %v", n.text, err)
	case len(src) > MaxBesideBytes:
		d.fail(n, "1000 quantiles are the most", "file %q is larger than 64 KiB", n.text)
	case !utf8.Valid(src):
		d.fail(n, "save the file as UTF-8", "file %q is not UTF-8 text", n.text)
	default:
		d.file.beside[n.text] = string(src)
		return string(src), true
	}
	return "", false
}
