package importer

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/recording"
)

// AgentMissing is what is said of a sub-agent that a session started and that is not in
// the recording: what it cost is in no bill.
const AgentMissing = "sub-agent whose requests are not in the recording"

// maxSkips is how many kinds of skips are told apart; further ones are counted
// together.
const maxSkips = 200

// skips counts what was passed over, by what it is.
type skips struct {
	list []recording.Skip
	at   map[string]int
}

// add counts one more of what, met at a line of a file; line is 0 when it
// belongs to none.
func (s *skips) add(what, file string, line int64) { s.addN(what, 1, file, line) }

func (s *skips) addN(what string, n int64, file string, line int64) {
	if s.at == nil {
		s.at = map[string]int{}
	}
	i, ok := s.at[what]
	if !ok && len(s.list) >= maxSkips {
		what = "of a kind not told apart, after " + strconv.Itoa(maxSkips) + " others"
		i, ok = s.at[what]
	}
	if !ok {
		i = len(s.list)
		s.at[what] = i
		s.list = append(s.list, recording.Skip{What: what, File: file, Line: line})
	}
	s.list[i].Count += n
}

// take counts something that was read, and says as what.
func (s *skips) take(what string, n int64, file string, line int64) {
	s.addN(what, n, file, line)
	if i, apart := s.at[what]; apart {
		s.list[i].Taken = true
	}
}

// merge adds what another has counted.
func (s *skips) merge(o *skips) {
	for _, k := range o.list {
		if k.Taken {
			s.take(k.What, k.Count, k.File, k.Line)
		} else {
			s.addN(k.What, k.Count, k.File, k.Line)
		}
	}
}

// mergeOnly adds what another has counted of one kind.
func (s *skips) mergeOnly(o *skips, what string) {
	for _, k := range o.list {
		if k.What == what {
			s.addN(k.What, k.Count, k.File, k.Line)
		}
	}
}

// sorted lists the counts by what was skipped.
func (s *skips) sorted() []recording.Skip {
	return slices.SortedFunc(slices.Values(s.list), func(a, b recording.Skip) int { return strings.Compare(a.What, b.What) })
}

// quoted is a word of the recording as it may stand in a report: quoted, and no
// longer than a line has room for.
func quoted(s string) string {
	const room = 40
	if len(s) > room {
		s = s[:room] + "…"
	}
	return strconv.Quote(s)
}

// reason is why JSON could not be read, in so few words that equal reasons count
// together.
func reason(err error) string {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return "the type of " + quoted(typ.Field)
	}
	return "JSON that is malformed, cut off or nested too deeply"
}
