package scenarios

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/recording/profile"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// TinyProfile is the profile of the small figures that this language has itself.
const TinyProfile = "tiny"

// Profile is what was measured of recorded sessions, and gives a scenario the figures
// that it does not give itself.
type Profile struct {
	Name string   `yaml:"name"`
	From []string `yaml:"from"`
}

// GivesHeads reports whether heads were taken from the profile.
func (p *Profile) GivesHeads() bool {
	return slices.ContainsFunc(p.From, func(line string) bool { return strings.Contains(line, firstPrompts) })
}

const firstPrompts = "first prompts of "

// Decode reads a profile's name.
func (p *Profile) Decode(d *document.Decoder, n *document.Node, at document.Place) {
	if n.Kind == document.String {
		p.Name = n.Text
		return
	}
	d.Structure(n, reflect.ValueOf(p).Elem(), at)
}

// Flow is the name where there is no more.
func (p Profile) Flow() (string, bool) { return document.Text(p.Name), len(p.From) == 0 }

// Head is what stands in front of agents of one type.
type Head struct {
	Type   string        `yaml:"type"`   // main, sub-agent for those of any type, or a type
	Shared int64         `yaml:"shared"` // tokens of tool definitions and system prompt, which all agents of the type share
	Prompt document.Size `yaml:"prompt"` // tokens of the first prompt with these, drawn for each agent: what is missing is context of the session
}

// AtOnce is how much one answer does, drawn by item and step.
type AtOnce struct {
	Main     document.Size `yaml:"main"`      // tool uses in an answer of a main agent
	SubAgent document.Size `yaml:"sub_agent"` // of any other agent
	Spawns   document.Size `yaml:"spawns"`    // agents that one answer starts
}

// readsAtOnce reports whether every role has tool uses of its own an answer.
func readsAtOnce(s *Scenario) bool {
	m := &s.Model.AtOnce
	return ownAtOnce(s, &m.Main) && (ownAtOnce(s, &m.SubAgent) || !s.spawns())
}

// ownAtOnce reports whether a size is the scenario's own. What a profile draws gives way
// to reads and spawns a turn.
func ownAtOnce(s *Scenario, size *document.Size) bool {
	return size.Set && (size.Dist == nil || len(s.Profile.From) == 0)
}

// Head is the head of agents of a type, else that of all roots or all others; nil for none.
func (a *Agents) Head(typ string, root bool) *Head {
	role := profile.SubAgent
	if root {
		role = profile.Main
	}
	for _, name := range []string{typ, role} {
		if i := slices.IndexFunc(a.Heads, func(h Head) bool { return h.Type == name }); i >= 0 {
			return &a.Heads[i]
		}
	}
	return nil
}

// Offer gives a file a profile that its scenarios can name.
func Offer(f *File, name string, p *profile.Profile) {
	if f.profiles == nil {
		f.profiles = map[string]*profile.Profile{}
	}
	f.profiles[name] = p
}

// Taken is the profile that one of the file's scenarios took its figures from; nil for
// none.
func Taken(f *File, by *Scenario) *profile.Profile { return f.taken[by.Profile.taken()] }

// taken tells profiles of one name apart by what was taken from them.
func (p *Profile) taken() string { return strings.Join(append([]string{p.Name}, p.From...), "\n") }

// openProfile is the profile of a scenario, nil for none.
func openProfile(f *File, s *Scenario, d *document.Decoder) *profile.Profile {
	name := s.Profile.Name
	if name == "" || name == TinyProfile || len(s.Profile.From) > 0 {
		return nil
	}
	if p, ok := f.profiles[name]; ok {
		return p
	}
	p, err := profile.Open(name)
	if err != nil && strings.ContainsAny(name, "./") {
		err = nil
		text, ok := f.fileBeside(d, &document.Node{Kind: document.String, Text: name, Pos: d.Where("profile")})
		if !ok {
			return nil
		}
		p, err = profile.Parse(name, text)
	}
	switch {
	case err != nil:
		d.Errs.Add(d.Where("profile"), strings.Join(append([]string{TinyProfile}, profile.Shipped()...), ", ")+", or the path of a file beside the scenario, such as mine.yaml", "%v", err)
		return nil
	case len(p.Sources) != 1:
		d.Errs.Add(d.Where("profile"), "agentsim profile merge measures them as one", "%q has %s, which are no one population", name, document.Counted(len(p.Sources), "source"))
		return nil
	}
	Offer(f, name, p)
	return p
}

