package transcript

import "agentsim/sim/vtime"

// Team is what became of a team or one of its members. Its events stand on the
// record of the lead, those of a member on the member's.
type Team struct {
	Team        string         `text:"team"`
	Op          string         `text:"op"`                 // created, deleted; joined, idle, left, stopped, and of a pane hide, show
	Name        string         `text:"name,opt"`           // of the member
	Backend     string         `text:"backend,opt"`        // where a member that joins runs
	StartUp     vtime.Duration `text:"start_up,opt,short"` // of its process, before its first request
	Connections int            `text:"connections,opt"`    // that its process opens for itself
	Command     string         `text:"command,opt"`        // by which a terminal starts or ends it, or turns its pane
}

func (*Team) Kind() Kind { return KindTeam }

// Mail is a message on its way to a member of a team or to another session. Its events
// stand on the receiver's record.
type Mail struct {
	Team  string `text:"team,opt"`  // "" between sessions
	Op    string `text:"op"`        // sent, delivered, dropped
	Place string `text:"place,opt"` // loop, idle, resume; client where the receiver's model does not see it
	From  string `text:"from"`
	To    string `text:"to"`
	N     int    `text:"n"`        // its number among those of the sender to this receiver, from 1
	Type  string `text:"type,opt"` // of a structured message
	Mode  string `text:"mode,opt"` // that an approved plan brings its reader
	Bytes int    `text:"bytes,opt"`
}

func (*Mail) Kind() Kind { return KindMail }

// TeamTask is a change of a task that a team shares. Its events stand on the record of
// who changes it.
type TeamTask struct {
	Team   string `text:"team"`
	Task   int    `text:"task"`
	Op     string `text:"op"` // created, updated, deleted, released (its owner has ended)
	Status string `text:"status"`
	Owner  string `text:"owner,opt"`
	By     string `text:"by,opt"` // who changes it
}

func (*TeamTask) Kind() Kind { return KindTeamTask }
