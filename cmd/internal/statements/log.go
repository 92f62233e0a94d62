package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentsim/sim/recording/recordingtest"
)

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output, Key string
	Elapsed                            float64
}

// name is a test of a package; without a test it is the package itself.
type name struct{ pkg, test string }

// log is what became of every test.
type log struct {
	ended    map[name]string // pass, fail or skip
	recorded map[name]bool   // asked for recorded data
	unbuilt  bool            // a package did not compile, or ended without its tests
}

// read follows a test run to its end. Packages are reported as they end; a failed
// one with all that its failed tests printed.
func read(in io.Reader, out io.Writer) (*log, error) {
	l := &log{ended: map[name]string{}, recorded: map[name]bool{}}
	said := map[name]*strings.Builder{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(out, lines.Text()) // not of the test binary: make, a compiler
			continue
		}
		at := name{e.Package, e.Test}
		switch e.Action {
		case "output":
			if said[at] == nil {
				said[at] = &strings.Builder{}
			}
			said[at].WriteString(e.Output)
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "build-fail":
			l.unbuilt = true
		case "attr":
			if e.Key == recordingtest.Attr {
				l.recorded[at] = true
			}
		case "pass", "fail", "skip":
			l.end(at, e, said[at], out)
			delete(said, at)
		}
	}
	return l, lines.Err()
}

// end notes how a test or package ended and says what a reader has to know.
func (l *log) end(at name, e event, said *strings.Builder, out io.Writer) {
	if at.test != "" {
		l.ended[at] = e.Action
	}
	switch {
	case e.Action == "fail" && said != nil:
		fmt.Fprint(out, said.String())
		l.unbuilt = l.unbuilt || at.test == ""
	case e.Action == "pass" && at.test == "":
		fmt.Fprintf(out, "ok\t%s\t%.1fs\n", at.pkg, e.Elapsed)
	}
}

// count is how many tests and subtests ended in which way.
func (l *log) count() (passed, failed, skipped int) {
	for _, how := range l.ended { // order: sums
		switch how {
		case "pass":
			passed++
		case "fail":
			failed++
		default:
			skipped++
		}
	}
	return passed, failed, skipped
}

// skips lists the tests that were skipped.
func (l *log) skips() string {
	var out []string
	for at, how := range l.ended { // order: sorted below
		if how == "skip" {
			out = append(out, fmt.Sprintf("  %s %s\n", at.pkg, at.test))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// proof is a test that bears a statement's id.
type proof struct {
	id       id
	at       name
	recorded bool // it, or a test in it, asked for recorded data
}

// proofs are the tests whose last part of the name holds an id, in order.
func (l *log) proofs() (out []proof) {
	data := map[name]bool{}
	for at := range l.recorded { // order: a set
		for test := at.test; test != ""; test = test[:max(0, strings.LastIndexByte(test, '/'))] {
			data[name{at.pkg, test}] = true
		}
	}
	for at, how := range l.ended { // order: sorted below
		if how != "pass" {
			continue
		}
		for _, found := range ids(at.test[strings.LastIndexByte(at.test, '/')+1:]) {
			out = append(out, proof{found, at, data[at]})
		}
	}
	slices.SortFunc(out, func(a, b proof) int {
		return cmp.Or(compareIDs(a.id, b.id), cmp.Compare(a.at.pkg, b.at.pkg), cmp.Compare(a.at.test, b.at.test))
	})
	return out
}
