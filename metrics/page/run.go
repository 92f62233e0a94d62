package page

// Run is one recorded run as the page's script reads it. Times are nanoseconds since
// its start, money is picodollars, sizes are tokens or bytes as named.
type Run struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`           // of the scenario, with its variant
	Note    string  `json:"note"`           // how it ended, what of it is not recorded
	End     int64   `json:"end"`            // instant of its last event
	Best    bool    `json:"best,omitempty"` // a page opens on it
	Billed  bool    `json:"billed"`         // false: prompts are sizes, and nobody knows what was read
	Agents  []Agent `json:"agents"`         // parents in front of their children
	Calls   []Call  `json:"calls"`          // in order
	Tools   []Tool  `json:"tools"`
	Mails   []Mail  `json:"mails"`
	Pieces  []Piece `json:"pieces"`            // blocks; each has its parent in front of it
	Cut     int     `json:"cut"`               // characters after which a block's content is cut; 0 where none is kept
	Missing string  `json:"missing,omitempty"` // why there are no calls, or no blocks
	At      string  `json:"at,omitempty"`      // the flag that names its database, with a blank before it
}

// Agent is a lane.
type Agent struct {
	Lineage   string `json:"l"`
	ID        string `json:"id"`
	Type      string `json:"t"`
	Structure string `json:"s"`
	Model     string `json:"m"`
	Parent    int    `json:"p"` // place in Run.Agents; -1 for a root
	Depth     int    `json:"d"`
	From      int64  `json:"a"`
	To        int64  `json:"b"`
	Ended     string `json:"e"` // how its last activation ended, and why
	Read      int64  `json:"r"` // tokens of its own calls
	Write     int64  `json:"w"`
	Output    int64  `json:"o"`
	Cost      int64  `json:"c"` // of its own calls; -1, as Calls, where the record does not hold them
	Calls     int64  `json:"n"`
}

// Call is one request and its answer.
type Call struct {
	N        int64    `json:"n"` // number in the run, from 1
	Agent    int      `json:"g"` // place in Run.Agents
	Call     int      `json:"k"` // number in the agent, from 1
	Attempt  int      `json:"r,omitempty"`
	At       int64    `json:"a"`           // sent
	Began    int64    `json:"f,omitempty"` // first byte
	Ended    int64    `json:"z"`
	Read     int64    `json:"cr,omitempty"` // tokens
	Write5m  int64    `json:"w5,omitempty"`
	Write1h  int64    `json:"w1,omitempty"`
	Input    int64    `json:"in,omitempty"` // uncached
	Output   int64    `json:"o,omitempty"`
	Cost     int64    `json:"c,omitempty"`
	Uncached int64    `json:"u,omitempty"` // what it would have cost without a cache
	Stop     string   `json:"s,omitempty"`
	Failed   bool     `json:"x,omitempty"`
	Bytes    int64    `json:"y,omitempty"` // of the prompt
	Head     int      `json:"h"`           // place in Run.Pieces of the prompt's last block; -1 where that is not kept
	Answer   int      `json:"w"`           // of the answer's last block; -1 without one
	ReadTo   int32    `json:"rt,omitempty"`
	WriteTo  int32    `json:"wt,omitempty"`
	Miss     *Miss    `json:"q,omitempty"`
	Marks    []string `json:"b,omitempty"` // breakpoints, and what went by way of each
}

// Miss is why a call read less than it could have, and what that cost.
type Miss struct {
	Reason   string `json:"r"`
	Meaning  string `json:"m"`
	Keep     string `json:"k,omitempty"` // what would have kept it
	Expected int64  `json:"e"`           // tokens
	Lost     int64  `json:"l"`           // tokens written again
	Cost     int64  `json:"c,omitempty"` // more than a hit
	After    int64  `json:"a,omitempty"` // the call it could have read from
	Pos      int32  `json:"p,omitempty"` // first block that differs from that call's
	Byte     int64  `json:"y"`           // first byte that differs; -1 for none
}

// Tool is one tool use.
type Tool struct {
	Agent int    `json:"g"`
	Name  string `json:"n"`
	At    int64  `json:"a"`
	Ended int64  `json:"z"`
	Fail  bool   `json:"x,omitempty"`
}

// Mail is a message that came into an agent's conversation.
type Mail struct {
	From int    `json:"f"` // place in Run.Agents; -1 for the user
	To   int    `json:"g"`
	Sent int64  `json:"a"`
	At   int64  `json:"z"` // delivered
	Kind string `json:"k"`
}

// Piece is a block of a conversation, with all that is in front of it.
type Piece struct {
	Parent int    `json:"p"` // place in Run.Pieces; -1 for the first
	Level  string `json:"l,omitempty"`
	Role   string `json:"r,omitempty"`
	Kind   string `json:"k,omitempty"` // "" for a border
	Name   string `json:"n,omitempty"` // of a tool
	Pos    int32  `json:"o,omitempty"`
	Bytes  int64  `json:"y,omitempty"`
	Text   string `json:"t,omitempty"`
}
