// Package export is the command that writes a recorded run in the form of another
// program.
package export

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
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
		Use:   "export RUN",
		Short: "write a recorded run in the form of another program",
		Long: `Writes a run as Claude Code lays out its sessions: SESSION.jsonl, and the sub-agents in SESSION/subagents. What reads such
sessions reads simulated ones then, and agentsim import gives the same bill again, call by call. Contents are in it
where the record has them; a run whose content is not recorded has figures alone. Virtual time begins on the
day of this program's newest prices, ` + cachemodel.Newest() + `. A file that is there is not replaced.`,
		Example: `  agentsim export 9c1e
  agentsim export 9c1e --format claude-jsonl --output sessions`,
		Args: ui.Exactly(1, "run"),
		RunE: func(_ *cobra.Command, args []string) error { return run(s, o, args[0]) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	ui.ChoiceFlag(f, &o.format, "format", "", "the form", "claude-jsonl")
	f.StringVarP(&o.to, "output", "o", "export", "the `directory` to write into, made when it is not there")
	return cmd
}

func run(s *ui.Env, o *options, prefix string) error {
	x, since, err := session(o, prefix)
	if err != nil {
		return err
	}
	files := exporter.ClaudeCode(x, since)
	if len(files) == 0 {
		return ui.Failf(ui.Operating, "run %s has no answered call: there is nothing to export", prefix)
	}
	if err := os.MkdirAll(o.to, 0o700); err != nil {
		return ui.Unusable("--output", o.to, err)
	}
	dir, err := hostdir.OpenDir(o.to)
	if err != nil {
		return ui.Unusable("--output", o.to, err)
	}
	defer dir.Close()
	for i := range files {
		if _, err := dir.Lstat(files[i].Name); !errors.Is(err, fs.ErrNotExist) {
			return ui.Failf(ui.Operating, "%s is there already: write into another directory with --output", filepath.Join(o.to, files[i].Name))
		}
	}
	for i := range files {
		var text bytes.Buffer
		if err := files[i].Write(&text); err != nil {
			return err
		}
		if err := dir.WritePrivate(files[i].Name, text.Bytes()); err != nil {
			return ui.Unusable("--output", path.Join(o.to, files[i].Name), err)
		}
	}
	s.Printf("%s: %s, %s\n", filepath.Join(o.to, files[0].Name), ui.Plural(len(files), "file"), ui.Plural(len(x.Requests), "call"))
	return nil
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
