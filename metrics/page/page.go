package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"

	"agentsim/metrics/report"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// Style and Script are what every page has; Served pages name them, as page.css and
// page.js beside them.
var Style, Script = style, script

// Write writes a page that needs nothing else: it shows a document and, below it, runs.
func Write(w io.Writer, title string, d *report.Document, runs ...*Run) error {
	own := fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'">`, hash(style), hash(script))
	return write(w, parts{own, "<style>" + style + "</style>", "", "<script>" + script + "</script>"}, title, d, runs)
}

// Served writes a page as Write does, whose style and script are files of the server, and
// at whose top stands a link to all runs. What may run is for the server to say.
func Served(w io.Writer, title string, d *report.Document, runs ...*Run) error {
	return write(w, parts{"", `<link rel="stylesheet" href="/page.css">`, `<p><a href="/">all runs</a></p>`, `<script src="/page.js"></script>`}, title, d, runs)
}

// parts are where pages differ.
type parts struct{ policy, style, top, script string }

func write(w io.Writer, p parts, title string, d *report.Document, runs []*Run) error {
	var answer bytes.Buffer
	if err := d.HTML(&answer); err != nil {
		return err
	}
	data, err := json.Marshal(runs) // escapes <, > and &, so that no text ends the element
	if err != nil {
		return err
	}
	form := "application/json"
	if len(data) > plainly {
		form, data = "application/gzip", packed(data)
	}
	title = html.EscapeString(report.Plain(title))
	_, err = fmt.Fprintf(w, shell, p.policy, title, p.style, p.top, title, answer.Bytes(), runsPart(len(runs)), form, data, p.script)
	return err
}

// plainly is how many bytes of runs are in a page as they are, for other programs to
// find; more are packed, so that thousands of calls stay a file that is soon sent.
const plainly = 1 << 20

// packed is data in a tenth of its size, as base64.
func packed(data []byte) []byte {
	var b bytes.Buffer
	text := base64.NewEncoder(base64.StdEncoding, &b)
	w := gzip.NewWriter(text)
	w.Write(data) // a buffer takes everything
	w.Close()
	text.Close()
	return b.Bytes()
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// runsPart is where the script shows runs; none where there are none.
func runsPart(n int) string {
	if n == 0 {
		return ""
	}
	return `<noscript><p>The calls of single runs need JavaScript; the answer and its tables are above.</p></noscript>
<section id="runs" hidden></section>
`
}

const shell = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="agentsim">
<meta name="viewport" content="width=device-width, initial-scale=1">
%s
<title>%s</title>
%s
</head>
<body>
<header>%s<h1>%s</h1></header>
<main>
<section id="answer">
%s</section>
%s</main>
<dialog id="help"></dialog>
<script type="%s" id="data">%s</script>
%s
</body>
</html>
`
