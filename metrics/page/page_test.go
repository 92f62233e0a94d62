package page_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"agentsim/metrics/page"
	"agentsim/metrics/report"
)

const hostile = "</script><script>alert(1)</script><!-- \u202e & \x1b[31m"

func made(t *testing.T) string {
	t.Helper()
	d := &report.Document{}
	d.Title(hostile)
	d.Say("%s", hostile)
	d.Label(hostile, hostile, "agentsim replay "+hostile)
	type col = report.Column[string]
	d.Table(report.TableOf("", []string{hostile}, col{Head: hostile, Of: func(s string) report.Value { return report.Text(s) }},
		col{Head: " N", Of: func(string) report.Value { return report.Count(1204) }}))
	run := &page.Run{ID: hostile, Name: hostile, Pieces: []page.Piece{{Parent: -1, Kind: hostile, Text: hostile}}, Calls: []page.Call{{N: 1, Stop: hostile, Miss: &page.Miss{Reason: hostile}}}}
	var b bytes.Buffer
	if err := page.Write(&b, hostile, d, run); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	text := made(t)
	t.Run("RPT-05 whatever a page is given stands in it as text", func(t *testing.T) {
		if n := strings.Count(text, "<script"); n != 2 {
			t.Errorf("%d scripts, want the data and the page's own", n)
		}
		answer, _, _ := strings.Cut(text, `id="data">`)
		for _, bad := range []string{"alert(1)</script>", "\u202e", "\x1b", "<!-- "} {
			if strings.Contains(answer, bad) {
				t.Errorf("the page holds %q", bad)
			}
		}
		if !strings.Contains(text, `&lt;script&gt;alert(1)`) {
			t.Error("the text is not there to be read")
		}
	})
	t.Run("RPT-05 data is whole when it is read back", func(t *testing.T) {
		_, data, _ := strings.Cut(text, `id="data">`)
		data, _, _ = strings.Cut(data, "</script>")
		var runs []page.Run
		if err := json.Unmarshal([]byte(data), &runs); err != nil || runs[0].Calls[0].Stop != hostile {
			t.Errorf("%v: %.200s", err, data)
		}
	})
	t.Run("RPT-04 a page of 5,000 calls is smaller than 2 MB, and holds them whole", func(t *testing.T) {
		run, draw := &page.Run{ID: "many"}, rand.New(rand.NewPCG(1, 2))
		for i := range 5_000 {
			run.Calls = append(run.Calls, page.Call{N: int64(i + 1), At: draw.Int64N(1e13), Ended: draw.Int64N(1e13), Read: draw.Int64N(1e6), Cost: draw.Int64N(1e12), Stop: "tool_use",
				Marks: []string{fmt.Sprintf("block %d, 5m: read %d, 0 positions back", i, i)}})
			for range 3 {
				run.Pieces = append(run.Pieces, page.Piece{Parent: i, Level: "messages", Role: "assistant", Kind: "text", Text: fmt.Sprint("text ", draw.Uint64(), draw.Uint64())})
			}
		}
		var b bytes.Buffer
		if err := page.Write(&b, "many", &report.Document{}, run); err != nil || b.Len() >= 2_000_000 {
			t.Fatalf("%d bytes, %v", b.Len(), err)
		}
		_, data, _ := strings.Cut(b.String(), `<script type="application/gzip" id="data">`)
		data, _, _ = strings.Cut(data, "</script>")
		unpacked, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
		if err != nil {
			t.Fatal(err)
		}
		var runs []*page.Run
		if err := json.NewDecoder(unpacked).Decode(&runs); err != nil || len(runs) != 1 || !reflect.DeepEqual(runs[0], run) {
			t.Errorf("other runs than were written: %v", err)
		}
	})
	t.Run("RPT-01 equal input gives equal bytes, nothing is fetched, and only the page's own style and script may run", func(t *testing.T) {
		if text != made(t) {
			t.Error("two pages of one document differ")
		}
		for _, want := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s", want)
			}
		}
		for _, bad := range []string{" src=", " href=", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML"} {
			if strings.Contains(text, bad) {
				t.Errorf("the page holds %s", bad)
			}
		}
	})
	t.Run("RPT-03 a figure's cell carries what it is sorted by", func(t *testing.T) {
		if !strings.Contains(text, `<td class="n" data-v="1204">1,204</td>`) {
			t.Errorf("no such cell: %.900s", text[strings.Index(text, "<table"):])
		}
	})
	t.Run("RPT-02 a column's title says on hover what the glossary says of it, and a narrow screen does without columns as a terminal does", func(t *testing.T) {
		d := &report.Document{}
		type col = report.Column[int]
		one := func(int) report.Value { return report.Count(1) }
		d.Table(report.TableOf("", []int{1}, col{Head: " HIT RATE", Of: one, Drop: 1}, col{Head: " COST", Of: one}, col{Head: "NO SUCH WORD", Of: one, Drop: 2}))
		var b bytes.Buffer
		if err := page.Write(&b, "t", d); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`<th scope="col" class="n drop" title="cache read as a share of the prompt; it ranks nothing: a long prompt that is read whole costs more than a short one that is not">HIT RATE</th>`, `<th scope="col" class="n" title="the bill, at the prices of the day that assumed names">COST</th>`,
			`<th scope="col" class="drop">NO SUCH WORD</th>`, `<td class="n drop" data-v="1">1</td><td class="n" data-v="1">1</td><td class="drop" data-v="1">1</td>`} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %s in %s", want, b.String()[strings.Index(b.String(), "<table"):][:700])
			}
		}
	})
	t.Run("RPT-02 labels of a document are one list, and a command is set as code", func(t *testing.T) {
		if !strings.Contains(text, "<dl>\n<dt>&lt;/script&gt;") || !strings.Contains(text, "<dd><code>agentsim replay ") || strings.Count(text, "<dl>") != 1 {
			t.Errorf("%.600s", text[strings.Index(text, "<dl>"):])
		}
	})
}
