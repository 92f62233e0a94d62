package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/heads"
	"agentsim/metrics/report"
	"agentsim/sim/client"
	"agentsim/sim/definition"
)

// document is what the command answers.
func (c *check) document() *report.Document {
	d := &report.Document{}
	d.Heading("check", "%s", c.title())
	d.Summary("agentsim check: " + c.verdict() + "\n\n" + report.MarkdownText(c.title()))
	d.Main("parts")
	d.Field("client", report.Text(c.Client))
	d.Field("verdict", report.Text(c.verdict()))
	d.Table(c.changes(c.report.Changes).Hidden())
	if d.Table(c.changes(servers(c.report.Changes)).Shown()); len(c.report.Changes) > 0 {
		d.Say("")
	}
	if head := c.head(); head != nil {
		d.Label("head", head...)
		d.Say("")
	}
	d.Table(c.agents())
	d.Say("")
	d.Table(c.shown())
	d.Say("")
	d.Table(c.parts().Hidden())
	d.Table(loading.ProblemTable(c.Problems).Hidden())
	c.notes(d)
	return d
}

func (c *check) title() string {
	price := "prices unknown"
	if len(c.Prices) > 0 {
		p, _ := c.price(c.Prices[0].Model) // it is there
		price = c.o.prices.Words(p)
	}
	return fmt.Sprintf("%s · %s · %s at %s · %s", c.o.dir, c.Client, c.Agents[0].Model, price, ui.Plural(len(c.Agents), "agent type"))
}

// verdict is what came out, in the words of a title.
func (c *check) verdict() string {
	if c.base == nil {
		return "no baseline"
	}
	var parts []string
	for _, v := range []struct {
		what string
		of   func(g heads.Growth) bool
	}{
		{"grew over " + c.o.threshold, func(g heads.Growth) bool { return g.Missed && !g.Assumed }},
		{"grew over " + c.o.threshold + " (assumed)", func(g heads.Growth) bool { return g.Assumed }},
		{"reordered", func(g heads.Growth) bool { return g.Reordered }},
		{"on a model dearer by over " + c.o.threshold, func(g heads.Growth) bool { return g.Dearer }},
		{"with a TTL dearer by over " + c.o.threshold, func(g heads.Growth) bool { return g.Longer }},
		{"a part no longer loads", func(g heads.Growth) bool { return g.Lost }},
		{"new text is not loaded", func(g heads.Growth) bool { return g.Unread }},
	} {
		var names []string
		for _, g := range c.report.Agents {
			if v.of(g) {
				names = append(names, g.Agent)
			}
		}
		if names != nil {
			parts = append(parts, v.what+": "+report.Some(names))
		}
	}
	switch {
	case parts != nil:
	case c.less() > 0:
		parts = append(parts, "shrank by "+ui.Count(c.less())+" tok")
	case len(c.report.Changes) > 0:
		parts = append(parts, "changed, within "+c.o.threshold)
	default:
		parts = append(parts, "nothing changed")
	}
	if n := len(texts(c.Problems, false)); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not loaded", n))
	}
	return strings.Join(parts, " · ")
}

// less is by how many tokens the repository's changes together make parts smaller.
func (c *check) less() (n int64) {
	for _, x := range c.report.Changes {
		if x.What != heads.Reordered && !x.Priced() && !x.Theirs {
			n -= x.Tokens
		}
	}
	return n
}

// notes are the last lines.
func (c *check) notes(d *report.Document) {
	d.Label("again", c.again(""))
	d.Label("not loaded", texts(c.Problems, false)...)
	d.Label("problem", texts(c.Problems, true)...)
	d.Label("not sent", c.Found.Aside...)
	d.Label("session", c.session)
	d.Label("assumed", c.assumed()...)
	rows := slices.DeleteFunc(slices.Clone(c.Found.Layout.Rows), func(r client.Row) bool {
		return r.Kind == client.Tool && c.o.head != "" || !slices.ContainsFunc(c.Parts, func(p *heads.Part) bool { return p.Kind == r.Kind })
	})
	d.Label("unverified", loading.NotVerified(rows, c.Found.Parts)...)
	if c.o.home == "" {
		d.Label("left out", "the user's own .claude: --home ~ takes it in")
	}
	if c.base != nil {
		d.Label("cause", c.causes()...)
	}
	d.Label("verdict", c.verdict())
	if c.base == nil || len(c.report.Changes) > 0 {
		d.Label("accept", c.updating())
	}
}

