// Package docs is what the documentation says of words that programs print.
package docs

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed glossary.md
var glossary string

// Meaning is what the glossary says first of a name in front of lines or of a column's
// title, without its marks; "" for a word that it does not have.
func Meaning(word string) string {
	for row := range strings.SplitSeq(glossary, "\n") {
		words, meaning, ok := strings.Cut(strings.Trim(row, "| "), " | ")
		if ok && slices.Contains(strings.Split(words, "; "), word) {
			return strings.ReplaceAll(meaning, "`", "")
		}
	}
	return ""
}
