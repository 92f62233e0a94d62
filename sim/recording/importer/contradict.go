package importer

import (
	"encoding/json"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// Contradiction begins what is said of sources that tell two things of one request.
const Contradiction = "contradiction: "

const (
	twoLines    = Contradiction + "a line that tells another prompt of a request than an earlier one: the last holds"
	twoCopies   = Contradiction + "a copy of a file that tells another prompt of a request: the longer copy holds, the first of equal ones"
	twoRows     = Contradiction + "a row that tells another prompt of a request than an earlier one: the first holds"
	twoSessions = Contradiction + "a session of which an earlier file tells another bill: the first holds"
)

// prompted is what a usage says of the prompt.
func prompted(u llm.Usage) llm.Usage {
	u.Output = 0
	return u
}

// ccTelling is what a line tells of a request's prompt.
type ccTelling struct {
	Message struct {
		ID    string
		Usage *ccUsage
	}
}

// contradicts finds the first line of a copy of a file that tells of a request's prompt
// what no line of the longer copy tells; 0 for none.
func (im *imported) contradicts(long, short source) (at int64, err error) {
	told := map[string][]llm.Usage{} // by request
	_, err = im.tellings(long, func(_ int64, id string, u llm.Usage) { told[id] = append(told[id], u) })
	if err != nil {
		return 0, err
	}
	_, err = im.tellings(short, func(number int64, id string, u llm.Usage) {
		if at == 0 && len(told[id]) > 0 && !slices.Contains(told[id], u) {
			at = number
		}
	})
	return at, err
}

// tellings are the lines of a file that tell of a request's prompt.
func (im *imported) tellings(src source, each func(number int64, id string, u llm.Usage)) (recording.File, error) {
	return eachLine(src, &im.opt, &skips{}, func(line []byte, number int64, _ bool) error {
		var l ccTelling
		if json.Unmarshal(line, &l) == nil && l.Message.ID != "" && l.Message.Usage != nil {
			each(number, l.Message.ID, prompted(l.Message.Usage.usage()))
		}
		return nil
	})
}
