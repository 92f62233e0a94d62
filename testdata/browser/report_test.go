package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hostile is a scenario whose texts try to become markup.
const hostile = `agentsim: 1
name: hostile
provider: {model: claude-sonnet-5-5}
script:
  main:
    user: "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'>"
  answers:
    - agent: main
      turns:
        - text: "<b onmouseover=window.hacked=3>bold</b> \u202e backwards <!-- </textarea> javascript:alert(1)"
`

// world is a recorded run or two, their report, and the browser that shows it.
type world struct {
	t        *testing.T
	dir, bin string
	ctx      context.Context
	mu       sync.Mutex
	console  []string
}

func (w *world) agentsim(args ...string) []byte {
	w.t.Helper()
	cmd := exec.Command(w.bin, args...)
	cmd.Dir = w.dir
	out, err := cmd.Output()
	if err != nil {
		var told string
		if exit, ok := err.(*exec.ExitError); ok {
			told = string(exit.Stderr)
		}
		w.t.Fatalf("agentsim %s: %v\n%s", strings.Join(args, " "), err, told)
	}
	return out
}

// runs are the ids of what a command that ran variants answers as JSON.
func (w *world) runs(args ...string) (ids []string) {
	var answer struct{ Variants []struct{ Run string } }
	if err := json.Unmarshal(w.agentsim(append(args, "--db", "t.db", "-o", "json")...), &answer); err != nil {
		w.t.Fatal(err)
	}
	for _, v := range answer.Variants {
		ids = append(ids, v.Run)
	}
	return ids
}

