package scenarios

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/scenarios/document"
)

var agentTypes = []string{"general-purpose", "Explore"}

// What an item knows beside facts: a summary of a file, which may be relayed, or
// one of each file in found_in.
const (
	SummaryOf = "summary:"
	Summaries = "summaries"
)

func (c *checker) facts() {
	seen := map[string]bool{}
	for i, f := range c.s.Project.Facts {
		if c.Errs.Full() {
			return
		}
		path := "project.facts[" + itoa(i) + "]"
		if f.Name == "" || strings.ContainsAny(f.Name, " \t\n[],:") {
			c.bad(path+".name", "such as auth.null-user", "bad fact name %q", f.Name)
		}
		if seen[f.Name] {
			c.bad(path+".name", "", "fact %q is declared twice", f.Name)
		}
		seen[f.Name] = true
		c.factPlace(path, &f)
	}
}

// factPlace holds a fact against the file it is said to stand in (CON-15).
func (c *checker) factPlace(path string, f *Fact) {
	what := "fact " + document.Quoted(f.Name)
	if f.File == "" {
		c.bad(path, "file: and line: say where it stands", "nobody holds %s", what)
		return
	}
	c.planted(path, f.File, f.Line, what, "nobody holds "+what, what+" is beyond any reachable page")
}

// planted holds what stands on a line of a file against the file. what names it,
// lost begins the message where there is no such file, beyond where there is no
// such line.
func (c *checker) planted(path, file string, line int, what, lost, beyond string) {
	lines := c.files.lines[file]
	switch {
	case !c.held(file):
		c.noFile(path+".file", "", file, lost+": there is no file "+document.Quoted(file))
	case c.file.foreign:
		if line < 1 {
			c.bad(path+".line", "", "%s stands on line %d; lines count from 1", what, line)
		}
	case lines < 0:
		c.bad(path+".file", "give that file as text", "%s stands in generated content, whose lines nobody knows", what)
	case line < 1 || line > lines:
		c.bad(path+".line", "", "%s: %s has %s", beyond, file, document.Counted(lines, "line"))
	}
}

func (c *checker) work() {
	ids := map[string]int{}
	for i, it := range c.s.Work {
		path := "work[" + itoa(i) + "]"
		if it.ID == "" || strings.ContainsAny(it.ID, " /[],\n\t") {
			c.bad(path+".id", "such as fix-auth", "bad id %q of a work item", it.ID)
		}
		if j, dup := ids[it.ID]; dup {
			c.bad(path+".id", "", "work item %q is given twice, first on line %d", it.ID, c.Where("work["+itoa(j)+"]").Line)
			continue
		}
		ids[it.ID] = i
	}
	for i := range c.s.Work {
		if c.Errs.Full() {
			return
		}
		c.item("work["+itoa(i)+"]", &c.s.Work[i], ids)
	}
	c.cycle(ids)
}

// maxRefs is how many needs, or any other references, one item may have.
const maxRefs = 1_000

func (c *checker) item(path string, it *Item, ids map[string]int) {
	if len(it.After)+len(it.Knows)+len(it.Yields)+len(it.Reads)+len(it.FoundIn)+len(it.Edits)+
		len(it.Runs)+len(it.Calls)+len(it.Pitfalls)+len(it.MisledBy) > maxRefs {
		c.bad(path, "", "work item %q refers to more than %d things", it.ID, maxRefs)
		return
	}
	for i, name := range it.Calls {
		checkCall(c, path+".calls["+itoa(i)+"]", name)
	}
	if it.Kind == "" {
		c.bad(path, document.OneOf(words["Item.kind"].List), "work item %q has no kind", it.ID)
	}
	c.itemAgent(path+".agent", it)
	for i, id := range it.After {
		if _, ok := ids[id]; !ok {
			c.bad(path+".after["+itoa(i)+"]", document.DidYouMeanOr(id, slices.Sorted(maps.Keys(ids))), "work item %q comes after %q, which does not exist", it.ID, id)
		}
	}
	for i, name := range it.Knows {
		c.knows(path+".knows["+itoa(i)+"]", it, name)
	}
	for i, y := range it.Yields {
		if !c.declared(y) {
			c.bad(path+".yields["+itoa(i)+"]", c.factHint(y), "work item %q yields %q, a fact nobody holds", it.ID, y)
		}
	}
	for i := range it.Reads {
		c.selects(path+".reads["+itoa(i)+"]", &it.Reads[i])
	}
	for i := range it.FoundIn {
		c.selects(path+".found_in["+itoa(i)+"]", &it.FoundIn[i])
	}
	for i := range it.Edits {
		c.selects(path+".edits["+itoa(i)+"].file", &it.Edits[i].File)
		c.edited(path+".edits["+itoa(i)+"].file", it, &it.Edits[i].File)
	}
}