// measured takes figures from a profile into a scenario, unless it gives them.
type measured struct {
	*document.Decoder
	s      *Scenario
	p      *profile.Profile
	family string // of the scenario's model
	from   string // of the figures
	says   [profile.Measured + 1][]string
	thin   []string // what it knows too little of
}

// measure gives the scenario its profile's figures.
func measure(f *File, s *Scenario, d *document.Decoder) {
	p := openProfile(f, s, d)
	if p == nil {
		return
	}
	s.Profile.Name = path.Base(s.Profile.Name) // where the file lies decides nothing
	m := &measured{Decoder: d, s: s, p: p, family: profile.FamilyOf(s.Provider.ModelID(s.Provider.Model))}
	m.heads()
	m.model()
	m.commands()
	m.gaps()
	m.tell()
	if f.taken == nil {
		f.taken = map[string]*profile.Profile{}
	}
	f.taken[s.Profile.taken()] = p
}

// find is a figure of a role, nil where the profile has none or the scenario gives one
// of the paths. what it is called in the output.
func (m *measured) find(what, role, typ, figure string, paths ...string) *profile.Figure {
	if slices.ContainsFunc(paths, m.Given) {
		return nil
	}
	f, family, grade := m.p.Locate(profile.Want{Role: role, Type: typ, Family: m.family, Figure: figure})
	if f == nil {
		m.thin = append(m.thin, what)
		return nil
	}
	m.from = family
	m.says[grade] = append(m.says[grade], fmt.Sprintf("%s (n %d)", what, f.N))
	return f
}

// tokens are recorded tokens in those of the scenario's model.
func (m *measured) tokens(n int64) int64 { return profile.Convert(n, m.from, m.family) }

// bytes are bytes of a class in tokens of the scenario's model.
func (m *measured) bytes(class llm.Class) func(n int64) int64 {
	counter := tokens.Approx(m.s.Provider.ModelID(m.s.Provider.Model))
	return func(n int64) int64 {
		var x llm.Measure
		x.Bytes[class] = uint32(n)
		return counter.Tokens(x)
	}
}

// shares are those, in millionths, at which a distribution is drawn from a figure: its
// own quantiles, and among the largest, where they part from each other.
var shares = func() (out []int64) {
	for i := range int64(profile.Steps) {
		out = append(out, i*rng.Millionth/profile.Steps)
	}
	return append(out, 975_000, 987_500, 994_000, 997_000)
}()

// drawn is a figure as a distribution of no more than most; so many millionths of all
// draws are none.
func drawn(f *profile.Figure, of func(int64) int64, none, most int64) document.Size {
	d := &rng.Dist{Shape: rng.Empirical}
	add := func(p, value int64) { d.Points = append(d.Points, rng.Quantile{P: p, Value: min(value, most)}) }
	if none > 0 {
		add(0, 0)
		add(none, 0)
		none++
	}
	for _, p := range shares {
		add(none+p*(rng.Millionth-none)/rng.Millionth, of(f.At(uint64(p)*(math.MaxUint64/rng.Millionth))))
	}
	add(rng.Millionth, of(f.Q[profile.Steps]))
	return sized(d)
}

// counts is a figure of small numbers as a distribution, in steps: nothing lies between
// one and two.
func counts(f *profile.Figure) document.Size {
	d := &rng.Dist{Shape: rng.Empirical, Points: []rng.Quantile{{P: 0, Value: f.Q[0]}}}
	for _, p := range shares {
		if last, v := d.Points[len(d.Points)-1].Value, f.At(uint64(p)*(math.MaxUint64/rng.Millionth)); v > last {
			d.Points = append(d.Points, rng.Quantile{P: p - 1, Value: last}, rng.Quantile{P: p, Value: v})
		}
	}
	d.Points = append(d.Points, rng.Quantile{P: rng.Millionth, Value: f.Q[profile.Steps]})
	return sized(d)
}

