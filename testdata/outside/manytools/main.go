// Command manytools is an MCP server over its standard input and output that lists as
// many tools as it is told, so many a page.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	tools := flag.Int("tools", 10, "how many tools it lists")
	page := flag.Int("page", 4, "how many of them on a page")
	flag.Parse()
	s := mcp.NewServer(&mcp.Implementation{Name: "manytools", Version: "1"}, &mcp.ServerOptions{PageSize: *page, Instructions: "Take one of many."})
	schema, err := jsonschema.For[arguments](nil) // once: it takes a millisecond
	if err != nil {
		log.Fatal(err)
	}
	for i := range *tools {
		s.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool_%05d", i), Description: fmt.Sprintf("The tool number %d.", i), InputSchema: schema}, run)
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Print(err)
	}
}

// arguments are what each tool takes.
type arguments struct {
	Path  string   `json:"path" jsonschema:"the file"`
	Lines []int    `json:"lines,omitempty"`
	Words []string `json:"words,omitempty"`
}

func run(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{}, nil
}