// maxPiece is how many bytes of a line an edit can hold on to.
const maxPiece = 400

// edited refuses an edit of a file that is generated as one long line: only code has
// lines to hold on to.
func (c *checker) edited(path string, it *Item, s *Selector) {
	for _, name := range c.files.sorted {
		f := c.s.Project.Files.Literal[name]
		long := f.Bytes > maxPiece || f.Tokens.Set && f.Tokens.Hi > maxPiece/document.TokenBytes
		if c.file.foreign || !long || f.Class == "code" || name != s.Path && !doublestar.MatchUnvalidated(cmp.Or(s.Glob, s.Path), name) {
			continue
		}
		f.Class = "code"
		form, _ := f.Flow()
		c.bad(path, "project: {files: {"+document.Text(name)+": "+form+"}}", "work item %q edits %q, which is generated without lines to hold on to", it.ID, name)
		return
	}
}

func (c *checker) knows(path string, it *Item, name string) {
	file, summary := strings.CutPrefix(name, SummaryOf)
	switch {
	case summary:
		c.summarized(path, it, file)
	case name == Summaries && len(it.FoundIn) == 0:
		c.bad(path, "found_in: [PATH]", "work item %q knows summaries of what it is found in, which is nowhere", it.ID)
	case name != Summaries && !c.declared(name):
		c.bad(path, c.factHint(name), "work item %q knows %q, a fact nobody holds", it.ID, name)
	}
}

func (c *checker) summarized(path string, it *Item, file string) {
	if _, ok := c.present().lines[file]; !ok && IsGlob(file) {
		c.selects(path, &Selector{Glob: file})
	} else if !c.held(file) {
		c.noFile(path, SummaryOf, file, "work item "+document.Quoted(it.ID)+" knows a summary of "+document.Quoted(file)+", a file nobody has")
	}
}

// IsGlob reports whether a path of an item is read as a glob where no file has that
// name.
func IsGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

func (c *checker) factHint(name string) string {
	names := make([]string, len(c.s.Project.Facts))
	for i, f := range c.s.Project.Facts {
		names[i] = f.Name
	}
	if h := document.DidYouMean(name, names); h != "" {
		return h
	}
	name = strings.TrimPrefix(name, filePrefix)
	if glob := c.present().below(path.Clean(name)); glob != "" {
		name = glob
	}
	switch n, err := c.present().matching(name); {
	case err == nil && n > 0:
		return "reads: [" + document.Quoted(name) + "] has " + document.Counted(n, "file") + " read; knows: [" + document.Quoted(SummaryOf+name) + "] asks for a summary of each"
	case strings.Contains(name, "/"):
		return "reads: [" + name + "] says that a file is read"
	}
	return "declare it under project: facts: with its file and line"
}

func (c *checker) declared(fact string) bool {
	return slices.ContainsFunc(c.s.Project.Facts, func(f Fact) bool { return f.Name == fact })
}

