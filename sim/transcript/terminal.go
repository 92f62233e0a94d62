package transcript

// Terminal is a line that a stack shows on the user's terminal beside what the
// model says. Only the minimal stack has any (MIN-02).
type Terminal struct{ Line string }

func (*Terminal) Kind() Kind { return KindTerminal }

func (b *Terminal) AppendText(dst []byte) []byte { return appendStr(dst, " line=", b.Line) }
