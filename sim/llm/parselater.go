package llm

import "strings"

// resultSuffix ends the type of a server tool's result; before it stands the
// tool's name.
const resultSuffix = "_tool_result"

// later reads the kinds that few conversations hold.
func (p *parser) later(blk *Block, f []span) (err error) {
	switch blk.Kind {
	case ServerToolUse:
		if blk.ID, err = p.serverToolUseID(f[fID]); err != nil {
			return err
		}
		if blk.Name, err = p.text(f[fName], "name"); err != nil {
			return err
		}
		blk.Content, err = p.object(f[fInput], "input")
	case ServerToolResult:
		if blk.ID, err = p.serverToolUseID(f[fToolUseID]); err != nil {
			return err
		}
		typ, _ := p.text(f[fType], "type")
		blk.Name = strings.TrimSuffix(typ, resultSuffix)
		v := f[fContent]
		blk.Content = NewJSON(string(p.data[v.from:v.to]))
	case ToolAddition, ToolRemoval, ToolReference:
		blk.Content, err = p.object(f[fTool], "tool")
	case EffortChange:
		blk.Content, err = p.payload(f[fEffort], "effort", Prose)
	}
	return err
}

// serverToolUseID reads an id that begins with srv.
func (p *parser) serverToolUseID(v span) (ToolUseID, error) {
	s, err := p.text(v, "id")
	if err != nil {
		return ToolUseID{}, err
	}
	rest, cut := strings.CutPrefix(s, "srv")
	id, ok := ParseToolUseID(rest)
	if !ok || !cut {
		return id, at(v.from, "server tool use id %q; it must be srvtoolu_ and 24 lower-case hex digits", s)
	}
	return id, nil
}

// clearAt accepts the one value there is.
func (p *parser) clearAt(v span) error {
	s, err := p.text(v, "clear_at")
	if err == nil && s != "next_user_message" {
		err = at(v.from, "clear_at %q; it must be next_user_message", s)
	}
	return err
}
