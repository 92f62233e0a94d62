package transcript

// Server is what became of an MCP server: of the session's, or, where it is an
// agent's, of the one that this agent opened.
type Server struct {
	Name   string
	Status string   // connecting, connected, failed, needs-auth, dropped, listed, closed
	Tools  []string // names of those that it lists from here on, in order
}

func (*Server) Kind() Kind { return KindServer }

func (b *Server) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " name=", b.Name)
	dst = appendStr(dst, " status=", b.Status)
	return optList(dst, " tools=", b.Tools)
}