// texts are the problems of files that were read in part, or of those that were not.
func texts(problems []*definition.Problem, warning bool) (out []string) {
	for _, p := range problems {
		if p.Warning == warning {
			out = append(out, p.String())
		}
	}
	return out
}

// head says in front of the tables how small the client's own is here, and what is billed
// where it is as large as recorded; nothing where the client's own is given.
func (c *check) head() []string {
	client := int64(0)
	for _, i := range c.Agents[0].Parts {
		if p := c.Parts[i]; p.Assumed && !p.Own() {
			client += p.Tokens
		}
	}
	if c.o.head != "" {
		return nil
	}
	return slices.Concat([]string{
		fmt.Sprintf("the client's own system prompt, tools and types, %s tok of main's, are this program's (tiny), in place of those of %s", ui.Count(client), c.Client),
	}, c.recorded, []string{"what your repository puts there does not rest on it; --heads FILE takes a request of your client"})
}

// assumed is what the figures rest on and nothing here says.
func (c *check) assumed() []string {
	out := []string{
		fmt.Sprintf("a day is %s; each type of sub-agent, forks too, is started as often as the others", ui.Things(c.o.day.Sessions, "session")),
		"a turn of a part or a change is one of each agent that has it",
		"a fork reads what its lead wrote; one that begins cold, after the lead's entry expired, writes it as main does to begin",
	}
	if c.o.head != "" {
		out = append(out, strings.Join(c.Head, "; "))
	}
	return slices.Concat(out, []string{"tokens counted by " + c.Counter + ", each part by itself"}, c.Models, c.Found.Assumed)
}

// causes say whose changes there are.
func (c *check) causes() (out []string) {
	yours, given := 0, 0
	changes := servers(c.report.Changes)
	for _, x := range changes {
		switch {
		case x.Given:
			given++
		case !x.Theirs:
			yours++
		}
	}
	if yours > 0 {
		out = append(out, "yours: "+ui.Plural(yours, "change")+" of what the repository puts there")
	}
	if given > 0 {
		out = append(out, fmt.Sprintf("the request's: %s of the client's own prompt and tools: %s", ui.Plural(given, "change"), c.report.Request))
	}
	tool := c.report.Tool
	if theirs := len(changes) - yours - given; theirs > 0 {
		tool = append([]string{ui.Plural(theirs, "change") + " of what the client puts there, or where"}, tool...)
	}
	if tool != nil {
		out = append(out, "the tool's: "+strings.Join(tool, "; "))
	}
	if c.base.Semantics != c.Semantics {
		out = append(out, fmt.Sprintf("the tool's: semantics %d, the baseline's %d", c.Semantics, c.base.Semantics))
	}
	if c.report.Prices != nil {
		main := c.Agents[0]
		all, _ := c.Tokens(main)
		was, is := main.Cost(c.base.Prices, all, c.o.day), main.Cost(c.Prices, all, c.o.day)
		out = append(out, fmt.Sprintf("the prices': %s: a turn of main %s → %s, a day %s → %s", strings.Join(c.report.Prices, "; "),
			report.Dollars(was.Turn), report.Dollars(is.Turn), report.Dollars(was.Day), report.Dollars(is.Day)))
	}
	return out
}

// again says from where on the head of an agent, or the one of which it is most, is
// not what the cache holds, and what writing it once more costs. A fork writes none.
func (c *check) again(name string) string {
	var most heads.Growth
	for _, g := range c.report.Agents {
		if g.Again > most.Again && g.Agent != heads.Fork && (name == "" || g.Agent == name) {
			most = g
		}
	}
	if most.Again == 0 {
		return ""
	}
	from := "from " + most.From + " on, "
	if most.From == "" {
		from = "on another model all "
	}
	a := c.Agents[slices.IndexFunc(c.Agents, func(a *heads.Agent) bool { return a.Name == most.Agent })]
	return fmt.Sprintf("%s%s tokens of %s no longer match what the cache holds: the first session that begins with them writes them once more, %s",
		from, ui.Count(most.Again), most.Agent, small(a.Cost(c.Prices, most.Again, c.o.day).Begin))
}