func (w *world) do(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, actions...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) text(script string) string {
	w.t.Helper()
	s, err := chromedp.Run(w.ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) is(what, script, want string) {
	w.t.Helper()
	if got := w.text(script); got != want {
		w.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (w *world) open(name, hash string) {
	w.t.Helper()
	w.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+filepath.Join(w.dir, name)+hash), chromedp.WaitVisible("canvas[data-drawn]"))
}

// filter sets what calls are filtered by.
func (w *world) filter(words string) {
	w.t.Helper()
	w.text(`(() => { const f = document.getElementById("filter"); f.value = "` + words + `"; f.dispatchEvent(new Event("input")); })()`)
}

func start(t *testing.T) *world {
	chrome := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chrome = path
			break
		}
	}
	if chrome == "" {
		t.Skip("no Chromium on this machine")
	}
	w := &world{t: t, dir: t.TempDir()}
	if w.bin = os.Getenv("AGENTSIM_PROGRAM"); w.bin == "" {
		w.bin = filepath.Join(w.dir, "agentsim")
		if out, err := exec.Command("go", "build", "-C", "../..", "-o", w.bin, "./cmd/agentsim").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	// Chromium leaves a directory behind, with a socket in it, whose path has to be short.
	temp, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(temp); err != nil {
			t.Error(err)
		}
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chrome), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true), chromedp.Env("TMPDIR="+temp))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, done := chromedp.NewContext(alloc)
	t.Cleanup(done)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	w.ctx = ctx
	err = chromedp.Listen(ctx, func(ev any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			w.console = append(w.console, "console: "+string(e.Type))
		case *runtime.EventExceptionThrown:
			w.console = append(w.console, "exception: "+e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			w.console = append(w.console, e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// quiet fails where the page said anything on the console.
func (w *world) quiet() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.console) > 0 {
		w.t.Errorf("the console says\n%s", strings.Join(w.console, "\n"))
	}
	w.console = nil
}

func TestReport(t *testing.T) {
	w := start(t)
	ids := w.runs("run", "fan-out", "--variant", "eight", "--variant", "nine")
	w.agentsim(append([]string{"report", "--db", "t.db", "-o", "r.html"}, ids...)...)
	w.open("r.html", "")
	t.Run("RPT-02 it opens on the comparison, and why bills differ", func(t *testing.T) {
		w.t = t
		w.is("rows", `document.querySelectorAll("#answer table.sheet")[0].tBodies[0].rows.length`, "2")
		w.is("why", `[...document.querySelectorAll("#answer dt")].some(e => e.textContent === "why")`, "true")
	})
	t.Run("RPT-06 lanes are drawn, in more than one colour", func(t *testing.T) {
		w.t = t
		w.is("colours", `(() => { const c = document.querySelector("canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, s = new Set();
			for (let i = 0; i < d.length; i += 4) s.add(d[i] + "," + d[i+1] + "," + d[i+2]); return s.size > 5; })()`, "true")
	})
	t.Run("RPT-02 the dearest call of all is one click away", func(t *testing.T) {
		w.t = t
		w.is("the call that the dearest row's button opens", `(() => {
			const table = [...document.querySelectorAll("#answer table.sheet")].find(t => [...t.tHead.rows[0].cells].some(c => c.textContent === "ITS COST"));
			const titles = [...table.tHead.rows[0].cells].map(c => c.textContent), cost = titles.indexOf("ITS COST"), call = titles.indexOf("DEAREST CALL");
			const row = [...table.tBodies[0].rows].sort((a, b) => Number(b.cells[cost].dataset.v) - Number(a.cells[cost].dataset.v))[0];
			row.cells[call].querySelector("button").click();
			const runs = JSON.parse(document.getElementById("data").textContent), all = runs.flatMap(r => r.calls.map(c => ({ run: r.id.slice(0, 8), n: c.n, cost: c.c })));
			const most = all.sort((a, b) => b.cost - a.cost)[0];
			return location.hash.includes("run=" + most.run) && location.hash.includes("call=" + most.n) || location.hash + " and " + JSON.stringify(most);
		})()`, "true")
		w.open("r.html", "")
	})
	t.Run("RPT-06 the times above lanes are in the picture and apart at every width", func(t *testing.T) {
		w.t = t
		w.agentsim(append([]string{"report", "--db", "t.db", "-o", "day.html"}, w.runs("run", "day-session", "--no-audit")[0])...)
		w.open("day.html", "")
		w.is("times that run into others or out of the picture", `(() => {
			const proto = CanvasRenderingContext2D.prototype, was = proto.fillText, box = document.querySelector(".lanes"), wrong = [];
			let seen = [], told = 0;
			proto.fillText = function (text, x, y) { if (y === 10) seen.push([text, x, x + this.measureText(text).width]); return was.call(this, text, x, y); };
			for (let width = 300; width <= 1200; width += 7) {
				seen = []; box.style.width = width + "px"; dispatchEvent(new Event("resize"));
				told += seen.length;
				seen.forEach((s, i) => { if (s[2] > box.clientWidth || i > 0 && s[1] < seen[i - 1][2]) wrong.push(width + ": " + s[0]); });
			}
			proto.fillText = was; box.style.width = ""; dispatchEvent(new Event("resize"));
			return wrong.slice(0, 5).join(", ") + (told > 300 ? "" : told + " times");
		})()`, "")
		w.open("r.html", "")
	})
	t.Run("RPT-03 filter, keys and deep links", func(t *testing.T) {
		w.t = t
		w.is("it opens on the cheapest run", `document.querySelector(".tabs [aria-selected=true]").textContent`, "eight")
		w.is("titles mean the same in all tables", `[...document.querySelectorAll("#runs th button")].find(b => b.textContent === "CACHE READ").title.includes("at a fraction of the input price")`, "true")
		all := w.text(`document.querySelectorAll("#calls tbody tr").length`)
		w.do(chromedp.KeyEvent("/"))
		w.is("the filter has the keys", `document.activeElement.id`, "filter")
		w.filter("fork")
		w.is("every row is a fork's", `[...document.querySelectorAll("#calls tbody tr")].every(tr => tr.cells[2].textContent === "fork")`, "true")
		if left := w.text(`document.querySelectorAll("#calls tbody tr").length`); left == all || left == "0" {
			t.Errorf("the filter %q leaves %s of %s calls", w.text(`document.getElementById("filter").value`), left, all)
		}
		w.do(chromedp.KeyEvent(kb.Escape))
		w.filter("")
		w.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"))
		w.is("second call", `document.querySelector("#call h3").textContent.startsWith("call 2 ·")`, "true")
		w.do(chromedp.KeyEvent("k"))
		w.is("first call", `document.querySelector("#call h3").textContent.startsWith("call 1 ·")`, "true")
		w.do(chromedp.KeyEvent("?"))
		w.is("help", `document.getElementById("help").open`, "true")
		w.do(chromedp.KeyEvent(kb.Escape))
		w.is("link", `location.hash`, "#run="+ids[0][:8]+"&call=1")
		w.open("r.html", "#run="+ids[1][:8]+"&call=3")
		w.is("linked call", `document.querySelector("#call h3").textContent.startsWith("call 3 ·")`, "true")
		w.is("linked run", `document.querySelector(".tabs [aria-selected=true]").textContent`, "nine")
		w.do(chromedp.KeyEvent("m"))
		w.is("what misses cost is told apart from what calls cost", `/ in all, of it \$[0-9.]+ more than had none missed$/.test(document.getElementById("found").textContent)`, "true")
		w.is("which blocks come before the messages", `/in front of the messages: tools blocks 1 to [0-9]+, system block/.test(document.getElementById("call").textContent)`, "true")
		w.is("a call that missed", `[...document.querySelectorAll("#call dt")].some(e => e.textContent === "miss reason")`, "true")
	})
	t.Run("RPT-02 a call's figures are those of inspect", func(t *testing.T) {
		w.t = t
		for _, n := range []string{"1", "2", "5", "9"} {
			w.open("r.html", "#run="+ids[1][:8]+"&call="+n)
			var c struct {
				Read   int64 `json:"tokens_read"`
				W5     int64 `json:"tokens_write_5m"`
				W1     int64 `json:"tokens_write_1h"`
				Input  int64 `json:"tokens_input"`
				Output int64 `json:"tokens_output"`
				Lost   int64 `json:"tokens_lost"`
				Byte   int64 `json:"miss_byte"`
			}
			if err := json.Unmarshal(w.agentsim("inspect", ids[1], "--call", n, "--db", "t.db", "-o", "json"), &c); err != nil {
				t.Fatal(err)
			}
			row := strings.Split(w.text(`[...document.querySelector('tr[data-call="`+n+`"]').cells].map(c => c.textContent.replaceAll(",", "")).join(" ")`), " ")
			want := []int64{c.Read + c.W5 + c.W1 + c.Input, c.Read, c.W5 + c.W1, c.Input, c.Output}
			for i, figure := range want {
				if got := row[4+i]; got != strconv.FormatInt(figure, 10) {
					t.Errorf("call %s: %q at column %d, want %d", n, got, 4+i, figure)
				}
			}
		}
	})
	t.Run("RPT-03 narrow, middle and wide, dark and light", func(t *testing.T) {
		w.t = t
		for _, width := range []int64{390, 800, 1280} {
			w.do(chromedp.EmulateViewport(width, 900), chromedp.Sleep(50*time.Millisecond))
			w.is("a narrow screen does without columns, and not without costs", `[...document.querySelectorAll("#answer table.sheet")[0].tHead.rows[0].cells].filter(th => th.offsetWidth > 0).map(th => th.textContent).includes("HIT RATE") + " " +
				(document.querySelectorAll("#answer table.sheet")[0].tHead.rows[0].cells[9].getBoundingClientRect().right <= innerWidth || innerWidth > 640)`, fmt.Sprint(width > 640)+" true")
			w.is(fmt.Sprintf("all that misses say is in a screen of %d", width), `[...document.querySelectorAll("table.stack td")].every(td => td.offsetWidth > 0 && td.getBoundingClientRect().right <= innerWidth) + " " + [...document.querySelectorAll("table.stack td button")].filter(b => b.offsetWidth > 0).map(b => b.textContent)`, "true call 4")
			w.is(fmt.Sprintf("what pictures say can be read at %d, and reached", width), `[...document.querySelectorAll("svg text")].every(x => x.textContent === "" || parseFloat(getComputedStyle(x).fontSize) * x.getScreenCTM().a >= 11) + " " +
				[...document.querySelectorAll("svg")].every(x => x.parentElement.scrollWidth <= x.parentElement.clientWidth || getComputedStyle(x.parentElement).overflowX === "auto") + " " + (document.querySelectorAll("svg text").length > 0)`, "true true true")
			w.is(fmt.Sprintf("nothing is wider than %d", width), `document.documentElement.scrollWidth <= innerWidth`, "true")
		}
		light := w.text(`getComputedStyle(document.body).backgroundColor`)
		dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
		if _, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, dark); err != nil {
			t.Fatal(err)
		}
		if now := w.text(`getComputedStyle(document.body).backgroundColor`); now == light {
			t.Errorf("dark and light have one background, %s", now)
		}
	})
	t.Run("RPT-03 paper has all runs, the open one first", func(t *testing.T) {
		w.t = t
		w.open("r.html", "#run="+ids[1][:8])
		w.text(`dispatchEvent(new Event("beforeprint"))`)
		w.is("the other run is there, drawn, with its calls", `[...document.querySelectorAll("#paper h2, #paper h3")].map(e => e.textContent).join(", ") + " " +
			(document.querySelector("#paper canvas").dataset.drawn === String(document.querySelectorAll("#paper tr[data-call]").length))`,
			"eight, What siblings' first prompts share, Calls true")
		w.text(`dispatchEvent(new Event("afterprint"))`)
		w.is("and gone after it", `document.getElementById("paper")`, "null")
	})
	t.Run("RPT-06 the console is silent", func(t *testing.T) { w.t = t; w.quiet() })
}

func TestHostile(t *testing.T) {
	w := start(t)
	if err := os.WriteFile(filepath.Join(w.dir, "hostile.yaml"), []byte(hostile), 0o644); err != nil {
		t.Fatal(err)
	}
	ids := w.runs("run", "hostile.yaml")
	w.agentsim("report", "--db", "t.db", "-o", "r.html", ids[0])
	w.open("r.html", "#call=1")
	t.Run("RPT-05 what a transcript holds is text", func(t *testing.T) {
		w.t = t
		w.is("nothing ran", `window.hacked`, "undefined")
		w.is("it is there to read", `document.getElementById("call").textContent.includes("</script><script>window.hacked=1")`, "true")
		w.is("no element came of it", `document.querySelectorAll("img, b[onmouseover]").length`, "0")
		w.is("what turns the direction is visible", `document.getElementById("call").textContent.includes("\\u202e")`, "true")
		w.quiet()
	})
}

func TestServe(t *testing.T) {
	w := start(t)
	w.agentsim("sweep", "fan-out", "--seeds", "1", "--db", "t.db")
	serve := exec.Command(w.bin, "serve", "--db", "t.db", "--listen", "127.0.0.1:0")
	serve.Dir = w.dir
	said, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { serve.Process.Kill(); serve.Wait() })
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(line, " ")
	rows := `document.querySelectorAll("tbody tr").length`
	t.Run("SRV-01 the list filters, shows what is recorded meanwhile, and leads to the pages of one run and of two", func(t *testing.T) {
		w.t = t
		w.do(chromedp.Navigate(address), chromedp.WaitVisible("table"))
		before := w.text(rows)
		w.agentsim("run", "hello", "--db", "t.db")
		for range 60 {
			if w.text(rows) != before {
				break
			}
			w.do(chromedp.Sleep(100 * time.Millisecond))
		}
		w.is("the run that was recorded meanwhile is the first", `document.querySelector("tbody tr").cells[2].textContent`, "hello")
		w.do(chromedp.Click("tbody tr a"), chromedp.WaitVisible("canvas[data-drawn]"))
		w.is("its page", `document.querySelector("h1").textContent`, "hello")
		w.do(chromedp.Navigate(address+"?words=eight"), chromedp.WaitVisible("table"), chromedp.Click("tbody tr a"), chromedp.WaitVisible("canvas[data-drawn]"))
		w.is("of an agent whose calls are not recorded, calls, tokens of cache write, and cost", `(() => {
			const table = [...document.querySelectorAll("table")].find(t => t.tHead.rows[0].textContent.includes("ENDED")), at = t => [...table.tHead.rows[0].cells].findIndex(c => c.textContent === t);
			const main = table.tBodies[0].rows[0], cell = t => main.cells[at(t)].textContent;
			return cell("CALLS") + " " + (Number(main.cells[at("CACHE WRITE")].dataset.v) > 0) + " " + cell("COST"); })()`, "– true –")
		w.do(chromedp.Navigate(address+"?words=nine"), chromedp.WaitVisible("table"))
		w.is("only those of the word", `[...document.querySelectorAll("tbody tr")].every(tr => tr.cells[3].textContent === "nine")`, "true")
		w.do(chromedp.Navigate(address+"?words=fan-out"), chromedp.WaitVisible("table"))
		w.text(`[...document.querySelectorAll("tbody input")].slice(0, 2).forEach(e => e.click())`)
		w.agentsim("run", "nested", "--db", "t.db")
		w.do(chromedp.WaitVisible("#newer"))
		w.is("what was checked stays so", `document.querySelectorAll("tbody input:checked").length`, "2")
		w.text(`[...document.querySelectorAll("button")].find(b => b.textContent.startsWith("compare")).click()`)
		w.do(chromedp.WaitVisible("canvas[data-drawn]"))
		w.is("two runs", `document.querySelectorAll("#answer table.sheet")[0].tBodies[0].rows.length`, "2")
		w.do(chromedp.EmulateViewport(390, 900), chromedp.Navigate(address), chromedp.WaitVisible("table"))
		w.is("nothing is wider than 390", `document.documentElement.scrollWidth <= innerWidth`, "true")
		w.quiet()
	})
}

