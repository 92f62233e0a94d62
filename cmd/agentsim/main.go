// Command agentsim runs scenarios of multi-agent LLM systems on virtual time;
// see package cli for what it can do.
package main

import "agentsim/cmd/internal/cli"

func main() { cli.Main() }
