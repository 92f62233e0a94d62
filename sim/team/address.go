package team

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what an address names.
type Kind uint8

// The kinds.
const (
	ToMember Kind = iota // a member, by name
	ToLead
	ToAll    // everyone in the team but the sender
	ToSocket // uds:PATH, another session on this machine
	ToBridge // bridge:SESSION, another session elsewhere
)

// Address is where a message goes.
type Address struct {
	Kind Kind
	Name string // of a member, path of a socket or id of a session
}

// ParseAddress reads the address of a message.
func ParseAddress(to string) (Address, error) {
	for _, x := range [...]struct {
		prefix string
		kind   Kind
	}{{"uds:", ToSocket}, {"bridge:", ToBridge}} {
		if name, ok := strings.CutPrefix(to, x.prefix); ok {
			if name == "" {
				return Address{}, fmt.Errorf("the address %q names nothing behind %s", to, x.prefix)
			}
			return Address{x.kind, name}, nil
		}
	}
	switch to {
	case "*":
		return Address{Kind: ToAll}, nil
	case LeadName:
		return Address{ToLead, to}, nil
	}
	return Address{ToMember, to}, nil
}

// Carries says why an address cannot be sent a kind of message: "" is text, which all
// take; several receivers and other sessions take nothing else.
func (a Address) Carries(k MailKind) error {
	if k == PlainText {
		return nil
	}
	switch a.Kind {
	case ToAll:
		return fmt.Errorf("a %s has one receiver: * carries text only", k)
	case ToSocket, ToBridge:
		return fmt.Errorf("a %s stays in its team: other sessions are sent text only", k)
	}
	return nil
}

// Receivers are those in the team whom an address of a sender means, the lead first.
func (t *Team) Receivers(from string, a Address) ([]string, error) {
	everyone := append([]string{LeadName}, t.Names()...)
	switch {
	case a.Kind == ToAll:
		others := slices.DeleteFunc(everyone, func(n string) bool { return n == from })
		if len(others) == 0 {
			return nil, fmt.Errorf("there is nobody else in team %s", t.Name)
		}
		return others, nil
	case a.Kind == ToSocket || a.Kind == ToBridge:
		return nil, fmt.Errorf("the address is not one of team %s", t.Name)
	case a.Name == from:
		return nil, fmt.Errorf("%s is you", from)
	case !slices.Contains(everyone, a.Name):
		return nil, fmt.Errorf("there is nobody called %s in team %s: there are %s", a.Name, t.Name, strings.Join(everyone, ", "))
	}
	return []string{a.Name}, nil
}
