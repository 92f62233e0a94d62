package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
)

// command is what a command says, which must pass.
func command(b *testing.B, args ...string) string {
	b.Helper()
	said := &bytes.Buffer{}
	s := &ui.Env{Args: args, Stdout: said, Stderr: said, Getenv: func(string) string { return "" }, Now: time.Now}
	if code := Run(s); code != ui.Pass {
		b.Fatalf("agentsim %s: exit %d: %s", strings.Join(args, " "), code, said)
	}
	return said.String()
}

// write writes a file and the directories that it needs.
func write(b *testing.B, name, text string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCheck is check of a repository of 10,000 files, against its baseline. It is
// to take less than a second: it took 0.08 on 2026-11-23.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		write(b, filepath.Join(dir, fmt.Sprintf("pkg%d", i/100), fmt.Sprintf("f%d.go", i)), fmt.Sprintf("package p // %d\n", i))
	}
	write(b, filepath.Join(dir, "CLAUDE.md"), strings.Repeat("Keep functions short.\n", 400))
	for i := range 10 {
		write(b, filepath.Join(dir, ".claude", "agents", fmt.Sprintf("a%d.md", i)), fmt.Sprintf("---\nname: a%d\ndescription: Reviews part %d.\n---\nReview it.\n", i, i))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "maintenance.auto=false", "commit", "-q", "-m", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	command(b, "check", dir, "--update")
	for b.Loop() {
		command(b, "check", dir)
	}
}

// BenchmarkBodies is import of 1,000 raw bodies of 75 to 125 KB, of 25 conversations. It
// is to take less than three seconds: on 2026-11-28 it took 1.6 to 2.7 with both cores busy.
func BenchmarkBodies(b *testing.B) {
	const request = `{"model":"claude-opus-4-6","system":%q,"tools":[{"name":"Read","input_schema":{"type":"object"}}],"messages":[%s]}`
	const response = `{"id":"msg_%s","model":"claude-opus-4-6","stop_reason":"tool_use","content":[%s],"usage":{"input_tokens":9,"cache_read_input_tokens":20000,"output_tokens":30}}`
	const pair = `{"timestamp":%q,"session_id":"S%d","request_file":%q,"response_file":%q}` + "\n"
	dir, index, sum := b.TempDir(), strings.Builder{}, int64(0)
	result := strings.Repeat("line of code\n", 80)
	for c := range 25 {
		at := time.Date(2026, 11, 1+c, 10, 0, 0, 0, time.UTC)
		system, messages := strings.Repeat(fmt.Sprintf("Do it well, %d.\n", c), 4_500), `{"role":"user","content":"Begin."}`
		for i := range 40 {
			name := fmt.Sprintf("%d-%d", c, i)
			answer := fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"path":"a%d.go"}}`, i, i)
			body := fmt.Sprintf(request, system, messages)
			write(b, filepath.Join(dir, name+".request.json"), body)
			write(b, filepath.Join(dir, name+".response.json"), fmt.Sprintf(response, name, answer))
			fmt.Fprintf(&index, pair, at.Add(time.Duration(i)*10*time.Second).Format(time.RFC3339), c, name+".request.json", name+".response.json")
			messages += fmt.Sprintf(`,{"role":"assistant","content":[%s]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%q}]}`, answer, i, result)
			sum += int64(len(body))
		}
	}
	write(b, filepath.Join(dir, "index.jsonl"), index.String())
	b.SetBytes(sum)
	for b.Loop() {
		if said := command(b, "import", dir, "--db", filepath.Join(b.TempDir(), "x.db")); !strings.Contains(said, "25 sessions, 1,000 requests") {
			b.Fatal(said)
		}
	}
}

// BenchmarkImport reads, judges and records the sample, about 6,700 rows.
func BenchmarkImport(b *testing.B) {
	for b.Loop() {
		command(b, "import", filepath.Join(validationDir, "sample.jsonl.gz"), "--db", filepath.Join(b.TempDir(), "x.db"))
	}
}

// BenchmarkValidate imports and judges the sample, about 6,700 rows.
func BenchmarkValidate(b *testing.B) {
	for b.Loop() {
		command(b, "lab", "validate", filepath.Join(validationDir, "sample.jsonl.gz"))
	}
}

// BenchmarkReport is report of a run of 1,000 calls, in a process of its own: ms/least is
// the processor time of the cheapest. It is to take less than 500: it took 285 on 2026-11-29.
func BenchmarkReport(b *testing.B) {
	var roots, answers strings.Builder
	for r := range 20 {
		fmt.Fprintf(&roots, "    - {name: r%d, at: %ds, system: {tokens: 3_000}, tools: [Read], user: {tokens: 1_000}}\n", r, r)
		fmt.Fprintf(&answers, "    - agent: r%d\n      turns:\n", r)
		for i := range 49 {
			fmt.Fprintf(&answers, "        - {text: Step %d of %d., tools: [{name: Read, input: {file_path: a.txt}}]}\n", i, r)
		}
		answers.WriteString("        - {text: Done.}\n")
	}
	dir := b.TempDir()
	name, db := filepath.Join(dir, "many.yaml"), filepath.Join(dir, "x.db")
	write(b, name, "agentsim: 1\nname: many\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.txt: Some words.}}\nscript:\n  roots:\n"+roots.String()+"  answers:\n"+answers.String())
	if said := command(b, "run", name, "--db", db, "--no-audit"); !strings.Contains(said, "20  1,000 ") {
		b.Fatal(said)
	}
	run := strings.Split(command(b, "inspect", "--db", db, "-o", "csv"), "\n")[1]
	processes(b, program(b), "report", strings.Split(run, ",")[0], "--db", db, "-o", filepath.Join(dir, "x.html"))
}

// program builds it.
func program(b *testing.B) string {
	b.Helper()
	name, err := filepath.Abs(filepath.Join(b.TempDir(), "agentsim"))
	if err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", name, "agentsim/cmd/agentsim").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return name
}

// processes measures a command in processes of its own, by the cheapest.
func processes(b *testing.B, program string, args ...string) {
	b.Helper()
	least := time.Hour
	for b.Loop() {
		run := exec.Command(program, args...)
		if err := run.Run(); run.ProcessState == nil {
			b.Fatal(err)
		}
		least = min(least, run.ProcessState.UserTime()+run.ProcessState.SystemTime())
	}
	b.ReportMetric(float64(least.Microseconds())/1000, "ms/least")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScenario is run of each scenario of the library with all its variants, in a
// process of its own and not recorded: ms/least is the processor time of the cheapest. All
// but those that have every structure do the work are to take less than 100.
func BenchmarkScenario(b *testing.B) {
	program := program(b)
	for _, name := range scenarios.Names() {
		b.Run(name, func(b *testing.B) { processes(b, program, "run", name, "--record", "none") })
	}
}
