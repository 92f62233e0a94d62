package loading

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/transcript/sqlite"
)

// Recordings reads the recorded sessions in files and directories, with what their
// sub-agents did, and shows how far it is.
func Recordings(s *ui.Env, paths []string, opt importer.Options, take func(x *recording.Session) error) (*importer.Report, error) {
	bar := ui.NewProgress(s, "reading", "", 0)
	defer bar.Finish()
	opt.Progress = bar.Tell
	read, err := importer.Read(hostdir.Machine{}, withSubagents(paths), opt, take)
	return read, ImportError(err)
}

// NoSession says that there is no recorded session in what was named.
func NoSession(args []string) error {
	return ui.Failf(ui.Operating, "%s: no recorded session in a known format; agentsim import --help lists the formats", ui.QuoteAll(args))
}

// withSubagents adds to session files what their sub-agents did, which clients put
// into SESSION/subagents beside SESSION.jsonl.
func withSubagents(paths []string) []string {
	all := slices.Clone(paths)
	for _, p := range paths {
		if session, ok := strings.CutSuffix(p, ".jsonl"); ok {
			dir := filepath.Join(session, "subagents")
			if info, err := os.Lstat(dir); err == nil && info.IsDir() {
				all = append(all, dir)
			}
		}
	}
	return all
}

// ImportError gives a file that cannot be read its class; errors of the database
// and bugs keep theirs.
func ImportError(err error) error {
	var database *sqlite.Error
	var digest *sqlite.DigestError
	if err == nil || errors.As(err, &database) || errors.As(err, &digest) {
		return err
	}
	return ui.Fail(ui.Operating, err)
}

// RootOf is the argument that a session was found under, the directory where its file
// is named too: sessions that name no repository belong to one account with those
// beside them.
func RootOf(s *recording.Session, paths []string) string {
	best := ""
	for _, p := range paths {
		root := filepath.Clean(p)
		if in := s.Files[0].Name; (in == root || strings.HasPrefix(in, root+string(filepath.Separator)) || root == ".") && (best == "" || len(root) < len(best)) {
			best = root
		}
	}
	return best
}

// OnlyNames leaves out the directories of what was skipped.
func OnlyNames(list []recording.Skip) {
	for i := range list {
		if list[i].File != "" {
			list[i].File = filepath.Base(list[i].File)
		}
	}
}

// TellSkipped says what of recordings was skipped and what was taken for what, with its
// first place.
func TellSkipped(d *report.Document, skips []recording.Skip) {
	var skipped, taken []string
	for i := range skips {
		if skips[i].Taken {
			taken = append(taken, skipLine(&skips[i]))
		} else {
			skipped = append(skipped, skipLine(&skips[i]))
		}
	}
	d.Label("skipped", skipped...)
	d.Label("read as", taken...)
	d.Table(SkippedTable(skips))
}

// skipLine says of what was skipped how often, what and where first.
func skipLine(k *recording.Skip) string {
	line := fmt.Sprintf("%s × %s", ui.Count(k.Count), k.What)
	if k.File != "" {
		line += ", first at " + k.File
	}
	if k.Line > 0 {
		line += fmt.Sprintf(":%d", k.Line)
	}
	return line
}

// SkippedTable is what was skipped, for machines.
func SkippedTable(skips []recording.Skip) *report.Sheet {
	type col = report.Column[recording.Skip]
	return report.TableOf("skipped", skips,
		col{Name: "what", Of: func(k recording.Skip) report.Value { return report.Text(k.What) }},
		col{Name: "count", Of: func(k recording.Skip) report.Value { return report.Count(k.Count) }},
		col{Name: "taken", Of: func(k recording.Skip) report.Value { return report.Bool(k.Taken) }},
		col{Name: "file", Of: func(k recording.Skip) report.Value { return report.Text(k.File) }},
		col{Name: "line", Of: func(k recording.Skip) report.Value { return report.Count(k.Line).If(k.Line > 0) }})
}