// agents is a line for each type of agent.
func (c *check) agents() *report.Sheet {
	type col = report.Column[*heads.Agent]
	cost := func(a *heads.Agent) heads.Cost {
		all, _ := c.Tokens(a)
		return a.Cost(c.Prices, all, c.o.day)
	}
	own := func(a *heads.Agent) int64 { _, own := c.Tokens(a); return own }
	columns := []col{
		{Name: "agent", Head: "AGENT", Of: func(a *heads.Agent) report.Value { return report.Text(a.Name) }},
		{Name: "from", Head: "FROM", Drop: 3, Of: func(a *heads.Agent) report.Value { return report.Text(a.From).OrBlank(a.From != "") }},
		{Name: "model", Head: "MODEL", Drop: 4, Of: func(a *heads.Agent) report.Value { return report.Text(a.Model) }},
		{Name: "tokens", Head: " TOKENS", Of: func(a *heads.Agent) report.Value { all, _ := c.Tokens(a); return report.Count(all) }},
		{Name: "tokens_yours", Head: " YOURS", Of: func(a *heads.Agent) report.Value { return report.Count(own(a)) }},
	}
	if c.base != nil {
		columns = append(columns,
			col{Name: "tokens_yours_before", Head: " BEFORE", Of: func(a *heads.Agent) report.Value {
				return report.Count(c.growth(a).Was).If(!c.growth(a).New)
			}},
			col{Name: "verdict", Head: "VERDICT", Of: func(a *heads.Agent) report.Value { return report.Text(grown(c.growth(a))) }},
			col{Name: "written_again", Of: func(a *heads.Agent) report.Value { return report.Tokens(c.growth(a).Again).If(c.growth(a).Again > 0) }})
	}
	return report.TableOf("agents", c.Agents, append(columns,
		col{Name: "turn", Head: " A TURN", Unit: report.USD, Of: func(a *heads.Agent) report.Value { return small(cost(a).Turn) }},
		col{Name: "begin", Head: " TO BEGIN", Drop: 2, Unit: report.USD, Of: func(a *heads.Agent) report.Value { return report.Dollars(cost(a).Begin) }},
		col{Name: "day", Head: " A DAY", Drop: 1, Unit: report.USD, Of: func(a *heads.Agent) report.Value { return report.Dollars(cost(a).Day) }})...)
}

// growth is what became of an agent's head.
func (c *check) growth(a *heads.Agent) heads.Growth {
	return c.report.Agents[slices.IndexFunc(c.report.Agents, func(g heads.Growth) bool { return g.Agent == a.Name })]
}

