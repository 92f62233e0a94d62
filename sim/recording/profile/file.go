package profile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/vtime"
)

// heading begins every file.
const heading = `# What recorded sessions of agents come to, without their content (agentsim profile).
# n: samples. q: 21 quantiles, from the smallest to the largest. share: thousandths. floor: how far two halves of
# the sessions are apart, 95 times in 100: the larger over the smaller P50 and P90 (1040: 4 %); for shares, and
# for figures in thousandths, the distance in thousandths. thin: fewer than 20 samples.
`

// Text is the profile as a file: the same profile, the same bytes.
func (p *Profile) Text() string { return heading + string(document.Encode(p, &Profile{}, nil)) }

// Flow is a figure on one line.
func (f Figure) Flow() (string, bool) {
	text := fmt.Sprintf("{n: %d, sessions: %d", f.N, f.Sessions)
	if f.Thin {
		text += ", thin: true"
	}
	if f.Share != nil {
		text += fmt.Sprintf(", share: %d", *f.Share)
	}
	for _, list := range []struct {
		name   string
		values []int64
	}{{"floor", f.Floor}, {"q", f.Q}} {
		if len(list.values) > 0 {
			text += ", " + list.name + ": " + strings.ReplaceAll(fmt.Sprint(list.values), " ", ", ")
		}
	}
	return text + "}", true
}

var lang = &document.Language{Top: reflect.TypeFor[Profile](), Items: map[string]string{"sources": "source", "roles": "role"}}

// MaxBytes bounds a profile's file.
const MaxBytes = 4 << 20

var limits = &document.Limits{Of: "profile", Bytes: MaxBytes, Tokens: 1_000_000, Depth: 16, Keys: 2_000,
	Empty: "agentsim profile SOURCE -o FILE measures one"}

// Parse reads a profile's file. Everything wrong in it is told with its place.
func Parse(name, text string) (*Profile, error) {
	src := document.NewSource(name, text)
	root, bad := limits.Parse(src, text)
	if bad != nil {
		return nil, bad
	}
	var errs document.Problems
	if err := checkVersion(root, &errs, src); err != nil {
		return nil, err
	}
	p := &Profile{}
	c := checker{Decoder: document.NewDecoder(lang, &errs, src.At(1, 1))}
	c.Value(root, reflect.ValueOf(p).Elem(), document.Place{})
	if len(errs.List) == 0 {
		c.profile(p)
	}
	return p, errs.Err()
}

// checkVersion looks at the version before anything else: what another one means is
// not known.
func checkVersion(root *document.Node, errs *document.Problems, src *document.Source) error {
	v := root.Get("profile")
	if v == nil || v.Kind != document.Int {
		errs.Add(src.At(1, 1), "agentsim profile SOURCE -o FILE measures one", "this is no profile: it does not begin with profile: %d", Version)
		return errs.Err()
	}
	switch n, err := document.ParseInt(v.Text); {
	case err == nil && n > Version:
		errs.Add(v.Pos, "use the agentsim that measured it, or a newer one", "profile version %s is newer than this agentsim, which reads up to %d", v.Text, Version)
	case err != nil || n < 1:
		errs.Add(v.Pos, fmt.Sprintf("profile: %d", Version), "profile version %s is none", v.Text)
	}
	return errs.Err()
}

// checker holds a profile that was read against what profiles can be.
type checker struct{ *document.Decoder }

func (c *checker) at(path, hint, format string, args ...any) {
	c.Errs.Add(c.Where(path), hint, format, args...)
}

