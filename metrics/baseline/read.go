package baseline

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
)

// maxTrace bounds the unpacked text of one scenario, so that a broken file
// cannot fill the memory.
const maxTrace = 256 << 20

// Read reads a baseline. The error is an *Error with the first thing wrong.
func Read(name, text string) (*File, error) {
	p := &parser{src: newSource(name, text), file: &File{}, seen: map[string]bool{}}
	for p.n = 1; p.n <= len(p.src.lines) && p.err == nil; p.n++ {
		p.line(p.src.lines[p.n-1])
	}
	if p.err == nil {
		p.n = len(p.src.lines)
		p.endTrace()
	}
	for i := range p.file.Runs {
		if p.err == nil && p.file.Runs[i].Digest == "" {
			p.n = p.at[i]
			p.fail(0, broken, "the line run ID digest … is missing below")
		}
	}
	if p.err == nil && p.file.Semantics == 0 {
		p.fail(0, "it begins with the lines agentsim baseline and semantics", "the file ends before its head does")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.file, nil
}

type parser struct {
	src      *source
	file     *File
	n        int // line, from 1
	scenario string
	seed     uint64
	block    []*Run // of the present scenario and seed
	traceAt  int    // line of the present packed text; 0 for none
	packs    string // what it is: events, blocks, or fronts, which the prefix guard compares
	traceLen int
	packed   strings.Builder
	seen     map[string]bool
	at       []int // the lines of the file's runs
	err      *Error
}

const broken = "restore the file from version control, or write it anew with agentsim bench --update"

const conflict = "a merge left its conflict here: take one of the two files as a whole from version control, or write it anew with agentsim bench --update"

func (p *parser) fail(col int, hint, format string, args ...any) {
	if p.err == nil {
		p.err = p.src.errorAt(p.n, col, hint, format, args...)
	}
}

func (p *parser) line(text string) {
	words := strings.Fields(text)
	switch {
	case marksConflict(text):
		p.fail(0, conflict, "a conflict marker")
	case p.n == 1:
		p.head(words)
	case len(words) == 0:
	case words[0] == "|":
		p.piece(text, words)
	case p.n == 2:
		p.semantics(words)
	default:
		p.entry(text, words)
	}
}

// marksConflict reports whether version control wrote a line where two versions
// differ. No line of a baseline begins so.
func marksConflict(text string) bool {
	for _, m := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		if strings.HasPrefix(text, m) {
			return true
		}
	}
	return false
}

// entry is a line that is neither of the head nor of a trace.
func (p *parser) entry(text string, words []string) {
	p.endTrace()
	switch words[0] {
	case "scenario":
		p.begin(words)
	case "variant":
		p.variant(words)
	case "events", "blocks", "fronts":
		p.beginTrace(words)
	case "run":
		p.run(words)
	case "spec":
		if r := p.current(); p.form(words, "spec HASH") {
			r.Spec = words[1]
		}
	case "prices":
		p.prices(words)
	case "siblings":
		p.shared(words, "siblings of WHO children N block N byte N bytes N")
	case "parted":
		p.shared(words, "parted at WHO block N byte N bytes N")
	default:
		p.figure(text, words)
	}
}

func (p *parser) head(words []string) {
	switch {
	case len(words) == 0 && len(p.src.lines) == 1:
		p.fail(0, broken, "the file is empty")
	case len(words) != 3 || words[0] != "agentsim" || words[1] != "baseline":
		p.fail(0, broken, "this is no baseline of agentsim, which begins with agentsim baseline %d", Version)
	default:
		n, err := strconv.Atoi(words[2])
		if err == nil && n >= 1 && n <= Version {
			return
		}
		hint := broken
		if err == nil && n > Version {
			hint = "a newer agentsim made it: update the program, or write the baseline anew with this one: agentsim bench --update"
		}
		p.fail(0, hint, "a baseline of version %s; this program reads versions 1 to %d", words[2], Version)
	}
}