func sized(d *rng.Dist) document.Size {
	d.Lo, d.Hi = d.Points[0].Value, d.Points[len(d.Points)-1].Value
	return document.Size{Lo: d.Lo, Hi: d.Hi, Set: true, Dist: d}
}

// heads are those of main agents, of sub-agents and of the types that the client
// brings.
func (m *measured) heads() {
	if m.Given("heads") {
		return
	}
	for _, x := range [...]struct{ typ, role, of string }{
		{profile.Main, profile.Main, ""}, {profile.SubAgent, profile.SubAgent, ""}, {"Explore", profile.SubAgent, "Explore"}, {"Plan", profile.SubAgent, "Plan"},
	} {
		warm, _, _ := m.p.Locate(profile.Want{Role: x.role, Type: x.of, Family: m.family, Figure: "first_warm"})
		if x.of != "" && !m.hasType(x.of) {
			continue
		}
		prompt := m.find(firstPrompts+heading(x.typ), x.role, x.of, "first_prompt")
		if prompt == nil || warm == nil {
			continue
		}
		m.s.Heads = append(m.s.Heads, Head{Type: x.typ, Shared: m.tokens(prompt.Percentile(50) * found(warm) / 1000), Prompt: drawn(prompt, m.tokens, 0, document.MaxLarge)})
	}
}

// heading is what agents of a type are called in the output.
func heading(typ string) string {
	switch typ {
	case profile.Main:
		return "main agents"
	case profile.SubAgent:
		return "sub-agents"
	}
	return typ
}

// hasType reports whether the profile knows enough first prompts of a type.
func (m *measured) hasType(typ string) bool {
	return slices.ContainsFunc(m.p.Sources[0].Roles, func(r profile.Role) bool { return r.Type == typ && r.Threads >= profile.ThinBelow })
}

// found is the median share of first prompts that was found in the cache, of those of
// which anything was: what agents of a type share.
func found(warm *profile.Figure) int64 {
	i := slices.IndexFunc(warm.Q, func(v int64) bool { return v > 0 })
	if i < 0 {
		return 0
	}
	return warm.Q[(i+profile.Steps)/2]
}

// model is how much agents think and say, how much one answer does, and how they
// wander.
func (m *measured) model() {
	s := m.s
	if f := m.find("thinking of main agents", profile.Main, "", "thinking", "settings.thinking"); f != nil && *f.Share > 0 {
		s.Settings.Thinking = "adaptive"
		// What thinks, thinks as long as answers are: the recordings hold no thinking whole.
		if out := m.find("output of main agents", profile.Main, "", "output", "model.think_tokens"); out != nil {
			s.Model.ThinkTokens = drawn(out, m.tokens, (1000-*f.Share)*rng.Millionth/1000, document.MaxLarge)
		}
	}
	if share := m.find("text of main agents", profile.Main, "", "text", "model.step_tokens"); share != nil {
		f, _, _ := m.p.Locate(profile.Want{Role: profile.Main, Family: m.family, Figure: "text_bytes"})
		if f != nil {
			s.Model.StepTokens = drawn(f, m.bytes(llm.Prose), (1000-*share.Share)*rng.Millionth/1000, document.MaxLarge)
		}
	}
	if f := m.find("reports", profile.SubAgent, "", "report_bytes", "model.report_tokens"); f != nil {
		s.Model.ReportTokens = drawn(f, m.bytes(llm.Prose), 0, document.MaxLarge)
	}
	for _, x := range [...]struct {
		what, role, figure, own, given string
		to                             *document.Size
	}{
		{"tool uses an answer of main agents", profile.Main, "response_tools", "main", "model.reads_per_turn", &s.Model.AtOnce.Main},
		{"tool uses an answer of sub-agents", profile.SubAgent, "response_tools", "sub_agent", "model.reads_per_turn", &s.Model.AtOnce.SubAgent},
		{"agents started in one answer", profile.Main, "spawns", "spawns", "model.spawns_per_turn", &s.Model.AtOnce.Spawns},
	} {
		if f := m.find(x.what, x.role, "", x.figure, "model.at_once."+x.own, x.given); f != nil {
			*x.to = counts(f)
		}
	}
	if f := m.find("tool uses an item takes a stranger", profile.SubAgent, "", "tool_uses", "model.wander.uses"); f != nil {
		s.Model.Wander.Uses = drawn(f, func(n int64) int64 { return n }, 0, document.MaxLarge)
	}
	if f := m.find("reads of what the parent has read", profile.SubAgent, "", "overlap_parent_files", "model.wander.near"); f != nil {
		s.Model.Wander.Near = *f.Share / 10
	}
}

