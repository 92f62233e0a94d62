package scenario

import (
	"fmt"
	"io"
	"path/filepath"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim/recording"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/recording/toscenario"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"

	"github.com/spf13/cobra"
)

// fromOptions are the flags of from.
type fromOptions struct {
	db, file, slack string
	content         bool
}

func newFrom(s *ui.Env) *cobra.Command {
	o := &fromOptions{}
	cmd := &cobra.Command{
		Use:   "from RUN -o FILE",
		Short: "write a recorded session as a scenario, call by call",
		Long: `Writes a scenario that plays a recorded session (agentsim import) or a simulated run through the simulator: instants, sizes
and tool uses of each call, what was warm from elsewhere, requests of the client that the recording leaves out, and cache
misses that nothing in it explains. Its variant untold, where there are such misses, leaves them to the cache model.

The file holds figures, and names of tools and of the client's own types of agents. --with-content adds what was said, of a
session that was imported with its content.`,
		Example: `  agentsim import --db runs.db testdata/validation/session.jsonl
  agentsim scenario from 9c1e -o session.yaml
  agentsim run session.yaml`,
		Args: ui.Exactly(1, "the beginning of a run's id"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.from(s, args[0], cmd.Flags().Changed("slack")) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "output", "o", "", "the `file` to write")
	f.BoolVar(&o.content, "with-content", false, "also write what was said, with tool inputs and results")
	f.StringVar(&o.slack, "slack", loading.LogSlack, "how `long` after its TTL an entry can still be read, by the client's log; 0s for a simulated run")
	rundb.Flag(s, f, &o.db, "the `file` in which the run is looked up")
	return cmd
}

func (o *fromOptions) from(s *ui.Env, prefix string, slackGiven bool) error {
	if ext := filepath.Ext(o.file); ext != ".yaml" && ext != ".yml" {
		return ui.Failf(ui.Usage, "-o %s: name a file that ends in .yaml to write the scenario to", o.file)
	}
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	info, session, err := o.session(db, prefix)
	if err != nil {
		return err
	}
	opt := toscenario.Options{Content: o.content}
	if info.Recorded() || slackGiven {
		if opt.Slack, err = vtime.ParseDuration(o.slack); err != nil || opt.Slack < 0 {
			return ui.Failf(ui.Usage, "--slack %s: write a duration, such as 8.5s", o.slack)
		}
	}
	told, err := toscenario.Of(session, opt)
	if err != nil {
		return ui.Failf(ui.Usage, "run %s: %w", ui.Short(info.ID), err)
	}
	text := told.Text("recorded-"+ui.Short(info.ID), source(info, session), opt.Slack)
	if _, err := scenarios.Parse(o.file, text); err != nil {
		return ui.Failf(ui.Usage, "run %s makes no scenario: %w", ui.Short(info.ID), err)
	}
	if err := ui.Replace(o.file, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return ui.Failf(ui.Operating, "%s: cannot write the scenario: %w", o.file, err)
	}
	s.Printf("%s is written: %s of %s; try: agentsim run %s\n", o.file, ui.Plural(len(session.Requests), "call"), ui.Plural(len(told.Threads), "thread"), ui.Quote(o.file))
	return nil
}

// session is the recorded session of a run, with what was said where that is asked for.
func (o *fromOptions) session(db *sqlite.DB, prefix string) (sqlite.RunInfo, *recording.Session, error) {
	info, err := rundb.Find(db, prefix)
	if err == nil {
		err = rundb.NeedsAll(info)
	}
	if err == nil && o.content {
		if why := rundb.WithoutContent(info); why != "" {
			err = ui.Failf(ui.Usage, "--with-content: %s", why)
		}
	}
	if err != nil {
		return info, nil, err
	}
	session, err := db.Recording(info.ID)
	if err != nil {
		return info, nil, err
	}
	if err := toevents.Check(session); err != nil {
		return info, nil, &sqlite.Error{Path: o.db, Doing: "make a session of run " + ui.Short(info.ID) + " (" + err.Error() + ")", Kind: sqlite.ErrDamaged}
	}
	if o.content {
		err = loading.Said(db, info, session)
	}
	return info, session, err
}

// source says where a scenario comes from, and what the recording was billed.
func source(info sqlite.RunInfo, x *recording.Session) string {
	u := x.Usage()
	text := "run " + ui.Short(info.ID)
	if info.Recorded() && len(x.Requests) > 0 {
		text += ", recorded on " + rundb.Day(int64(x.Requests[0].Start))
	}
	return fmt.Sprintf("%s; it was billed for %d tokens read, %d written for 5m and %d for 1h, %d uncached and %d of output", text, u.Read, u.Write5m, u.Write1h, u.Input, u.Output)
}