func (c *checker) profile(p *Profile) {
	if len(p.Sources) == 0 {
		c.at("", "agentsim profile SOURCE -o FILE measures one", "the profile has no sources")
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		path := fmt.Sprintf("sources[%d]", i)
		if s.Sessions < 1 {
			c.at(path+".sessions", "", "a source has at least one session")
		}
		c.days(path, s)
		seen := map[[3]string]bool{}
		for k := range s.Roles {
			r := &s.Roles[k]
			at, key := fmt.Sprintf("%s.roles[%d]", path, k), [3]string{r.Role, r.Family, r.Type}
			c.word(at, "role", r.Role, Roles)
			c.word(at, "family", r.Family, familyNames[:])
			c.word(at, "type", r.Type, append([]string{""}, typeNames...))
			if seen[key] {
				c.at(at, "", "%s of %s is there twice", r.Role, r.Family)
			}
			seen[key] = true
			for name, f := range r.Figures { // order: mistakes are sorted by place
				c.figure(at+".figures."+name, name, &f, s.Sessions)
			}
		}
	}
}

// days checks from when to when a source's sessions are.
func (c *checker) days(path string, s *Source) {
	if s.From+s.To == "" {
		return
	}
	for _, x := range [...][2]string{{"from", s.From}, {"to", s.To}} {
		if _, ok := vtime.ParseInstant(x[1] + "T00:00:00Z"); !ok {
			c.at(path+"."+x[0], x[0]+`: "2026-11-10"`, "%s: %q is no day", x[0], x[1])
			return
		}
	}
	if s.From > s.To {
		c.at(path+".from", "", "from %s is after to %s", s.From, s.To)
	}
}

// counted are figures of what there is at least one of wherever it is counted.
var counted = []string{"calls", "calls_whole", "turn_requests", "turn_requests_few", "response_tools", "spawns"}

func (c *checker) word(path, key, got string, known []string) {
	if !slices.Contains(known, got) {
		c.at(path+"."+key, document.DidYouMeanOr(got, known), "unknown %s %q", key, got)
	}
}

// figure checks one figure: what is edited by hand must still be a distribution.
func (c *checker) figure(path, name string, f *Figure, sessions int64) {
	wrong := func(hint, format string, args ...any) { c.at(path, hint, name+" "+format, args...) }
	k, floors := KindOf(name), 2
	if k == nil {
		c.at(path, "agentsim profile show recorded-2026-11 lists figures", "unknown figure %q", name)
		return
	}
	if k.Unit == Share {
		floors = 1
	}
	switch {
	case f.N < 1 || f.Sessions < 1:
		wrong("leave it out", "has no samples")
	case f.Sessions > f.N:
		wrong("", "is of %d sessions and %d samples: each session has at least one", f.Sessions, f.N)
	case f.Sessions > sessions:
		wrong("", "is of %d sessions, the source has %d", f.Sessions, sessions)
	case f.Thin != (f.N < ThinBelow):
		wrong(fmt.Sprintf("thin: %t", f.N < ThinBelow), "has %d samples: it is thin below %d, and only then", f.N, ThinBelow)
	case k.Unit == Share && (f.Share == nil || len(f.Q) > 0):
		wrong("share: 500", "is a share and has no quantiles")
	case k.Unit == Share && *f.Share > 1000:
		wrong("", "is a share of %d thousandths: the whole is 1000", *f.Share)
	case k.Unit != Share && (f.Share != nil || len(f.Q) != Steps+1):
		wrong("", "has %d quantiles, not %d", len(f.Q), Steps+1)
	case !slices.IsSorted(f.Q):
		wrong("", "has quantiles that fall")
	case slices.Contains(counted, name) && f.Q[0] < 1:
		wrong("", "goes down to %d: it counts what there is at least one of", f.Q[0])
	case strings.HasSuffix(name, "_prompt") && f.Q[Steps] < 1:
		wrong("", "is 0 throughout: no prompt is empty")
	case k.Unit == Thousandth && f.Q[Steps] > 1000:
		wrong("", "goes up to %d thousandths: the whole is 1000", f.Q[Steps])
	case len(f.Floor) != 0 && len(f.Floor) != floors:
		wrong("", "has %d floors, not %d", len(f.Floor), floors)
	case k.Unit != Share && k.Unit != Thousandth && len(f.Floor) > 0 && slices.Min(f.Floor) < 1000:
		wrong("", "has a floor below 1000: two halves are at best alike")
	}
}