// grown is what became of a head in a word or two.
func grown(g heads.Growth) string {
	var words []string
	for _, w := range []struct {
		word string
		is   bool
	}{{"new", g.New}, {"grew", g.Missed && !g.Assumed}, {"grew (assumed)", g.Assumed}, {"reordered", g.Reordered}, {"dearer", g.Dearer || g.Longer}, {"lost a part", g.Lost}, {"lacks new text", g.Unread}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return cmp.Or(strings.Join(words, ", "), "pass")
}

// row is a part, or all parts of a kind from one file, in front of who has them.
type row struct {
	*heads.Part
	from string
	who  []string
	main *heads.Agent // the first of them
	cost heads.Cost   // to all of them
}

// rows are the parts in the order of the prefix: those of the main agent, then what
// others have of their own.
func (c *check) rows() (out []row) {
	seen := map[int]bool{}
	for _, a := range c.Agents {
		for _, i := range a.Parts {
			if !seen[i] {
				seen[i] = true
				p := c.Parts[i]
				out = append(out, row{p, p.From(), c.Who(i), a, c.Cost(i, c.o.day)})
			}
		}
	}
	return out
}

// shown are the parts as people see them: those of a kind from one place together.
func (c *check) shown() *report.Sheet {
	var rows []row
	for _, r := range c.rows() {
		if r.Kind == client.Skills {
			r.from = loading.Listed(r.from)
		}
		if r.Assumed {
			r.from += " (assumed)"
		}
		if r.Varies {
			r.from = cmp.Or(r.File, "git") + " (varies)"
		}
		i := slices.IndexFunc(rows, func(x row) bool {
			return x.Word == r.Word && x.from == r.from && (r.Kind != "prompt" || x.Name == r.Name) && x.main == r.main
		})
		if i < 0 {
			p := *r.Part
			r.Part = &p
			rows = append(rows, r)
			continue
		}
		rows[i].Bytes, rows[i].Tokens, rows[i].cost = rows[i].Bytes+r.Bytes, rows[i].Tokens+r.Tokens, rows[i].cost.Plus(r.cost)
		rows[i].who = loading.Together(rows[i].who, r.who)
	}
	type col = report.Column[row]
	return report.TableOf("", rows,
		col{Head: "PART", Of: func(r row) report.Value { return report.Text(r.Word) }},
		col{Head: "FROM", Of: func(r row) report.Value { return report.Text(r.from) }},
		col{Head: " BYTES", Drop: 4, Of: func(r row) report.Value { return report.Count(r.Bytes) }},
		col{Head: " TOKENS", Of: func(r row) report.Value { return report.Count(r.Tokens) }},
		col{Head: " A TURN OF ALL", Of: func(r row) report.Value { return small(r.cost.Turn) }},
		col{Head: " A DAY", Drop: 1, Of: func(r row) report.Value { return report.Dollars(r.cost.Day) }},
		col{Head: "WHERE", Drop: 5, Of: func(r row) report.Value { return report.Text(string(r.Place)) }},
		col{Head: "WHO HAS IT", Of: func(r row) report.Value { return report.Text(loading.Who(c.Heads, r.who)) }})
}

// small is an amount that may be a small part of a cent.
func small(p cachemodel.Picodollars) report.Value {
	return report.Dollars(p).As(fmt.Sprintf("$%.6f", float64(p)/1e12))
}

// more is an amount more, or less, than before.
func more(p cachemodel.Picodollars) report.Value {
	text := "+" + small(p).String()
	if p < 0 {
		text = "-" + small(-p).String()
	}
	return report.Dollars(p).As(text)
}

// parts are the parts one by one, for machines.
func (c *check) parts() *report.Sheet {
	type col = report.Column[row]
	return report.TableOf("parts", c.rows(),
		col{Name: "part", Of: func(r row) report.Value { return report.Text(r.Word) }},
		col{Name: "name", Of: func(r row) report.Value { return report.Text(r.Name).If(r.Name != "") }},
		col{Name: "file", Of: func(r row) report.Value { return report.Text(r.File).If(r.File != "") }},
		col{Name: "line", Of: func(r row) report.Value { return report.Count(r.Line).If(r.Line > 0) }},
		col{Name: "imported_by", Of: func(r row) report.Value { return report.Text(r.By).If(r.By != "") }},
		col{Name: "bytes", Of: func(r row) report.Value { return report.Count(r.Bytes) }},
		col{Name: "tokens", Of: func(r row) report.Value { return report.Count(r.Tokens) }},
		col{Name: "turn", Unit: report.USD, Of: func(r row) report.Value { return report.Dollars(r.cost.Turn) }},
		col{Name: "begin", Unit: report.USD, Of: func(r row) report.Value { return report.Dollars(r.cost.Begin) }},
		col{Name: "day", Unit: report.USD, Of: func(r row) report.Value { return report.Dollars(r.cost.Day) }},
		col{Name: "where", Of: func(r row) report.Value { return report.Text(string(r.Place)) }},
		col{Name: "agents", Of: func(r row) report.Value { return report.List(r.who) }},
		col{Name: "assumed", Of: func(r row) report.Value { return report.Bool(r.Assumed) }},
		col{Name: "varies", Of: func(r row) report.Value { return report.Bool(r.Varies) }})
}

// where is a change's place: the lines of the file that are new or stand elsewhere,
// as far as there is room.
func where(x heads.Change) string {
	if len(x.Lines) == 0 {
		return x.Now.From() + assumed(x)
	}
	var out []string
	for _, l := range x.Lines {
		text := fmt.Sprint(l.First)
		if l.Last > l.First {
			text += fmt.Sprintf("-%d", l.Last)
		}
		out = append(out, text)
	}
	return x.Now.File + ":" + report.Some(out) + assumed(x)
}

// assumed marks a change whose size nobody read.
func assumed(x heads.Change) string {
	if x.Now.Assumed {
		return " (assumed)"
	}
	return ""
}

// servers takes what became of tools of one MCP server together, as one part with their
// number.
func servers(changes []heads.Change) (out []heads.Change) {
	var tools []int
	for _, x := range changes {
		i := slices.IndexFunc(out, func(o heads.Change) bool {
			return o.Now.Server() != "" && o.Now.Server() == x.Now.Server() && o.Now.Kind == x.Now.Kind && o.Now.File == x.Now.File &&
				o.What == x.What && o.Theirs == x.Theirs && o.Now.Assumed == x.Now.Assumed && slices.Equal(o.Who, x.Who)
		})
		if i < 0 {
			out, tools = append(out, x), append(tools, 1)
			continue
		}
		tools[i]++
		out[i].Tokens += x.Tokens
	}
	for i, n := range tools {
		if n > 1 {
			now := *out[i].Now
			now.Name = fmt.Sprintf("of %s: %d tools", now.Server(), n)
			out[i].Now, out[i].Lines = &now, nil
		}
	}
	return out
}

// changes are what is not as in the baseline.
func (c *check) changes(of []heads.Change) *report.Sheet {
	type col = report.Column[heads.Change]
	cost := func(x heads.Change) heads.Cost { return c.report.Cost(&x, "") }
	steady := func(x heads.Change) bool { return x.What != heads.Reordered && (x.What != heads.Lost || x.Tokens != 0) }
	return report.TableOf("changes", of,
		col{Name: "change", Head: "CHANGE", Of: func(x heads.Change) report.Value { return report.Text(x.What) }},
		col{Name: "part", Of: func(x heads.Change) report.Value { return report.Text(x.Now.Word) }},
		col{Head: "PART", Of: func(x heads.Change) report.Value { return report.Text(part(x.Now)) }},
		col{Name: "name", Of: func(x heads.Change) report.Value { return report.Text(x.Now.Name).If(x.Now.Name != "") }},
		col{Name: "from", Head: "FROM", Of: func(x heads.Change) report.Value { return report.Text(origin(x)) }},
		col{Name: "tokens", Head: " TOKENS", Of: func(x heads.Change) report.Value {
			return report.Count(x.Tokens).Signed().OrBlank(steady(x) && !x.Priced())
		}},
		col{Name: "turn", Head: " A TURN OF ALL", Unit: report.USD, Of: func(x heads.Change) report.Value { return more(cost(x).Turn).OrBlank(steady(x)) }},
		col{Name: "day", Head: " A DAY", Unit: report.USD, Of: func(x heads.Change) report.Value { return report.Dollars(cost(x).Day).Signed().OrBlank(steady(x)) }},
		col{Name: "whose", Head: "WHOSE", Drop: 1, Of: func(x heads.Change) report.Value { return report.Text(whose(x)) }},
		col{Name: "agents", Of: func(x heads.Change) report.Value { return report.List(x.Who) }},
		col{Head: "WHO HAS IT", Drop: 2, Of: func(x heads.Change) report.Value { return report.Text(loading.Who(c.Heads, x.Who)) }})
}

// part is a part's word, with the name of one that has one.
func part(p *heads.Part) string { return strings.TrimSpace(p.Word + " " + p.Name) }

// origin is a change's place, with the one before, or with that of what is wrong.
func origin(x heads.Change) string {
	switch {
	case x.Why != nil:
		see := fmt.Sprintf("%s:%d", x.Why.File, x.Why.Line)
		switch x.Now.From() {
		case x.Why.File: // of which no line is known otherwise
			return see
		case see:
			return where(x)
		}
		if name, _, _ := strings.Cut(x.Why.Msg, " "); strings.HasPrefix(name, "@") {
			see += ", " + name // what is imported now
		}
		return where(x) + " (see " + see + ")"
	case x.What != heads.Moved:
		return where(x)
	case x.Was.File != x.Now.File:
		return x.Was.From() + " → " + x.Now.From()
	}
	return fmt.Sprintf("%s (%s → %s)", x.Now.From(), x.Was.Place, x.Now.Place)
}

func whose(x heads.Change) string {
	switch {
	case x.Given:
		return "the request's"
	case x.Theirs:
		return "the tool's"
	}
	return "yours"
}
