// Command conformance writes CONFORMANCE.md: for each statement that this
// project holds, its id, what it says in one line, and the test that proves it.
//
//	go run ./cmd/internal/conformance          writes the file
//	go run ./cmd/internal/conformance -check   fails if the file is out of date
//
// Rules:
//   - A statement is the name of a subtest (never other data or a message of a
//     test), or the first line of a story or
//     script, that begins with one or more ids. There is no second list to keep.
//   - What became of the mutants stands in the file that make mutants
//     writes.
//   - The output depends on the tree alone, not on order of reading.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the command; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "fail if the file is out of date instead of writing it")
	root := flags.String("root", ".", "the module's `directory`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	found, err := scan(*root)
	if err != nil {
		fmt.Fprintf(stderr, "conformance: %v\n", err)
		return 1
	}
	name := filepath.Join(*root, "CONFORMANCE.md")
	mutants, err := readMutants(*root)
	if err != nil {
		fmt.Fprintf(stderr, "conformance: %v\n", err)
		return 1
	}
	text := render(found, mutants)
	if !*check {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			fmt.Fprintf(stderr, "conformance: %v\n", err)
			return 1
		}
		fmt.Fprintf(stdout, "%s: %d statements, %d tests\n", name, countIDs(found), len(found))
		return 0
	}
	if old, err := os.ReadFile(name); err != nil || !bytes.Equal(old, text) {
		fmt.Fprintf(stderr, "%s is out of date: run go run ./cmd/internal/conformance\n", name)
		return 1
	}
	return 0
}
