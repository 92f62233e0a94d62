// Package export is the command that writes recorded runs in the form of another
// program.
package export

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/cli/report"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/page"
	"agentsim/metrics/perfetto"
	"agentsim/sim/recording"
	"agentsim/sim/recording/exporter"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"

	"github.com/spf13/cobra"
)

// options are the flags.
type options struct{ db, format, to string }

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "export RUN…",
		Short: "write recorded runs in the form of another program",
		Long: `claude-jsonl writes a run as Claude Code lays out its sessions: SESSION.jsonl, and the sub-agents in SESSION/subagents. What reads such
sessions reads simulated ones then, and agentsim import gives the same bill again, call by call. Contents are in it
where the record has them; a run whose content is not recorded has figures alone. Virtual time begins on the
day of this program's newest prices, ` + cachemodel.Newest() + `.

perfetto writes runs into one trace that ui.perfetto.dev opens: a process for each run, a track for each agent with its
calls, waits and tools, the tokens of prompts and the bill as counters, and arrows from a start to the child, from who wrote
a cache entry to who read it, and from a message's sender to its receiver. No content is in it.

A file that is there is not replaced.`,
		Example: `  agentsim export 9c1e
  agentsim export 9c1e --format claude-jsonl --output sessions
  agentsim export 9c1e --format perfetto`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return run(s, o, args) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	ui.ChoiceFlag(f, &o.format, "format", "", "the form", "claude-jsonl", "perfetto")
	f.StringVarP(&o.to, "output", "o", "export", "the `directory` to write into, made when it is not there")
	return cmd
}

func run(s *ui.Env, o *options, prefixes []string) error {
	forms := map[string]func(*options, []string) ([]file, string, error){"claude-jsonl": sessionFiles, "perfetto": trace}
	files, of, err := forms[o.format](o, prefixes)
	if err != nil {
		return err
	}
	if err := errors.Join(hostdir.Linked(o.to), os.MkdirAll(o.to, 0o700)); err != nil {
		return ui.Unusable("--output", o.to, err)
	}
	dir, err := hostdir.OpenDir(o.to)
	if err != nil {
		return ui.Unusable("--output", o.to, err)
	}
	defer dir.Close()
	for i := range files {
		if _, err := dir.Lstat(files[i].name); !errors.Is(err, fs.ErrNotExist) {
			return ui.Failf(ui.Operating, "%s is there already: write into another directory with --output", filepath.Join(o.to, files[i].name))
		}
	}
	for i := range files {
		var text bytes.Buffer
		if err := files[i].write(&text); err != nil {
			return err
		}
		if err := dir.WritePrivate(files[i].name, text.Bytes()); err != nil {
			return ui.Unusable("--output", path.Join(o.to, files[i].name), err)
		}
	}
	s.Printf("%s: %s, %s\n", filepath.Join(o.to, files[0].name), ui.Plural(len(files), "file"), of)
	return nil
}

// file is one to write, by its name below the directory.
type file struct {
	name  string
	write func(io.Writer) error
}

// sessionFiles are the files of a client's session, and how much is in them.
func sessionFiles(o *options, prefixes []string) (out []file, of string, err error) {
	if len(prefixes) > 1 {
		return nil, "", ui.Failf(ui.Usage, "--format %s writes one run, not %d: each is a session of its own", o.format, len(prefixes))
	}
	x, since, err := session(o, prefixes[0])
	if err != nil {
		return nil, "", err
	}
	files := exporter.ClaudeCode(x, since)
	if len(files) == 0 {
		return nil, "", nothing(prefixes[0])
	}
	for i := range files {
		out = append(out, file{files[i].Name, files[i].Write})
	}
	return out, ui.Plural(len(x.Requests), "call"), nil
}

func nothing(prefix string) error {
	return ui.Failf(ui.Operating, "run %s has no answered call: there is nothing to export", prefix)
}

// trace is a trace of all the runs.
func trace(o *options, prefixes []string) ([]file, string, error) {
	db, err := rundb.Open(o.db)
	if err != nil {
		return nil, "", err
	}
	defer db.Close()
	var runs []*page.Run
	calls := 0
	for _, prefix := range prefixes {
		info, err := rundb.Find(db, prefix)
		if err != nil {
			return nil, "", err
		}
		if err := rundb.NeedsAll(info); err != nil {
			return nil, "", err
		}
		r, err := report.Page(db, info)
		if err != nil {
			return nil, "", err
		}
		if len(r.Calls) == 0 {
			return nil, "", nothing(prefix)
		}
		runs, calls = append(runs, r), calls+len(r.Calls)
	}
	name := ui.Short(runs[0].ID) + ".pftrace"
	return []file{{name, func(w io.Writer) error { return perfetto.Write(w, runs) }}}, ui.Plural(calls, "call"), nil
}

// session is a run as a session with what was said in it, and by how much its time is
// moved.
func session(o *options, prefix string) (*recording.Session, vtime.Duration, error) {
	db, err := rundb.Open(o.db)
	if err != nil {
		return nil, 0, err
	}
	defer db.Close()
	info, err := rundb.Find(db, prefix)
	if err != nil {
		return nil, 0, err
	}
	if err := rundb.NeedsAll(info); err != nil {
		return nil, 0, err
	}
	x, err := loading.Session(db, info)
	if err != nil || !info.Recorded() {
		day, _ := vtime.ParseInstant(cachemodel.Newest() + "T00:00:00Z")
		return x, vtime.Duration(day), err
	}
	return x, 0, said(db, info, x)
}

// said gives a recorded session what the record holds of its content.
func said(db *sqlite.DB, info sqlite.RunInfo, x *recording.Session) error {
	if err := loading.Said(db, info, x); err != nil {
		return err
	}
	for i := range x.Requests {
		if r := &x.Requests[i]; len(r.Said) == 1 && len(r.Said[0].Blocks) == 0 {
			r.Said = nil
		}
	}
	return nil
}
