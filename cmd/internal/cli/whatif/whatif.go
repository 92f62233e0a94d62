// Package whatif is the command that asks what a recorded session would have cost
// otherwise.
package whatif

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"agentsim/cmd/internal/loading"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/recording"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/recording/whatif"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options are the flags, as typed.
type options struct {
	db, output, structure, forks              string
	lifetime, model, factor, keepAlive, slack string
	q                                         whatif.Question
	question                                  *pflag.FlagSet // those of them that ask
	prices                                    loading.Prices
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "whatif RUN [question]",
		Short: "ask what a recorded session would have cost otherwise",
		Long: `Plays a recorded session (agentsim import) or a simulated run through the cache model twice, as recorded and with what is
asked changed, and prints both bills. The recorded bill and the model's reproduction of it come first. Savings are model
against model, never model against recorded bill. Without a question it lists the questions, and why this recording
cannot answer the others. RUN is the beginning of a run's id.

Threads are of these kinds: main, subagent, fork, compact (a fork that summarises its conversation).`,
		Example: `  agentsim whatif 9c1e
  agentsim whatif 9c1e --ttl 1h
  agentsim whatif 9c1e --ttl main=1h,subagent=5m --keep-alive 2h
  agentsim whatif 9c1e --model claude-opus-4-8 --token-factor 1.3
  agentsim whatif 9c1e --structure fork`,
		Args: ui.Exactly(1, "the beginning of a run's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(o.read(), o.prices.Read()); err != nil {
				return err
			}
			return run(s, o, args[0], cmd.Flags().Changed("slack"))
		},
	}
	o.flags(s, cmd)
	return cmd
}

