package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// recordOpen is how the line of a summary begins that says how the team is.
const recordOpen = "\nTeam: "

// teamRecord is what a summary says of the team.
func (m mind) teamRecord() string {
	w := m.s.team
	if !w.made {
		return ""
	}
	var tasks, mates []string
	for _, i := range w.tasks {
		id := ""
		if i >= 0 {
			id = m.t.items[i].id
		}
		tasks = append(tasks, id)
	}
	for _, k := range w.mates {
		mates = append(mates, fmt.Sprintf("%s/%s/%t/%t/%d", k.name, k.task, k.ended, k.asked, k.revived))
	}
	who := leadName
	if w.me != "" {
		who = w.me
	}
	return recordOpen + "you are " + who + "; task " + strconv.Itoa(w.mine) + "; tasks " + strings.Join(tasks, ",") + "; linked " + m.ids(w.linked) + "; did " + m.ids(w.did) +
		"; mates " + strings.Join(mates, ",") + "; request " + w.shutdown + ";"
}

// recall takes that out of a summary.
func recall(f *folder, raw string) {
	_, line, ok := strings.Cut(raw, recordOpen)
	if !ok {
		return
	}
	line, _, _ = strings.Cut(line, "\n")
	field := func(name string) string { return between(line, name+" ", ";") }
	w := f.teamed()
	*w = teamwork{made: true, linked: f.t.itemSet(field("linked")), did: f.t.itemSet(field("did")), shutdown: field("request")}
	if w.me = field("you are"); w.me == leadName {
		w.me = ""
	}
	w.mine, _ = strconv.Atoi(field("task"))
	for n, id := range strings.Split(field("tasks"), ",") {
		if i, ok := f.t.itemIndex[id]; ok {
			w.enter(n+1, i)
		}
	}
	for text := range strings.SplitSeq(field("mates"), ",") {
		if p := strings.Split(text, "/"); len(p) == 5 {
			revived, _ := strconv.Atoi(p[4])
			w.mates = append(w.mates, mate{name: p[0], task: p[1], ended: p[2] == "true", asked: p[3] == "true", revived: revived})
		}
	}
	w.look = w.me == ""
}