// selects holds a selector against the files of the run; where they are not
// known, the run finds out.
func (c *checker) selects(path string, s *Selector) {
	if s.Path != "" {
		if _, ok := c.present().lines[s.Path]; !ok && IsGlob(s.Path) {
			c.selects(path, &Selector{Glob: s.Path, Count: s.Count})
		} else if !c.held(s.Path) {
			c.noFile(path, "", s.Path, "there is no file "+document.Quoted(s.Path))
		}
		return
	}
	n, err := c.present().matching(s.Glob)
	switch {
	case err != nil:
		c.bad(path, "such as internal/**/*.go", "bad glob %q", s.Glob)
	case halfStars(s.Glob):
		c.bad(path, wholeStars, "glob %q has ** beside other characters, where it means *", s.Glob)
	case c.file.foreign && c.file.dir == nil:
	case n == 0:
		c.bad(path, cmp.Or(unprefixed(c, s.Glob), c.takesDirectory()), "glob %q matches no file", s.Glob)
	case s.Count > n:
		c.bad(path, "", "glob %q matches %s, fewer than %d", s.Glob, document.Counted(n, "file"), s.Count)
	}
}

// filePrefix is what people write before a path, where a path stands without.
const filePrefix = "file:"

// unprefixed is what to write for a glob with a prefix, "" where without it it matches
// nothing either.
func unprefixed(c *checker, glob string) string {
	own, is := strings.CutPrefix(glob, filePrefix)
	if n, err := c.present().matching(own); is && err == nil && n > 0 {
		return "write " + document.Quoted(own) + ", which is " + document.Counted(n, "file")
	}
	return ""
}

// cycle reports the first cycle of `after`, as a path that ends where it began.
func (c *checker) cycle(ids map[string]int) {
	state := make([]byte, len(c.s.Work)) // 0 new, 1 on the path, 2 done
	var path []int
	var walk func(i int) bool
	walk = func(i int) bool {
		state[i] = 1
		path = append(path, i)
		for _, id := range c.s.Work[i].After {
			j, ok := ids[id]
			if ok && state[j] == 1 || ok && state[j] == 0 && walk(j) {
				if len(path) > 0 && state[j] == 1 {
					c.reportCycle(path, j)
					path = nil
				}
				return true
			}
		}
		state[i] = 2
		path = path[:len(path)-1]
		return false
	}
	for i := range c.s.Work {
		if state[i] == 0 && walk(i) {
			return
		}
	}
}

const maxCycleShown = 8 // items of a cycle that a message lists

func (c *checker) reportCycle(path []int, start int) {
	for path[0] != start {
		path = path[1:]
	}
	var names []string
	for i, n := range path {
		if i == maxCycleShown {
			names = append(names, "…")
			break
		}
		names = append(names, c.s.Work[n].ID)
	}
	names = append(names, c.s.Work[start].ID)
	c.bad("work["+itoa(start)+"].after", "take one after away", "the work is cyclic: %s", strings.Join(names, " after "))
}

func (c *checker) structure() {
	s := c.s
	if s.Structure == "" {
		if len(s.Work) > 0 {
			c.badKey("work", "structure: "+strings.Join(Structures()[:2], ", ")+", … or compare: [inline, fork]", "work without a structure: nobody is told who does it")
		}
		return
	}
	switch s.Structure.Base() {
	case Fork:
		c.fork()
	case Subagent:
		c.subagent()
	case Teamed:
		team(c)
	}
	if len(s.Work) == 0 {
		c.badKey("structure", "work: lists what is to be done", "a structure without work")
	}
	if s.Structure != Coordinated { // whose type is worker
		c.leadType()
	}
}

// fork holds the scenario against FRK-01 and FRK-12.
func (c *checker) fork() {
	if c.s.Coordinates() {
		c.bad("structure", "structure: coordinator, or take "+coordinatorGate+" away",
			"gates %s and %s contradict structure fork: a coordinator starts workers and no forks", coordinatorGate, coordinatorEnvGate)
		return
	}
	if c.s.Gate(forkGate) != "true" {
		c.bad("gates."+forkGate, "take it away: the structure sets it", "gate %s is off, which contradicts structure fork", forkGate)
	}
	if !c.s.Interactive {
		c.bad("interactive", "take it away: the structure sets it", "interactive is false, which contradicts structure fork")
	}
	if c.s.Type != "" {
		c.bad("type", "leave type out: that is what makes a fork", "structure fork with type %q", c.s.Type)
	}
}