func (o *options) flags(s *ui.Env, cmd *cobra.Command) {
	f := pflag.NewFlagSet("question", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringVar(&o.lifetime, "ttl", "", "`how long` cache entries live: 5m or 1h, for all or by kind of thread: main=1h,subagent=5m")
	f.BoolVar(&o.q.NoCache, "no-cache", false, "no prompt is cached")
	f.StringVar(&o.model, "model", "", "the Claude model that answers, by `id`, for all or by kind of thread")
	f.StringVar(&o.factor, "token-factor", "", "with --model: how many tokens the other tokenizer counts for each recorded one, such as 1.3")
	f.StringVar(&o.keepAlive, "keep-alive", "", "repeat an idle conversation's last prompt before it expires, for so `long` at most")
	f.BoolVar(&o.q.Stagger, "stagger", false, "siblings of one answer wait until the first one's response begins")
	f.StringVar(&o.structure, "structure", "", "who does the work of sub-agents and forks: inline, subagent, fork or coordinator; played through the whole simulator")
	f.StringVar(&o.forks, "forks", "", "with --structure fork: a `run` of forks on the same work, which tells how many calls they need and what they think (by default one that is in the database)")
	f.Int64Var(&o.q.Static, "static", 0, "a sub-agent's tools and system prompt in `tokens`, where the recording does not tell")
	o.question, f = f, cmd.Flags()
	f.SortFlags = false
	f.AddFlagSet(o.question)
	f.StringVar(&o.slack, "slack", loading.LogSlack, "how `long` after its TTL an entry can still be read, by the client's log; 0s for a simulated run")
	o.prices.Add(f)
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	ui.OutputFlag(f, &o.output)
}

// read takes the flags apart.
func (o *options) read() error {
	err := byKind("--ttl", o.lifetime, func(k int, value string) error {
		ttl, ok := map[string]llm.TTL{"5m": llm.TTL5m, "1h": llm.TTL1h}[value]
		if !ok {
			return ui.Failf(ui.Usage, "--ttl %s: write 5m or 1h", o.lifetime)
		}
		o.q.Lifetime[k] = whatif.Lifetime{Set: true, TTL: ttl}
		return nil
	})
	if err != nil {
		return err
	}
	err = byKind("--model", o.model, func(k int, value string) error {
		o.q.Model[k] = value
		return nil
	})
	if err != nil {
		return err
	}
	if o.factor != "" {
		if o.q.Factor, err = thousandths(o.factor); err != nil {
			return ui.Failf(ui.Usage, "--token-factor %s: write a number such as 1.3 or 0.77, with three decimals at most", o.factor)
		}
	}
	if o.keepAlive != "" {
		if o.q.KeepAlive, err = vtime.ParseDuration(o.keepAlive); err != nil || o.q.KeepAlive <= 0 {
			return ui.Failf(ui.Usage, "--keep-alive %s: write a duration above 0, such as 30m", o.keepAlive)
		}
	}
	return o.readStructure()
}

// byKind takes a value for all kinds of threads or values by kind apart.
func byKind(flag, text string, set func(kind int, value string) error) error {
	if text == "" {
		return nil
	}
	given := map[string]bool{}
	for _, part := range strings.Split(text, ",") {
		name, value, some := strings.Cut(part, "=")
		if !some {
			value = part
			if strings.Contains(text, ",") {
				return ui.Failf(ui.Usage, "%s %s: give one value for all threads, or values by kind: main=…,subagent=…", flag, text)
			}
		}
		found := false
		for k := range whatif.Kinds {
			kind := recording.ThreadKind(k).String()
			if some && kind != name {
				continue
			}
			if given[kind] {
				return ui.Failf(ui.Usage, "%s %s: %s is named twice", flag, text, kind)
			}
			given[kind], found = true, true
			if err := set(k, value); err != nil {
				return err
			}
		}
		if !found {
			return ui.Failf(ui.Usage, "%s %s: %q is no kind of thread; write main, subagent, fork or compact", flag, text, name)
		}
	}
	return nil
}

// thousandths reads a decimal number with up to three decimals.
func thousandths(text string) (int64, error) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > 3 || strings.Trim(whole+part, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(whole+part+"000"[len(part):], 10, 64)
}

func run(s *ui.Env, o *options, prefix string, slackGiven bool) error {
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	info, err := rundb.Find(db, prefix)
	if err != nil {
		return err
	}
	if err := rundb.NeedsAll(info); err != nil {
		return err
	}
	opt := whatif.Options{Tokenizer: func(model string) string { return tokens.Approx(model).Name() }}
	if info.Recorded() || slackGiven {
		if opt.Slack, err = vtime.ParseDuration(o.slack); err != nil || opt.Slack < 0 {
			return ui.Failf(ui.Usage, "--slack %s: write a duration, such as 8.5s", o.slack)
		}
	}
	session, err := db.Recording(info.ID)
	if err != nil {
		return err
	}
	if opt.Price, err = o.price(s, db, info, session); err != nil {
		return err
	}
	if err := toevents.Check(session); err != nil {
		return &sqlite.Error{Path: o.db, Doing: "make a session of run " + ui.Short(info.ID) + " (" + err.Error() + ")", Kind: sqlite.ErrDamaged}
	}
	d := &report.Document{}
	if err := rundb.Head(d, db, info); err != nil {
		return err
	}
	d.Field("question", report.Text(o.asked()).If(o.asked() != ""))
	if o.structure != "" {
		return o.restructure(s, db, d, info, session, opt)
	}
	if o.q == (whatif.Question{}) {
		offers(d, whatif.Offers(session, opt), "agentsim whatif "+ui.Short(info.ID), rundb.At(s, o.db))
		return s.Print(o.output, d)
	}
	a, err := whatif.Ask(session, &o.q, opt)
	if err != nil {
		return refused(info, err)
	}
	answer(d, o, a)
	return s.Print(o.output, d)
}

// price finds models at the prices that the flag names, else at those of the record, and
// where an older program's scenario cannot be read at those of the list, which is told.
func (o *options) price(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, x *recording.Session) (rundb.Pricing, error) {
	switch {
	case o.prices.Prices == nil:
		price, err := rundb.Prices(db, info)
		if errors.Is(err, rundb.ErrOutdated) {
			s.Tell("%v; priced by this program's list (--prices FILE takes others)", err)
			return rundb.PricesOr(db, info), nil
		}
		return price, err
	case info.Recorded() && len(x.Requests) > 0:
		return o.prices.Of(rundb.Day(int64(x.Requests[0].Start))), nil
	}
	return o.prices.Of(""), nil
}

// refused says why there is no answer, and where to look for what there is.
func refused(info sqlite.RunInfo, err error) error {
	var r *whatif.Refusal
	if errors.As(err, &r) {
		return ui.Failf(ui.Usage, "run %s: %w\nquestions that it can answer: agentsim whatif %s", ui.Short(info.ID), err, ui.Short(info.ID))
	}
	return err
}

// asked is the question as it was typed.
func (o *options) asked() string {
	var words []string
	o.question.VisitAll(func(f *pflag.Flag) {
		switch {
		case !f.Changed || f.Value.String() == "false":
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+" "+f.Value.String())
		}
	})
	return strings.Join(words, " ")
}
