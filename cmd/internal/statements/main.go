// Command statements reads what `go test -json` prints: it reports failures and holds
// STATEMENTS.md, a sentence for each statement of the specification that is proven,
// against the names of the tests.
//
//	go test -json ./... | go run ./cmd/internal/statements -check STATEMENTS.md
//	go test -json ./... | go run ./cmd/internal/statements -tests
//
// Rules:
//   - A proof is a test or subtest that ran and whose own name holds the whole id of
//     a statement, such as CACHE-13. Which tests prove what is printed (-tests) and
//     kept nowhere.
//   - A sentence that says "make browser", "make outside" or "make cluster" is proven by the tests of
//     that module apart, for which -apart names it, and may be by others too.
//   - A proof that needs recorded data says so, since it is skipped where that data
//     is not.
//   - It exits with 1 when a test failed, or was skipped although recorded data was
//     there, or when a sentence has no proof or a proof no sentence.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the command; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("statements", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.String("check", "", "fail if this `file` has a sentence without a proof, or lacks one")
	list := flags.Bool("tests", false, "print which tests prove what")
	apart := flags.String("apart", "", "of the sentences check those alone that say make `target`, whose tests were read")
	mutants := flags.String("mutants", "", "results of the mutants, as make mutants writes them")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	log, err := read(stdin, stdout)
	var broken map[id]score
	if err == nil && *mutants != "" {
		broken, err = readMutants(*mutants)
	}
	if err != nil {
		fmt.Fprintf(stderr, "statements: %v\n", err)
		return 1
	}
	proofs := log.proofs()
	if *list {
		fmt.Fprint(stdout, render(proofs, broken))
	}
	passed, failed, skipped := log.count()
	fmt.Fprintf(stdout, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	switch {
	case failed > 0 || log.unbuilt:
		return 1
	case skipped > 0 && os.Getenv("AGENTSIM_DATA") != "":
		fmt.Fprintf(stderr, "skipped although AGENTSIM_DATA is set:\n%s", log.skips())
		return 1
	case *check != "":
		err = compare(*check, *apart, proofs, skipped > 0)
	}
	if err != nil {
		fmt.Fprintf(stderr, "statements: %v\n", err)
		return 1
	}
	return 0
}

// longest is how many characters a sentence's line has at most.
const longest = 160

// elsewhere finds what a sentence says that proves it: tests of a module apart, which a
// target of the Makefile runs.
var elsewhere = regexp.MustCompile(`\bmake (browser|cluster|outside)\b`)

// sentences are the ids that a file has a line for: "- CACHE-13 Such and such is so." In
// away is the target that proves each, "" for the tests of this module.
func sentences(file string) (out []id, away map[id]string, err error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	away = map[id]string{}
	for i, line := range strings.Split(string(src), "\n") {
		said, is := strings.CutPrefix(line, "- ")
		word, _, _ := strings.Cut(said, " ")
		switch found := ids(word); {
		case !is:
			continue
		case len(found) != 1 || found[0].String() != word || !strings.HasSuffix(line, "."):
			err = errors.Join(err, fmt.Errorf("%s:%d: a line is - ID and a sentence: %s", file, i+1, line))
		case utf8.RuneCountInString(line) > longest:
			err = errors.Join(err, fmt.Errorf("%s:%d: longer than %d characters", file, i+1, longest))
		case len(out) > 0 && compareIDs(out[len(out)-1], found[0]) >= 0:
			err = errors.Join(err, fmt.Errorf("%s:%d: %s comes before %s", file, i+1, found[0], out[len(out)-1]))
		default:
			out = append(out, found[0])
			if m := elsewhere.FindStringSubmatch(line); m != nil {
				away[found[0]] = m[1]
			}
		}
	}
	return out, away, err
}

// compare holds a file's sentences against the proofs, both ways: those that apart proves,
// "" for this module's. Where tests were skipped a sentence may lack its proof.
func compare(file, apart string, proofs []proof, skipped bool) error {
	said, away, err := sentences(file)
	proven := map[id]bool{}
	for _, p := range proofs {
		if !proven[p.id] && !slices.Contains(said, p.id) {
			err = errors.Join(err, fmt.Errorf("%s has no sentence for %s, which %s %s proves", file, p.id, p.at.pkg, p.at.test))
		}
		proven[p.id] = true
	}
	for _, of := range said {
		if !proven[of] && !skipped && away[of] == apart {
			err = errors.Join(err, fmt.Errorf("%s: no test that passes bears %s in its name", file, of))
		}
	}
	return err
}