// subagent refuses sub-agents that would be forks, which is what a call without
// a type makes where forks are on (SUB-04).
func (c *checker) subagent() {
	s := c.s
	if s.hasWork() && s.Type == "" && s.Interactive && s.Stack != MinimalStack && s.Gate(forkGate) == "true" && !s.Coordinates() {
		c.bad("structure", "agents: {type: general-purpose}, or take the gate away",
			"gate %s contradicts structure %s: a call without a type is a fork", forkGate, s.Structure)
	}
}

// exploresOnHaiku reports whether the children are of the built-in type Explore in
// a build for users, whose model is haiku (SUB-09).
func (s *Scenario) exploresOnHaiku() bool {
	return s.Structure.Base() == Subagent && s.hasWork() && s.onHaiku(s.Type)
}

func (s *Scenario) onHaiku(typ string) bool {
	return typ == "Explore" && s.Stack != MinimalStack && !s.DefinesAgents() && s.Gate("USER_TYPE") != "ant"
}

// injections holds injected instructions against the files they are said to stand
// in, and the classifier's script against them (CON-15).
func (c *checker) injections() {
	seen := map[string]int{}
	for i := range c.s.Injections {
		if c.Errs.Full() {
			return
		}
		x, path := &c.s.Injections[i], "injections["+itoa(i)+"]"
		c.injectionWords(path, x)
		if j, dup := seen[x.Name]; dup {
			c.bad(path+".name", "", "injection %q is given twice, first on line %d", x.Name, c.Where("injections["+itoa(j)+"]").Line)
		} else {
			seen[x.Name] = i
		}
		c.injectionPlace(path, x)
	}
	c.handoffs(slices.Sorted(maps.Keys(seen)))
}

func (c *checker) injectionWords(path string, x *Injection) {
	if x.Name == "" || strings.ContainsAny(x.Name, " \t\n[],:") {
		c.bad(path+".name", "such as readme-note", "bad name %q of an injection", x.Name)
	}
	switch {
	case x.Text == "":
		c.bad(path, "text: what it says there", "injection %q says nothing", x.Name)
	case strings.ContainsAny(x.Text, "\n\r"):
		c.bad(path+".text", "put it on one line", "the text of injection %q has a line break: it stands on one line of its file", x.Name)
	case strings.Contains(x.Text, "[["):
		c.bad(path+".text", "leave [[ out", "the text of injection %q looks like a mark", x.Name)
	}
	if strings.ContainsAny(x.Runs, "\n\r") {
		c.bad(path+".runs", "join commands by ; or &&", "the command of injection %q has a line break", x.Name)
	}
}

// injectionPlace is factPlace for an injection.
func (c *checker) injectionPlace(path string, x *Injection) {
	what := "injection " + document.Quoted(x.Name)
	if x.File == "" {
		c.bad(path, "file: and line: say where it stands", "%s stands nowhere", what)
		return
	}
	c.planted(path, x.File, x.Line, what, what, what+" stands on line "+itoa(x.Line))
}

// handoffs checks the classifier's script. The first line about a taint decides,
// so a second one would never be read.
func (c *checker) handoffs(names []string) {
	first := map[string]int{}
	for i, v := range c.s.Classifier {
		if c.Errs.Full() {
			return
		}
		path := "classifier[" + itoa(i) + "]"
		if j, dup := first[v.Taint]; dup {
			c.bad(path+".taint", "", "taint %q is judged twice, first on line %d", v.Taint, c.Where("classifier["+itoa(j)+"]").Line)
			continue
		}
		first[v.Taint] = i
		switch {
		case v.Taint == "":
			c.bad(path, "taint: the name of an injection", "a verdict about nothing")
		case !slices.Contains(names, v.Taint) && withoutVerdicts(c.s) == "":
			c.bad(path+".taint", document.DidYouMeanOr(v.Taint, names), "there is no injection %q", v.Taint)
		}
		if v.Verdict == "" {
			c.bad(path, document.OneOf(words["HandoffVerdict.verdict"].List), "the verdict on %q is missing", v.Taint)
		}
		if strings.ContainsAny(v.Why, "\n\r") {
			c.bad(path+".why", "put it on one line", "the reason has a line break")
		}
	}
}

const classifierGate = "TRANSCRIPT_CLASSIFIER"
