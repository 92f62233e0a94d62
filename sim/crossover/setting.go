package crossover

import "fmt"

// Setting is a named point of experience: a query and the numbers of turns at
// which it is looked at.
type Setting struct {
	Name  string
	Why   string // what users report, and why it comes out so
	Query Query
	Turns []int64
}

// Settings are the two things that users report, in a fixed order. The law says
// both; what differs is how much of the parent's prefix a child needs, and how
// often it is read. The reports are from models that read at a tenth of the input
// price.
func Settings() []Setting {
	short, long := Default(), Default()
	short.Model, long.Model = "claude-sonnet-4-6", "claude-sonnet-4-6"
	short.Prefix, short.Know, short.Siblings, short.Task, short.Growth, short.Output = 60_000, 56_000, 3, 50, 200, 100
	long.Prefix, long.Know, long.Own, long.Growth, long.Output = 150_000, 8_000, 6_000, 200, 100
	return []Setting{
		{"short-directives", "forks save 80 to 90 %: three children that need nearly all that the lead knows (56 k of 60 k) and are done after one or two turns. " +
			"A fork reads at a tenth of the price what a fresh child must write.", short, []int64{1, 2}},
		{"long-tool-loops", "forks cost 5 to 10 times as much: one child that needs little (6 k of its own, 2 k to read) and works 30 to 60 turns with tools. " +
			"A fork reads 150 k at each of them, a fresh child 8 k.", long, []int64{30, 40, 50, 60}},
	}
}

// SettingNamed is the setting of that name. An unknown name is an *Error that
// lists the known ones.
func SettingNamed(name string) (Setting, error) {
	known := ""
	for _, s := range Settings() {
		if s.Name == name {
			return s, nil
		}
		known += " " + s.Name
	}
	return Setting{}, &Error{"setting", fmt.Sprintf("there is none called %q: the settings are%s", name, known)}
}
