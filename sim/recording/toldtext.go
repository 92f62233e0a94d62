package recording

import (
	"fmt"
	"strings"
)

// ToldText is all that lines tell of r as one text, such as
// "thinking:typed effort:high resume@0:12": settings, then what happened, each
// with file and line. "" for nothing.
func (r *Request) ToldText() string {
	var words []string
	for _, s := range [...]struct {
		what  What
		value string
	}{{ThinkingTold, r.Settings.Thinking}, {EffortTold, r.Settings.Effort}, {SpeedTold, r.Settings.Speed}} {
		if s.value != "" {
			words = append(words, s.what.String()+":"+s.value)
		}
	}
	if r.Orphan {
		words = append(words, "orphan")
	}
	for _, t := range r.Told {
		words = append(words, fmt.Sprintf("%v@%d:%d", t.What, t.File, t.Line))
	}
	return strings.Join(words, " ")
}

// SetTold gives r what ToldText has made a text of.
func (r *Request) SetTold(text string) error {
	for _, word := range strings.Fields(text) {
		name, place, event := strings.Cut(word, "@")
		setting, value, _ := strings.Cut(word, ":")
		w, ok := WhatNamed(name)
		switch {
		case event && ok:
			t := Told{What: w}
			if _, err := fmt.Sscanf(place, "%d:%d", &t.File, &t.Line); err != nil {
				return fmt.Errorf("%q: %w", word, err)
			}
			r.Told = append(r.Told, t)
		case setting == ThinkingTold.String():
			r.Settings.Thinking = value
		case setting == EffortTold.String():
			r.Settings.Effort = value
		case setting == SpeedTold.String():
			r.Settings.Speed = value
		case word == "orphan":
			r.Orphan = true
		default:
			return fmt.Errorf("%q is nothing that lines tell", word)
		}
	}
	return nil
}