// TestAnswers: pages of commands that run or compare, without any single run.
func TestAnswers(t *testing.T) {
	w := start(t)
	for _, c := range []struct {
		name   string
		args   []string
		curves bool
	}{
		{"RPT-07 a sweep has its curves, with bars, and tables that sort", []string{"sweep", "fan-out", "--seeds", "3", "--set", "provider.ttl=5m,1h", "--db", "t.db"}, true},
		{"RPT-07 a crossover has its curves, and the law beside the runs", []string{"crossover"}, true},
		{"RPT-07 a run has its comparison", []string{"run", "fan-out", "--db", "t.db"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			if err := os.WriteFile(filepath.Join(w.dir, "p.html"), w.agentsim(append(c.args, "-o", "html")...), 0o644); err != nil {
				t.Fatal(err)
			}
			w.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+filepath.Join(w.dir, "p.html")), chromedp.WaitReady("table.sheet"), chromedp.EmulateViewport(390, 900))
			w.is("nothing is wider than 390", `document.documentElement.scrollWidth <= innerWidth`, "true")
			first := `document.querySelector("#answer table.sheet")`
			w.text(first + `.querySelector("th button").click()`)
			w.is("a table sorts", first+`.querySelector("th").getAttribute("aria-sort")`, "descending")
			w.is("curves are drawn, in colour", `[...document.querySelectorAll("svg path")].some(e => getComputedStyle(e).stroke === "rgb(0, 90, 181)")`, strconv.FormatBool(c.curves))
			w.quiet()
		})
	}
}