// prices is what a model cost in the run.
func (p *parser) prices(words []string) {
	r := p.current()
	if len(words) < 4 {
		p.fail(0, broken, "not of the form prices MODEL DAY RATE=DOLLARS …")
		return
	}
	r.Prices = append(r.Prices, Price{words[1], words[2], words[3:]})
}

func (p *parser) semantics(words []string) {
	if len(words) == 2 && words[0] == "semantics" {
		if n, err := strconv.Atoi(words[1]); err == nil && n > 0 {
			p.file.Semantics = n
			return
		}
	}
	p.fail(0, broken, "semantics N is missing here")
}

func (p *parser) begin(words []string) {
	if len(words) != 4 || words[2] != "seed" {
		p.fail(0, broken, "not of the form scenario NAME seed N")
		return
	}
	seed, err := strconv.ParseUint(words[3], 10, 64)
	if err != nil {
		p.fail(strings.Index(p.src.lines[p.n-1], " seed ")+6, broken, "%q is no seed", words[3])
		return
	}
	p.scenario, p.seed, p.block = plain.Replace(words[1]), seed, nil
}

func (p *parser) variant(words []string) {
	if len(words) != 2 || p.scenario == "" {
		p.fail(0, broken, "not of the form variant NAME below a scenario")
		return
	}
	r := &Run{Scenario: p.scenario, Variant: plain.Replace(words[1]), Seed: p.seed}
	if words[1] == "-" {
		r.Variant = ""
	}
	key := r.Name() + "#" + strconv.FormatUint(r.Seed, 10)
	if p.seen[key] {
		p.fail(0, "keep one of the two", "%s with seed %d stands here a second time", r.Name(), r.Seed)
		return
	}
	p.seen[key] = true
	p.block = append(p.block, r)
	p.file.Runs, p.at = append(p.file.Runs, r), append(p.at, p.n)
}

// current is the run that a line belongs to.
func (p *parser) current() *Run {
	if len(p.block) == 0 {
		p.fail(0, broken, "this line stands below no variant")
		return &Run{}
	}
	return p.block[len(p.block)-1]
}

func (p *parser) run(words []string) {
	r := p.current()
	const form = "run ID digest DIGEST events N outcome OUTCOME"
	if !p.form(words, form) {
		return
	}
	r.ID, r.Digest, r.Outcome, r.Events = words[1], words[3], transcript.RunOutcome(words[7]), int(p.number(words, 5))
}

// form checks the small words of a line against a form.
func (p *parser) form(words []string, form string) bool {
	want := strings.Fields(form)
	if len(words) == len(want) {
		same := true
		for i, w := range want {
			same = same && (strings.ToLower(w) != w || words[i] == w)
		}
		if same {
			return true
		}
	}
	p.fail(0, broken, "not of the form %s", form)
	return false
}

// number reads a word that is a number from 0 on.
func (p *parser) number(words []string, i int) int64 {
	n, err := strconv.ParseInt(words[i], 10, 64)
	if err != nil || n < 0 {
		p.fail(strings.Index(p.src.lines[p.n-1], words[i-1]+" "+words[i])+len(words[i-1])+1, broken, "%q is no whole number from 0 on", words[i])
	}
	return n
}

func (p *parser) shared(words []string, form string) {
	r := p.current()
	if !p.form(words, form) {
		return
	}
	s := metrics.Shared{Who: plain.Replace(words[2])}
	n := 4
	if words[0] == "siblings" {
		s.Siblings, n = int(p.number(words, 4)), 6
	}
	s.Block, s.Byte, s.Of = int32(p.number(words, n)), p.number(words, n+2), p.number(words, n+4)
	if s.Siblings > 0 {
		r.Siblings = append(r.Siblings, s)
	} else {
		r.Parted = append(r.Parted, s)
	}
}

