package transcript

// Terminal is a line that a stack shows on the user's terminal beside what the
// model says. Only the minimal stack has any (MIN-02).
type Terminal struct {
	Line string `text:"line"`
}

func (*Terminal) Kind() Kind { return KindTerminal }
