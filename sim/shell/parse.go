package shell

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// parse reads a script and checks that this shell has all its syntax. Errors
// name line and column.
func parse(script string) (*syntax.File, error) {
	if err := prefilter(script); err != nil {
		return nil, err
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, fmt.Errorf("syntax error: %w", err)
	}
	return file, check(file)
}

// prefilter refuses what would cost the parser, which recurses, too much.
func prefilter(script string) error {
	switch {
	case len(script) > maxScript:
		return fmt.Errorf("the command has %d bytes: at most %d are run; write a long text with Write", len(script), maxScript)
	case !utf8.ValidString(script) || strings.IndexByte(script, 0) >= 0:
		return errors.New("the command is not UTF-8 text")
	case nesting(script) > maxNesting || keywords(script) > maxKeywords:
		return errors.New("the command is nested too deep: split it")
	}
	return nil
}

// nesting is how many brackets are open at most, wherever they stand.
func nesting(s string) (deepest int) {
	open, signs := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open = max(0, open-1)
		}
		switch s[i] {
		case '-', '+', '!', '~', '?', '=', '*', ' ', '\n': // a run of prefix operators nests too
			if s[i] != ' ' && s[i] != '\n' {
				signs++
			}
		default:
			signs = 0
		}
		// A line of dashes in a text is no nesting that matters to a parser
		// outside arithmetic, which needs brackets.
		if open > 0 {
			deepest = max(deepest, open+signs/8)
		}
	}
	return deepest
}

// keywords counts the words that open a compound command.
func keywords(s string) (n int) {
	for _, w := range strings.Fields(s) {
		switch w {
		case "if", "elif", "while", "until", "for", "case", "select", "time", "coproc", "function":
			n++
		}
	}
	return n + strings.Count(s, "()")
}

// check walks the tree and refuses what this shell does not have.
func check(file *syntax.File) (err error) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if err != nil || n == nil {
			return false
		}
		if what := missing(n); what != "" {
			err = fmt.Errorf("%s: %s not available in this shell", n.Pos(), what)
		}
		return err == nil
	})
	return err
}

// missing says what of a node this shell does not have, "" for nothing.
func missing(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.Stmt:
		if n.Background || n.Coprocess || n.Disown {
			return "background jobs (&) are"
		}
	case *syntax.FuncDecl:
		return "functions are"
	case *syntax.ProcSubst:
		return "process substitution is"
	case *syntax.ExtGlob:
		return "extended patterns are"
	case *syntax.ArrayExpr:
		return "arrays are"
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.LetClause:
		return "arithmetic is"
	case *syntax.TestClause:
		return "[[ ]] is"
	case *syntax.CaseClause:
		return "case is"
	case *syntax.DeclClause:
		return n.Variant.Value + " is"
	case *syntax.CoprocClause, *syntax.TimeClause, *syntax.TestDecl:
		return "this command is"
	case *syntax.ForClause:
		if n.Select {
			return "select is"
		}
	case *syntax.Assign:
		if n.Index != nil {
			return "arrays are"
		}
	case *syntax.Redirect:
		return missingRedirect(n)
	case *syntax.ParamExp:
		if n.Excl || n.Length || n.Names != 0 || n.Index != nil || n.Slice != nil || n.Repl != nil || n.Exp != nil {
			return "this expansion is"
		}
	}
	return ""
}

func missingRedirect(r *syntax.Redirect) string {
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.DplOut:
		if n != "" && n != "1" && n != "2" {
			return "a redirection of " + n + " is"
		}
		if w := r.Word.Lit(); r.Op == syntax.DplOut && w != "1" && w != "2" {
			return "this redirection is"
		}
		return ""
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if n == "" || n == "0" {
			return ""
		}
	case syntax.RdrAll, syntax.AppAll:
		return ""
	}
	return "this redirection is"
}