// many is a scenario of agents that each look at a file in every turn but the last.
func many(agents, turns int) string {
	var roots, answers strings.Builder
	for i := range agents {
		fmt.Fprintf(&roots, "    - {name: r%d, at: %ds, system: {tokens: 3_000}, tools: [Read], user: {tokens: 1_000}}\n", i, i)
		fmt.Fprintf(&answers, "    - agent: r%d\n      turns:\n", i)
		for t := range turns - 1 {
			fmt.Fprintf(&answers, "        - {text: Step %d of %d., tools: [{name: Read, input: {file_path: a.txt}}]}\n", t, i)
		}
		answers.WriteString("        - {text: Done.}\n")
	}
	return "agentsim: 1\nname: many\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.txt: Some words.}}\nscript:\n  roots:\n" + roots.String() + "  answers:\n" + answers.String()
}

// TestMany: 5,000 calls. Of several tries the quickest counts: what else the machine does
// is not the page's.
func TestMany(t *testing.T) {
	w := start(t)
	if err := os.WriteFile(filepath.Join(w.dir, "many.yaml"), []byte(many(100, 50)), 0o644); err != nil {
		t.Fatal(err)
	}
	w.agentsim("report", "--db", "t.db", "-o", "r.html", w.runs("run", "many.yaml", "--no-audit")[0])
	least := func(times int, ms func() string) (best float64) {
		for i := range times {
			n, err := strconv.ParseFloat(ms(), 64)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 || n < best {
				best = n
			}
		}
		return best
	}
	t.Run("RPT-04 5,000 calls are open and drawn within a second, in a file of less than 2 MB", func(t *testing.T) {
		w.t = t
		if file, err := os.Stat(filepath.Join(w.dir, "r.html")); err != nil || file.Size() >= 2_000_000 {
			t.Error(file.Size(), err)
		}
		if ms := least(5, func() string { w.open("r.html", ""); return w.text(`performance.now()`) }); ms > 1000 {
			t.Errorf("drawn after %.0f ms", ms)
		} else {
			t.Logf("drawn after %.0f ms", ms)
		}
		w.is("calls", `document.getElementById("found").textContent.startsWith("5,000 of 5,000 calls")`, "true")
	})
	t.Run("RPT-04 the lanes of 5,000 calls move at 30 frames a second", func(t *testing.T) {
		w.t = t
		w.do(chromedp.KeyEvent("+"))
		if ms := least(5, func() string {
			return w.text(`(() => { const t = performance.now(); for (let i = 0; i < 10; i++) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "ArrowLeft" : "ArrowRight", bubbles: true })); return (performance.now() - t) / 10; })()`)
		}); ms > 33 {
			t.Errorf("a frame takes %.0f ms", ms)
		} else {
			t.Logf("a frame takes %.1f ms", ms)
		}
		w.quiet()
	})
}
