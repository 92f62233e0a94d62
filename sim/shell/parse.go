package shell

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"agentsim/sim/workspace"
)

// parse reads a script and checks that this shell has all its syntax. Errors
// name line and column.
func parse(script string) (*syntax.File, error) {
	switch {
	case len(script) > maxScript:
		return nil, fmt.Errorf("the command has %d bytes: at most %d are run; write a long text with Write", len(script), maxScript)
	case !utf8.ValidString(script) || strings.IndexByte(script, 0) >= 0:
		return nil, errors.New("the command is not UTF-8 text")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, fmt.Errorf("syntax error: %w", err)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil || err != nil || available(n, script) {
			return err == nil
		}
		what, _, _ := strings.Cut(source(n, script), "\n")
		err = &lack{n.Pos().String(), brief(what)}
		return false
	})
	return file, err
}

// lack is syntax that this shell has not got.
type lack struct{ at, what string }

func (l *lack) Error() string { return l.at + ": not available in this shell: " + l.what }

// source is a node as it is written.
func source(n syntax.Node, script string) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if to > uint(len(script)) || from > to {
		return ""
	}
	return script[from:to]
}

// available reports whether this shell has what a node says.
func available(n syntax.Node, script string) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		return !n.Background && !n.Coprocess && !n.Disown
	case *syntax.BinaryCmd:
		return n.Op != syntax.PipeAll
	case *syntax.ForClause:
		_, words := n.Loop.(*syntax.WordIter)
		return words && !n.Select
	case *syntax.Assign:
		return n.Name != nil && !n.Append && n.Index == nil && n.Array == nil
	case *syntax.ParamExp: // nothing beyond $x and ${x}
		return n.Param != nil && strings.Trim(source(n, script), "${}") == n.Param.Value
	case *syntax.Redirect:
		return redirects(n)
	case *syntax.File, *syntax.CallExpr, *syntax.Block, *syntax.Subshell, *syntax.WordIter, *syntax.Comment,
		*syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.CmdSubst, *syntax.BraceExp:
		return true
	}
	return false
}

// redirects reports whether this shell has a redirection: of input, and of output
// and errors into files and each other.
func redirects(r *syntax.Redirect) bool {
	from, to := "", r.Word.Lit()
	if r.N != nil {
		from = r.N.Value
	}
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc:
		return from == ""
	case syntax.RdrOut, syntax.AppOut:
		return from == "" || from == "1" || from == "2"
	case syntax.DplOut:
		return (from == "" || from == "1" || from == "2") && (to == "1" || to == "2")
	}
	return false
}

// Commands lists the simple commands of a script as they are written, wherever
// they stand in it, in order; a redirection that may write is one of its own. A
// script that cannot be parsed is one command.
func Commands(script string) []string {
	var out []string
	file, err := parse(script)
	if err != nil {
		return []string{script}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			out = append(out, source(n, script))
		case *syntax.Redirect:
			if !redirectReads(n) {
				out = append(out, source(n, script))
			}
		}
		return true
	})
	if out == nil {
		return []string{script}
	}
	return out
}

// Temporary reports whether a command, as Commands lists it, is a redirection into one
// file below TempDir that is named as it is.
func Temporary(command string) bool {
	file, err := parse(command)
	if err != nil || len(file.Stmts) != 1 || file.Stmts[0].Cmd != nil || len(file.Stmts[0].Redirs) != 1 {
		return false
	}
	to := file.Stmts[0].Redirs[0].Word.Lit()
	rel, ok := workspace.Within(TempDir, path.Clean(to))
	return ok && rel != "" && !strings.ContainsAny(to, `{*?[\\`)
}

// ReadOnly reports whether nothing in the script can change a file or run the
// project's code: every command is one of this shell that only looks, by its name
// as it is written, and no redirection writes but into nothing.
func ReadOnly(script string) bool {
	file, err := parse(script)
	if err != nil {
		return false
	}
	reads, known := true, commands()
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			reads = reads && (len(n.Args) == 0 || known[n.Args[0].Lit()].reads || gitReads(n.Args))
		case *syntax.Redirect:
			reads = reads && redirectReads(n)
		}
		return reads
	})
	return reads
}

// gitReads reports whether a command is one of git that only looks.
func gitReads(args []*syntax.Word) bool {
	if len(args) < 2 || args[0].Lit() != "git" {
		return false
	}
	return gitCommands()[args[1].Lit()].reads
}

func redirectReads(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DplOut:
		return true
	}
	return r.Word.Lit() == nullDevice
}
