// Command agentsim runs scenarios of multi-agent LLM systems on virtual time;
// see package cli for what it can do.
package main

import (
	"agentsim/cmd/internal/cli"
	_ "agentsim/sim/transcript/sqlite/driver" // what records
)

func main() { cli.Main() }
