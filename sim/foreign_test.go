package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/workspace"
)

// foreignProjects are what repositories hold that made work undoable or took hundreds of searches.
var foreignProjects = map[string]func(files map[string]string){
	"hundreds of files of one name": func(files map[string]string) {
		for i := range 400 {
			files[fmt.Sprintf("db/migrations/2024%04d_change/migration.sql", i)] = strings.Repeat("alter table orders add note text;\n", 5)
		}
	},
	"one name deep in directories whose names glob": func(files map[string]string) {
		for i := range 400 {
			files[fmt.Sprintf("app/r%d/[id]/page.tsx", i)] = "export default 1\nexport const b = 2\n"
		}
	},
	"names that are an extension": func(files map[string]string) {
		for i := range 400 {
			files[fmt.Sprintf("p%d/.env", i)] = "HOST=localhost\nPORT=80\n"
		}
	},
	"thousands of names without an extension": func(files map[string]string) {
		for i := range 4000 {
			files[fmt.Sprintf("data/%c%d", 'a'+i*7%26, i*7919%4001)] = "the first line\nand the second line\n"
		}
	},
	"one file of one line": func(files map[string]string) { files["main.go"] = "package main\n" },
	"one minified file":    func(files map[string]string) { files["app.min.js"] = strings.Repeat("var a=1;", 5000) + "run();\n" },
	"minified files beside others": func(files map[string]string) {
		for i := range 60 {
			files[fmt.Sprintf("static/a%d.css", i)] = strings.Repeat("a{color:red}", 7000)
		}
		files["src/main.go"] = "package main\n\nfunc main() {}\n"
	},
}

func TestForeignProjects(t *testing.T) {
	f, err := scenarios.Open("fork-vs-subagent")
	if err != nil {
		t.Fatal(err)
	}
	for name, fill := range foreignProjects {
		t.Run("CLI-04 the flagship's work is doable on "+name, func(t *testing.T) {
			files := map[string]string{}
			fill(files)
			project, err := workspace.NewSnapshot(files)
			if err != nil {
				t.Fatal(err)
			}
			for _, variant := range []string{"inline", "subagent", "fork"} {
				sc, err := f.Effective(variant, nil)
				if err != nil {
					t.Fatal(err)
				}
				spec, err := sim.NewSpec(sc, variant)
				if err != nil {
					t.Fatal(err)
				}
				spec.Project = project
				fold := metrics.New(metrics.Options{Items: len(sc.Work), Price: sc.Provider.Priced})
				if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{fold}}); err != nil {
					t.Fatal(err)
				}
				if r := fold.Run(); r.Items.Done != r.Items.Total || r.Total.Calls > 400 {
					t.Errorf("%s: %d of %d items are done after %d calls", variant, r.Items.Done, r.Items.Total, r.Total.Calls)
				}
			}
		})
	}
}
