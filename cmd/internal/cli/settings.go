package cli

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios/document"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// settingsText is how a file of settings begins, behind its comments: a scenario may have
// its name, too.
var settingsText = regexp.MustCompile(`\A(?:#[^\n]*\n|\s*\n)*settings: 1\s`)

var settingsLimits = &document.Limits{Of: "settings", Bytes: 64 << 10, Tokens: 10_000, Depth: 4, Keys: 100, Empty: "settings begin with settings: 1"}

// settable are the flags that a file of settings may hold. It may be somebody else's, with
// a repository: it does not choose what is written, accepted, stored or served.
var settable = []string{"baseline", "color", "columns", "db", "guard", "profile", "quiet", "seeds", "strict", "threshold", "workers"}

// settings gives a command the flags that a file of settings has for it and neither the
// command line nor the environment, and says on stderr which these are. The file is agentsim.yaml, beside
// the scenarios that are named, else in the current directory.
func settings(s *ui.Env, cmd *cobra.Command, args []string) error {
	for _, arg := range slices.Concat(args, []string{""}) {
		dir := "."
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			dir = arg
		} else if loading.LooksLikePath(arg) {
			dir = filepath.Dir(arg)
		}
		name := filepath.ToSlash(filepath.Join(dir, loading.SettingsFile))
		text, err := hostdir.Text(name, int64(settingsLimits.Bytes))
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && !settingsText.Match(text):
			continue
		case err != nil:
			return ui.Failf(ui.Operating, "%s: %w", name, hostdir.Plain(err))
		}
		return apply(s, cmd, name, string(text))
	}
	return nil
}

// apply sets the flags of a command from a file.
func apply(s *ui.Env, cmd *cobra.Command, name, text string) error {
	root, bad := settingsLimits.Parse(document.NewSource(name, text), text)
	if bad != nil {
		return ui.Fail(ui.Usage, bad)
	}
	var errs document.Problems
	var told []string
	quiet := s.Quiet // as the command line has it: a file cannot hide itself
	for _, p := range root.Pairs {
		of := cmd
		if p.Key != "all" && p.Key != "settings" {
			found, rest, err := cmd.Root().Find(strings.Fields(p.Key))
			if of = found; err != nil || len(rest) > 0 || of == cmd.Root() {
				errs.Add(p.Pos, "all, or a command such as bench", "no command is called %q", p.Key)
				continue
			}
			if withoutLab(of) == withoutLab(cmd) {
				of = cmd
			}
		}
		for _, x := range p.Val.Pairs {
			f := of.Flag(x.Key)
			switch {
			case !slices.Contains(settable, x.Key) && someHas(cmd.Root(), x.Key):
				errs.Add(x.Pos, "one of "+strings.Join(settable, ", "), "--%s is for the command line alone", x.Key)
			case f == nil && p.Key == "all" && someHas(cmd.Root(), x.Key):
			case f == nil:
				errs.Add(x.Pos, "agentsim COMMAND --help lists those of a command", "there is no flag --%s of %s", x.Key, p.Key)
			case of == cmd && !f.Changed && (x.Key != "db" || s.Getenv(rundb.Variable) == ""):
				told = append(told, set(f, x, path.Dir(name), &errs)...)
			}
		}
		if p.Key != "settings" && p.Val.Kind != document.Map {
			errs.Add(p.Val.Pos, "such as {seeds: 3}", "%s must be a mapping of flags to values, not %s", p.Key, p.Val.Kind)
		}
	}
	if err := errs.Err(); err != nil {
		return ui.Fail(ui.Usage, err)
	}
	if len(told) > 0 && !quiet {
		s.Tell("%s: %s", name, strings.Join(told, " "))
	}
	return nil
}

// withoutLab is how a command is written where lab may be left out.
func withoutLab(cmd *cobra.Command) string {
	return strings.Replace(cmd.CommandPath(), " lab ", " ", 1)
}

// someHas reports whether a command or one below it has a flag.
func someHas(cmd *cobra.Command, flag string) bool {
	return cmd.Flag(flag) != nil || slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool { return someHas(c, flag) })
}

// set gives a flag its values, and says them as the command line would. A file lies in the
// directory of the settings or below it.
func set(f *pflag.Flag, x document.Pair, dir string, errs *document.Problems) (told []string) {
	values := []*document.Node{x.Val}
	if x.Val.Kind == document.List {
		values = x.Val.Items
	}
	for _, v := range values {
		if v.Kind == document.Map || v.Kind == document.List || v.Kind == document.Null {
			errs.Add(v.Pos, "a value as the command line takes it, or a list of such", "%s must be a value, not %s", x.Key, v.Kind)
			continue
		}
		value := v.Text
		if kind, _ := pflag.UnquoteUsage(f); kind == "file" {
			if value = path.Join(dir, value); !filepath.IsLocal(v.Text) {
				errs.Add(v.Pos, "a path below "+dir, "--%s %s: a file of settings names none outside its own directory", x.Key, v.Text)
				continue
			}
		}
		if err := f.Value.Set(value); err != nil {
			errs.Add(v.Pos, "", "--%s %s: %v", x.Key, v.Text, err)
			continue
		}
		f.Changed = true
		told = append(told, "--"+x.Key+"="+ui.Quote(value))
	}
	return told
}