func (p *parser) figure(text string, words []string) {
	r := p.current()
	m, ok := Find(words[0])
	switch {
	case !ok:
		p.fail(strings.Index(text, words[0]), broken, "no metric %q", words[0])
	case len(words) != 3:
		p.fail(0, broken, "not of the form METRIC VALUE UNIT")
	case words[2] != string(m.Unit):
		p.fail(strings.LastIndex(text, words[2]), "write "+string(m.Unit), "%s is measured in %s, not in %s", m.Name, m.Unit, words[2])
	default:
		if _, twice := value(r.Figures, m.Name); twice {
			p.fail(strings.Index(text, words[0]), "keep one of the two", "%s stands here a second time", m.Name)
		}
		r.Figures = append(r.Figures, Figure{m.Name, p.value(text, words[1], m.Unit)})
	}
}

// value reads a whole number, or two with a slash for a ratio.
func (p *parser) value(text, word string, unit metrics.Unit) metrics.Value {
	num, den, slash := strings.Cut(word, "/")
	v := metrics.Value{Den: 1, Unit: unit}
	var err error
	v.Num, err = strconv.ParseInt(num, 10, 64)
	if err == nil && slash {
		v.Den, err = strconv.ParseInt(den, 10, 64)
	}
	if err != nil || v.Den <= 0 || slash != (unit == metrics.Ratio) {
		hint := "write a whole number"
		if unit == metrics.Ratio {
			hint = "write two whole numbers with a slash, such as 12/31"
		}
		p.fail(strings.Index(text, " "+word+" ")+1, hint, "%q is no value", word)
	}
	return v
}

func (p *parser) beginTrace(words []string) {
	if len(p.block) == 0 || len(words) != 2 {
		p.fail(0, broken, "not of the form %s BYTES below a variant", words[0])
		return
	}
	p.traceAt, p.traceLen, p.packs = p.n, int(p.number(words, 1)), words[0]
	if p.traceLen > maxTrace {
		p.fail(0, broken, "%d bytes of %s; there are at most %d", p.traceLen, words[0], maxTrace)
	}
}

func (p *parser) piece(text string, words []string) {
	if p.traceAt == 0 || len(words) != 2 {
		p.fail(0, broken, "packed text stands below a line events BYTES, blocks BYTES or fronts BYTES")
		return
	}
	p.packed.WriteString(words[1])
}

// endTrace unpacks what was gathered and hands it to the run, or each run its
// lines.
func (p *parser) endTrace() {
	if p.traceAt == 0 || p.err != nil {
		return
	}
	at := p.n
	p.n = p.traceAt
	raw, err := base64.StdEncoding.DecodeString(p.packed.String())
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), int64(p.traceLen)+1))
	}
	switch {
	case err != nil:
		p.fail(0, broken, "the packed text below cannot be read: %v", err)
	case len(text) != p.traceLen:
		p.fail(0, broken, "the packed text below is not the %d bytes promised", p.traceLen)
	case p.packs == "fronts":
		p.requests(text)
	case p.packs == "blocks":
		p.outlines(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	default:
		p.share(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	}
	p.packed.Reset()
	p.traceAt = 0
	if p.err == nil {
		p.n = at
	}
}

// requests takes what the prefix guard compares.
func (p *parser) requests(text []byte) {
	r, err := sharedprefix.Parse(text)
	if err != nil {
		p.fail(0, broken, "the packed text below is no record of requests: %v", err)
		return
	}
	p.current().Requests = r
}

// outlines parts the blocks among the runs of the block.
func (p *parser) outlines(lines []string) {
	for _, r := range p.block {
		n := slices.Index(lines, endOfRun)
		if n < 0 {
			break
		}
		o, err := sharedprefix.ParseOutline(lines[:n])
		if err != nil {
			p.fail(0, broken, "of the blocks below, %v", err)
			return
		}
		r.Outline, lines = o, lines[n+1:]
	}
	if len(lines) > 0 {
		p.fail(0, broken, "there are other blocks below than the runs have")
	}
}

// share parts the lines among the runs of the block.
func (p *parser) share(lines []string) {
	for _, r := range p.block {
		if r.Events > len(lines) {
			p.fail(0, broken, "there are fewer events below than the runs have")
			return
		}
		r.Lines, lines = lines[:r.Events:r.Events], lines[r.Events:]
	}
	if len(lines) > 0 {
		p.fail(0, broken, "there are %d events more below than the runs have", len(lines))
	}
}
