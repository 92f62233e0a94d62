package transcript

// Server is what became of an MCP server: of the session's, or, where it is an
// agent's, of the one that this agent opened.
type Server struct {
	Name   string   `text:"name"`
	Status string   `text:"status"`    // connecting, connected, failed, needs-auth, dropped, listed, closed
	Tools  []string `text:"tools,opt"` // names of those that it lists from here on, in order
}

func (*Server) Kind() Kind { return KindServer }