// commands are the time and output of commands that the shell does not carry out.
func (m *measured) commands() {
	if f := m.find("time of commands", profile.Main, "", "Bash.time", "tools.commands.takes"); f != nil {
		m.s.Tools.Commands.Takes = spanOf(drawn(f, micros, 0, int64(MaxTakes/vtime.Microsecond)))
	}
	if f := m.find("output of commands", profile.Main, "", "Bash.bytes", "tools.commands.output"); f != nil {
		m.s.Tools.Commands.Output = drawn(f, m.bytes(llm.Code), 0, document.MaxLarge)
	}
}

// maxGap is the longest time that a user is drawn to let pass: what is longer is
// another session.
const maxGap = 12 * vtime.Hour

// gaps are the times that users let pass once the conversation is idle.
func (m *measured) gaps() {
	m.s.eachRoot(func(at string, r *Root) {
		for i := range r.Then {
			t, path := &r.Then[i], at+".then["+itoa(i)+"]"
			if t.Message == nil || t.At != nil || t.On != nil {
				continue
			}
			if f := m.find("gaps between user turns", profile.Main, "", "user_gap", path+".after"); f != nil {
				t.After = spanOf(drawn(f, micros, 0, int64(maxGap/vtime.Microsecond)))
			}
		}
	})
}

// micros are milliseconds in microseconds.
func micros(n int64) int64 { return n * 1000 }

func spanOf(s document.Size) *rng.Span {
	return &rng.Span{Lo: s.Lo * rng.Micro, Hi: s.Hi * rng.Micro, Dist: s.Dist}
}

// tell says what the profile is, and how well known what was taken from it.
func (m *measured) tell() {
	src := &m.p.Sources[0]
	name := m.s.Profile.Name
	from := fmt.Sprintf("profile %s: %s", name, document.Counted(int(src.Sessions), "session"))
	if src.From != "" {
		from += " from " + src.From + " to " + src.To
	}
	out := []string{from}
	scaled := "scaled by profile " + name
	if m.from != m.family {
		scaled += fmt.Sprintf(": recorded of %s and converted to tokens of %s, %s×", cmp.Or(m.from, "other models"), m.family, document.DecimalText(profile.Convert(1000, m.from, m.family), 3))
	}
	for _, g := range [...]struct {
		grade profile.Grade
		text  string
	}{{profile.Measured, "measured by profile " + name}, {profile.Scaled, scaled}} {
		if list := slices.Compact(m.says[g.grade]); len(list) > 0 {
			out = append(out, g.text+": "+strings.Join(list, ", "))
		}
	}
	if list := slices.Compact(m.thin); len(list) > 0 {
		out = append(out, fmt.Sprintf("assumed, fewer than %d samples in profile %s: %s", profile.ThinBelow, name, strings.Join(list, ", ")))
	}
	m.s.Profile.From = append(out, "assumed, which profile "+name+" cannot tell: forks as sub-agents, what they think as main agents; what is shared of a head is three parts tools and one part system prompt; who thinks does so as long as recorded answers are")
}
