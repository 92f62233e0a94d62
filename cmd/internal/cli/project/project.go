// Package project is the command that asks what a project's MCP servers have. It is
// the one command that starts them.
package project

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/definition"
	"agentsim/sim/project"

	"github.com/spf13/cobra"
)

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	group := ui.NewGroup("project", "save what the MCP servers of a project have", newServers(s))
	group.Long = "What a project puts in front of agents, and what has to be asked for."
	group.Example = "  agentsim project mcp --save"
	return group
}

func newServers(s *ui.Env) *cobra.Command {
	var save bool
	var wait time.Duration
	var output string
	cmd := &cobra.Command{
		Use:   "mcp [DIR]",
		Short: "list the MCP servers of a project, and save the tools of each",
		Long: `Lists the servers of DIR/.mcp.json (of the present directory). With --save each server that is a command is started, asked
for its tools, and ended; the answer is kept as DIR/.agentsim/mcp/NAME.json, from which run, sweep and bench take what
is in requests. Nothing else starts a server.`,
		Example: `  agentsim project mcp
  agentsim project mcp --save`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return servers(s, append(args, ".")[0], save, wait, output)
		},
	}
	cmd.Flags().BoolVar(&save, "save", false, "start each server, and save its tools")
	cmd.Flags().DurationVar(&wait, "wait", 20*time.Second, "how long one server may take")
	ui.OutputFlag(cmd.Flags(), &output)
	return cmd
}

// row is what is known of a server.
type row struct {
	project.Server
	state string
	tools int
	bytes int
}

func servers(s *ui.Env, dir string, save bool, wait time.Duration, output string) error {
	if err := loading.CheckDirectory(dir); err != nil {
		return err
	}
	in, err := hostdir.OpenDir(dir)
	if err != nil {
		return ui.Failf(ui.Operating, "%s: %w", dir, err)
	}
	defer in.Close()
	list, problems := project.Servers(project.Source{Dir: in, Name: filepath.ToSlash(filepath.Clean(dir))})
	stop := harness.Listen(s)
	defer stop.Stop()
	var rows []row
	for i, server := range list {
		x := row{Server: server}
		if save {
			p := x.save(in, dir, wait, stop)
			if stop.Has() {
				return ui.Failf(ui.Interrupted, "interrupted at server %s, %d of %d: it was ended, and nothing of it is saved", x.Name, i+1, len(list))
			}
			if p != nil {
				problems = append(problems, p)
			}
		}
		x.look(in)
		rows = append(rows, x)
	}
	loading.Problems(s, problems)
	if err := s.Print(output, document(rows)); err != nil {
		return err
	}
	if len(problems) > 0 {
		return ui.Said(ui.Operating)
	}
	return nil
}

func document(rows []row) *report.Document {
	d := &report.Document{}
	type col = report.Column[row]
	d.Table(report.TableOf("servers", rows,
		col{Name: "server", Head: "SERVER", Of: func(r row) report.Value { return report.Text(r.Name) }},
		col{Name: "line", Head: " LINE", Of: func(r row) report.Value { return report.Count(r.Line) }},
		col{Name: "tools", Head: " TOOLS", Of: func(r row) report.Value { return report.Count(r.tools) }},
		col{Name: "bytes", Head: " BYTES", Of: func(r row) report.Value { return report.Count(r.bytes) }},
		col{Name: "state", Head: "STATE", Of: func(r row) report.Value { return report.Text(r.state) }}))
	if len(rows) == 0 {
		d.Say("no .mcp.json names a server here")
	}
	return d
}

// look reads what is saved of the server.
func (x *row) look(in *hostdir.Dir) {
	text, err := in.Read(project.SavedDir+x.Name+".json", maxSaved)
	var kept saved
	if err != nil || json.Unmarshal(text, &kept) != nil {
		x.state = "not saved: its tools are assumed"
		return
	}
	x.state, x.tools, x.bytes = "saved", len(kept.Tools), len(text)
}

// save asks the server and keeps its answer.
func (x *row) save(in *hostdir.Dir, dir string, wait time.Duration, stop *harness.Interrupt) *definition.Problem {
	problem := func(format string, args ...any) *definition.Problem {
		return &definition.Problem{File: filepath.ToSlash(filepath.Join(dir, ".mcp.json")), Line: x.Line, Col: 1, Msg: "server " + x.Name + ": " + fmt.Sprintf(format, args...)}
	}
	if x.Command == "" {
		return problem("it is no command: write the answer of its tools/list into %s%s.json yourself", project.SavedDir, x.Name)
	}
	kept, err := ask(x.Server, dir, wait, stop)
	if err != nil {
		return problem("%v", err)
	}
	text, err := json.MarshalIndent(kept, "", " ")
	if err == nil {
		err = in.Write(project.SavedDir+x.Name+".json", append(text, '\n'))
	}
	if err != nil {
		return problem("its tools cannot be saved: %v", err)
	}
	return nil
}
