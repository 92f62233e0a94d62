package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// id is a statement's name in its parts, so that CACHE-9 stands before CACHE-10
// and both before CACHE-L1.
type id struct {
	prefix, letter string
	n              int
}

// whole finds ids in a test's name; an id ends where its digits do.
var whole = regexp.MustCompile(`(?:^|[^A-Za-z0-9])([A-Z]{2,6})-([A-Z]?)([0-9]{1,3})\b`)

// foreign are names of others that look like ids.
var foreign = map[string]bool{"GOLD": true, "SHA": true, "UTF": true}

// ids are the different ids in a name, in the order in which they stand there. The
// test framework writes blanks as underscores.
func ids(test string) (out []id) {
	seen := map[id]bool{}
	for rest := strings.ReplaceAll(test, "_", " "); ; {
		m := whole.FindStringSubmatchIndex(rest)
		if m == nil {
			return out
		}
		n, _ := strconv.Atoi(rest[m[6]:m[7]]) // at most three digits
		if found := (id{rest[m[2]:m[3]], rest[m[4]:m[5]], n}); !seen[found] && !foreign[found.prefix] {
			seen[found] = true
			out = append(out, found)
		}
		rest = rest[m[7]:]
	}
}

func (i id) String() string {
	if i.letter == "" {
		return fmt.Sprintf("%s-%02d", i.prefix, i.n)
	}
	return fmt.Sprintf("%s-%s%d", i.prefix, i.letter, i.n)
}

func compareIDs(a, b id) int {
	return cmp.Or(cmp.Compare(a.prefix, b.prefix), cmp.Compare(a.letter, b.letter), cmp.Compare(a.n, b.n))
}

// score is how many mutants a statement has, and how many were noticed.
type score struct{ caught, all int }

// readMutants reads the results that make mutants writes.
func readMutants(file string) (map[id]score, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var checks []struct {
		Check   string
		Mutants []struct{ Caught bool }
	}
	if err := json.Unmarshal(src, &checks); err != nil {
		return nil, fmt.Errorf("%s: %w; run make mutants", file, err)
	}
	out := map[id]score{}
	for _, c := range checks {
		for _, of := range ids(c.Check) {
			s := out[of]
			for _, m := range c.Mutants {
				s.all++
				if m.Caught {
					s.caught++
				}
			}
			out[of] = s
		}
	}
	return out, nil
}

// render lists the tests by the ids that their names bear, a table for each prefix. A
// number follows a test that bears the id in several subtests, an asterisk one that needs
// recorded data.
func render(proofs []proof, broken map[id]score) string {
	var b strings.Builder
	prefix := ""
	for len(proofs) > 0 {
		n := 1
		for n < len(proofs) && proofs[n].id == proofs[0].id {
			n++
		}
		at := proofs[0].id
		if at.prefix != prefix {
			prefix = at.prefix
			fmt.Fprintf(&b, "\n## %s\n\n| id | proven by | broken on purpose |\n|---|---|---|\n", prefix)
		}
		noticed := ""
		if s := broken[at]; s.all > 0 {
			noticed = fmt.Sprintf("%d of %d noticed", s.caught, s.all)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", at, tests(proofs[:n]), noticed)
		proofs = proofs[n:]
	}
	return b.String()
}

// tests names the test functions among sorted proofs of one id, by package.
func tests(proofs []proof) string {
	var b strings.Builder
	pkg := ""
	for len(proofs) > 0 {
		first := proofs[0]
		function := top(first.at.test)
		n, recorded := 0, true
		for n < len(proofs) && proofs[n].at.pkg == first.at.pkg && top(proofs[n].at.test) == function {
			recorded = recorded && proofs[n].recorded
			n++
		}
		switch {
		case first.at.pkg == pkg:
			b.WriteString(", ")
		case pkg != "":
			b.WriteString("; ")
			fallthrough
		default:
			pkg = first.at.pkg
			fmt.Fprintf(&b, "%s: ", strings.TrimPrefix(pkg, "agentsim/"))
		}
		b.WriteString(function)
		if n > 1 {
			fmt.Fprintf(&b, " %d", n)
		}
		if recorded {
			b.WriteString("\\*")
		}
		proofs = proofs[n:]
	}
	return b.String()
}

// top is the test function of a test or subtest.
func top(test string) string {
	function, _, _ := strings.Cut(test, "/")
	return function
}
