package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is how many characters a sentence's line has at most.
const longest = 160

// sentences are the ids that a file has a line for: "- CACHE-13 Such and such is so."
func sentences(file string) (out []id, err error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
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
		}
	}
	return out, err
}

// compare holds a file's sentences against the proofs, both ways. Where tests were
// skipped a sentence may lack its proof.
func compare(file string, proofs []proof, skipped bool) error {
	said, err := sentences(file)
	proven := map[id]bool{}
	for _, p := range proofs {
		if !proven[p.id] && !slices.Contains(said, p.id) {
			err = errors.Join(err, fmt.Errorf("%s has no sentence for %s, which %s %s proves", file, p.id, p.at.pkg, p.at.test))
		}
		proven[p.id] = true
	}
	for _, of := range said {
		if !proven[of] && !skipped {
			err = errors.Join(err, fmt.Errorf("%s: no test that passes bears %s in its name", file, of))
		}
	}
	return err
}
