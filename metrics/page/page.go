package page

import (
	"bytes"
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

// Write writes a page that shows a document and, below it, runs.
func Write(w io.Writer, title string, d *report.Document, runs ...*Run) error {
	var answer bytes.Buffer
	if err := d.HTML(&answer); err != nil {
		return err
	}
	data, err := json.Marshal(runs) // escapes <, > and &, so that no text ends the element
	if err != nil {
		return err
	}
	title = html.EscapeString(report.Plain(title))
	_, err = fmt.Fprintf(w, shell, policy(), title, style, title, answer.Bytes(), runsPart(len(runs)), data, script)
	return err
}

// policy lets the page's own style and script run, and nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(style), hash(script))
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
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="%s">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header><h1>%s</h1></header>
<main>
<section id="answer">
%s</section>
%s</main>
<dialog id="help"></dialog>
<script type="application/json" id="data">%s</script>
<script>%s</script>
</body>
</html>
`
