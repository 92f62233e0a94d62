package tool

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
)

// SearchName is the tool by which an agent has definitions of tools that stand in front
// of it by name alone.
const SearchName = "ToolSearch"

// Select opens a query that names tools.
const Select = "select:"

// mostFound is how many tools a search finds that says nothing of it.
const mostFound = 5

const searchText = `Fetches the definitions of deferred tools, which are listed by name alone: until then they cannot be called.
A query select:NAME,NAME fetches these tools; any other is words of which names and descriptions are searched for.`

var searchFields = fields{
	{name: "query", required: true, about: "select:NAME,NAME for tools by name, or words to search for."},
	{name: "max_results", typ: integerType, about: "The most that are fetched; 5 when left out."},
}

// SearchTool is ToolSearch. No layer takes it from an agent that has tools of servers
// by it.
func SearchTool() *Tool {
	return &Tool{Name: SearchName, Handled: true, MCP: true, Class: permission.Meta, Took: stopTook, Description: searchText,
		Schema: searchFields.schema(), fields: searchFields}
}

// Search is the tools that a call of ToolSearch finds among those that are deferred.
func Search(deferred []*Tool, p *llm.Payload) ([]*Tool, error) {
	var in input
	if err := searchFields.read(p.Raw(), &in); err != nil {
		return nil, err
	}
	most, query := mostFound, in[0].text()
	if n, ok := in[1].integer(); ok && n > 0 {
		most = int(n)
	}
	var found []*Tool
	if names, is := strings.CutPrefix(query, Select); is {
		for name := range strings.SplitSeq(names, ",") {
			if t := Find(deferred, strings.TrimSpace(name)); t != nil {
				found = append(found, t)
			}
		}
		return found, nil
	}
	for _, t := range deferred {
		text := strings.ToLower(t.Name + " " + t.Raw)
		if len(found) < most && slices.ContainsFunc(strings.Fields(strings.ToLower(query)), func(w string) bool { return strings.Contains(text, w) }) {
			found = append(found, t)
		}
	}
	return found, nil
}
