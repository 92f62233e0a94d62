// Package team is what a team of agents shares, without the agents: who is in it, the
// mailboxes by which its members write to each other, the list of tasks that they take,
// and where they run.
//
// Rules:
//   - A team is flat: it has one lead and members, and members have none of their own.
//   - Mail is read exactly once, and in order of each sender. A mailbox that is not
//     what this package wrote is an error that names the line.
//   - A task has one owner. Of several that claim it one wins.
//   - What comes from agents is text, and cannot pass for what the team itself says.
package team

import (
	"fmt"
	"slices"
	"strings"
)

// LeadName is the name under which members write to their lead.
const LeadName = "team-lead"

// UserName is that under which the user writes to members.
const UserName = "user"

// maxName bounds the names of teams and members, in bytes.
const maxName = 64

// CheckName says what is wrong with the name of a team or a member.
func CheckName(name string) error {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}
	switch {
	case name == "":
		return fmt.Errorf("a name must not be empty")
	case len(name) > maxName:
		return fmt.Errorf("a name has at most %d bytes, not %d", maxName, len(name))
	case strings.ContainsFunc(name, odd):
		return fmt.Errorf("the name %q holds more than letters, digits, dashes and underscores", name)
	}
	return nil
}

// ID is the id of a member: NAME@TEAM.
func ID(name, team string) string { return name + "@" + team }

// colors are those that members are shown in, in the order in which they join.
var colors = [...]string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"}

// Member is an agent of a team.
type Member struct {
	Name  string
	Color string
}

// Team is a lead and its members.
type Team struct {
	Name    string
	Tasks   List
	members []Member
	boxes   []*Box // of the lead, then of everyone who ever was a member
	joined  int
}

// New makes a team without members.
func New(name string) (*Team, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	t := &Team{Name: name}
	t.boxes = []*Box{NewBox(LeadName)}
	return t, nil
}

// Free says why a name cannot be a new member's.
func (t *Team) Free(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if name == LeadName || name == UserName || t.Member(name) {
		return fmt.Errorf("the name %s is taken in team %s", name, t.Name)
	}
	return nil
}

// Color is that of a member.
func (t *Team) Color(name string) string {
	for _, m := range t.members {
		if m.Name == name {
			return m.Color
		}
	}
	return ""
}

// Join adds a member. A name is borne by one at a time; whoever bears it later has a
// mailbox of its own.
func (t *Team) Join(name string) (Member, error) {
	if err := t.Free(name); err != nil {
		return Member{}, err
	}
	m := Member{Name: name, Color: colors[t.joined%len(colors)]}
	t.joined++
	t.members = append(t.members, m)
	t.boxes = slices.DeleteFunc(t.boxes, func(b *Box) bool { return b.of == name })
	t.boxes = append(t.boxes, NewBox(name))
	return m, nil
}

// Leave takes a member out. Its open tasks belong to nobody from then on, and are
// returned.
func (t *Team) Leave(name string) []Task {
	t.members = slices.DeleteFunc(t.members, func(m Member) bool { return m.Name == name })
	return t.Tasks.Release(name)
}

// Member reports whether a member bears the name.
func (t *Team) Member(name string) bool {
	return slices.ContainsFunc(t.members, func(m Member) bool { return m.Name == name })
}

// Names are the members, in the order in which they joined.
func (t *Team) Names() []string {
	var out []string
	for _, m := range t.members {
		out = append(out, m.Name)
	}
	return out
}

// Box is the mailbox of the lead or a member, nil for none.
func (t *Team) Box(name string) *Box {
	for _, b := range t.boxes {
		if b.of == name {
			return b
		}
	}
	return nil
}
