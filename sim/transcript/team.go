package transcript

import "agentsim/sim/vtime"

// Team is what became of a team or one of its members. Its events stand on the
// record of the lead, those of a member on the member's.
type Team struct {
	Team        string
	Op          string         // created, deleted; joined, idle, left, stopped
	Name        string         // of the member
	Backend     string         // where a member that joins runs
	StartUp     vtime.Duration // of its process, before its first request
	Connections int            // that its process opens for itself
	Command     string         // by which a terminal has it started
}

func (*Team) Kind() Kind { return KindTeam }

func (b *Team) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " team=", b.Team)
	dst = appendStr(dst, " op=", b.Op)
	dst = optStr(dst, " name=", b.Name)
	dst = optStr(dst, " backend=", b.Backend)
	if b.StartUp > 0 {
		dst = appendStr(dst, " start_up=", b.StartUp.String())
	}
	dst = optInt(dst, " connections=", b.Connections)
	return optStr(dst, " command=", b.Command)
}

// Mail is a message on its way to a member of a team or to another session. Its events
// stand on the receiver's record.
type Mail struct {
	Team  string // "" between sessions
	Op    string // sent, delivered, dropped
	Place string // loop, idle, resume; client where the receiver's model does not see it
	From  string
	To    string
	N     int    // its number among those of the sender to this receiver, from 1
	Type  string // of a structured message
	Mode  string // that an approved plan brings its reader
	Bytes int
}

func (*Mail) Kind() Kind { return KindMail }

func (b *Mail) AppendText(dst []byte) []byte {
	dst = optStr(dst, " team=", b.Team)
	dst = appendStr(dst, " op=", b.Op)
	dst = optStr(dst, " place=", b.Place)
	dst = appendStr(dst, " from=", b.From)
	dst = appendStr(dst, " to=", b.To)
	dst = appendInt(dst, " n=", b.N)
	dst = optStr(dst, " type=", b.Type)
	dst = optStr(dst, " mode=", b.Mode)
	return optInt(dst, " bytes=", b.Bytes)
}

// TeamTask is a change of a task that a team shares. Its events stand on the record of
// who changes it.
type TeamTask struct {
	Team   string
	Task   int
	Op     string // created, updated, deleted, released (its owner has ended)
	Status string
	Owner  string
	By     string // who changes it
}

func (*TeamTask) Kind() Kind { return KindTeamTask }

func (b *TeamTask) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " team=", b.Team)
	dst = appendInt(dst, " task=", b.Task)
	dst = appendStr(dst, " op=", b.Op)
	dst = appendStr(dst, " status=", b.Status)
	dst = optStr(dst, " owner=", b.Owner)
	return optStr(dst, " by=", b.By)
}
