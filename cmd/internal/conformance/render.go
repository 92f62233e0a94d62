package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const head = `# What holds

Each line is a statement about this simulator and the test that proves it: break the behaviour and the test turns red.
A test is run with ` + "`go test ./PACKAGE -run 'TEST'`" + `. This file is written by ` + "`go run ./cmd/internal/conformance`" + ` from the
names of the tests; ` + "`make test`" + ` fails when it is out of date.

`

// row is one id of one statement.
type row struct {
	id id
	statement
}

// id is an id in its parts, so that CACHE-9 stands before CACHE-10 and both
// before CACHE-L1.
type id struct {
	prefix, letter string
	n              int
}

func (i id) String() string { return fmt.Sprintf("%s-%s%s", i.prefix, i.letter, i.digits()) }

// digits are at least two, as ids are written, but for those with a letter.
func (i id) digits() string {
	if i.letter == "" {
		return fmt.Sprintf("%02d", i.n)
	}
	return strconv.Itoa(i.n)
}

// parseID reads an id that the scanner's pattern has accepted.
func parseID(s string) id {
	prefix, rest, _ := strings.Cut(s, "-")
	letter := strings.TrimRight(rest, "0123456789")
	n, _ := strconv.Atoi(rest[len(letter):])
	return id{prefix, letter, n}
}

func compareIDs(a, b id) int {
	return cmp.Or(cmp.Compare(a.prefix, b.prefix), cmp.Compare(a.letter, b.letter), cmp.Compare(a.n, b.n))
}

// rows sorts statements by id, then text, then place.
func rows(found []statement) (out []row) {
	for _, s := range found {
		for _, name := range s.ids {
			out = append(out, row{parseID(name), s})
		}
	}
	slices.SortFunc(out, func(a, b row) int {
		return cmp.Or(compareIDs(a.id, b.id), cmp.Compare(a.text, b.text), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
	})
	return out
}

func countIDs(found []statement) int {
	seen := map[id]bool{}
	for _, r := range rows(found) {
		seen[r.id] = true
	}
	return len(seen)
}

// render writes the document: a table for each prefix, and one of the mutants.
func render(found []statement, mutants []audited) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	fmt.Fprintf(&b, "%d ids, %d tests.\n", countIDs(found), len(found))
	prefix := ""
	for _, r := range rows(found) {
		if r.id.prefix != prefix {
			prefix = r.id.prefix
			fmt.Fprintf(&b, "\n## %s\n\n| id | what holds | package | test |\n|---|---|---|---|\n", prefix)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.id, cell(r.text), r.pkg, cell(r.test))
	}
	renderMutants(&b, mutants)
	return b.Bytes()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
