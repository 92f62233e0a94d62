package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestMeasure prints what workers reach beside as many empty loops in the same minutes,
// and how many tasks the queue itself can hand on. It is run by make cluster alone.
func TestMeasure(t *testing.T) {
	if os.Getenv("MEASURE") == "" {
		return
	}
	s := serve(t, 1)
	const rounds = 7
	var ratios, busy []float64
	var each time.Duration
	for round := range rounds {
		one, _ := worked(t, s, 1, round)
		loop := looped(t, 1)
		two, cores := worked(t, s, 2, round)
		loops := looped(t, 2)
		each = time.Duration(float64(time.Second) / one)
		ratios, busy = append(ratios, two/one/(loops/loop)), append(busy, cores)
		t.Logf("round %d: one worker %.1f shards a second, two %.1f: %.2f times; empty loops %.2f times; workers used %.0f %% of their cores",
			round, one, two, two/one, loops/loop, 100*cores)
	}
	slices.Sort(ratios)
	slices.Sort(busy)
	t.Logf("two workers reach %.2f (%.2f to %.2f) of what two empty loops reach; bar 0.90", ratios[rounds/2], ratios[0], ratios[rounds-1])
	t.Logf("workers use %.0f %% of their cores; bar 90 %%", 100*busy[rounds/2])
	tasks := ceiling(t, s)
	t.Logf("the queue hands on %.0f empty tasks a second; a task is half a second of work: by that some %.0f cores, were nothing else in the way", tasks, tasks/2)
	t.Logf("a shard of ten sessions takes %s here: N workers take that times shards, over N", each.Round(time.Microsecond))
}

// shared has two workers share a list: neither waits long for the other to cut it, and
// for most of the time both have a task of it.
func shared(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	s.worker("--workers", "1")
	s.worker("--workers", "1")
	js, ctx := queued(t, s), context.Background()
	told, err := js.Conn().SubscribeSync("agentsim.tasks.>")
	if err != nil {
		t.Fatal(err)
	}
	queue := taken(t, s)
	c := start(t, t.TempDir(), program, "run", "explore-at-scale", "--variant", "omitted", "--record", "none", "--set", "population={sessions:6000,workspace:5,shard:10}", "--nats", s.urls)
	var some, both int
	for going := true; going; time.Sleep(20 * time.Millisecond) {
		info, err := queue.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if info.NumAckPending > 0 {
			some++
		}
		if info.NumAckPending > 1 {
			both++
		}
		select {
		case <-c.done:
			going = false
		default:
		}
	}
	if c.ended(time.Minute) != 0 || 2*both < some {
		t.Errorf("both workers had a task at %d of the %d times at which one had\n%s", both, some, c.printed())
	}
	// The first task is the list. It was cut after a tenth of what others take.
	var tasks [2]struct{ From, To int }
	for i := range tasks {
		m, err := told.NextMsg(time.Second)
		if err == nil {
			err = json.Unmarshal(m.Data, &tasks[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := tasks[1].From; tasks[0].To != 600 || n == 0 || tasks[1].To != min(600, 11*n) {
		t.Errorf("the first tasks are of runs %v", tasks)
	}
}

// worked is how many shards a second so many workers of one core carry out, and what part of these cores they use.
func worked(t *testing.T, s *servers, n, round int) (rate, cores float64) {
	t.Helper()
	const shards = 1_500
	var workers []*process
	for range n {
		workers = append(workers, s.worker("--workers", "1"))
	}
	c := start(t, t.TempDir(), program, "run", "explore-at-scale", "--variant", "omitted", "--record", "none", "--no-audit", "--set", "seed="+strconv.Itoa(1+round*10_000_000),
		"--set", fmt.Sprintf("population={sessions:%d,workspace:5,shard:10}", 10*shards*n), "--nats", s.urls)
	for _, w := range workers {
		w.saw("runs of explore-at-scale", time.Minute)
	}
	began, used := time.Now(), spent(t, workers)
	if code := c.ended(10 * time.Minute); code != 0 {
		t.Fatalf("code %d\n%s", code, c.printed())
	}
	took := time.Since(began).Seconds()
	cores = (spent(t, workers) - used).Seconds() / took / float64(n)
	for _, w := range workers {
		w.kill()
	}
	return float64(shards*n) / took, cores
}

// spent is the processor time of processes until now.
func spent(t *testing.T, list []*process) (sum time.Duration) {
	t.Helper()
	for _, p := range list {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
		if err != nil {
			t.Skip(err)
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		for _, f := range fields[11:13] {
			ticks, _ := strconv.Atoi(f)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}

// looped is how much so many empty loops come to in some seconds, each a process.
func looped(t *testing.T, n int) (sum float64) {
	t.Helper()
	var outs []io.ReadCloser
	var loops []*exec.Cmd
	for range n {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "EMPTY_LOOP=5s")
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		outs, loops = append(outs, out), append(loops, c)
	}
	for i, c := range loops {
		text, _ := io.ReadAll(outs[i])
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// emptyLoop counts for a while, where this process is asked to.
func emptyLoop() bool {
	long, err := time.ParseDuration(os.Getenv("EMPTY_LOOP"))
	if err != nil {
		return false
	}
	n := 0
	for since := time.Now(); time.Since(since) < long; n++ {
		for x := range 1000 {
			n += x & 1
		}
	}
	fmt.Println(n)
	return true
}

// ceiling is how many tasks a second the queue hands on that take no time.
func ceiling(t *testing.T, s *servers) float64 {
	t.Helper()
	conn, err := nats.Connect(s.urls)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := context.WithTimeout(context.Background(), 5*time.Minute)
	defer done()
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "EMPTY", Subjects: []string{"empty"}, Retention: jetstream.WorkQueuePolicy})
	if err != nil {
		t.Fatal(err)
	}
	take, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "empty", AckPolicy: jetstream.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	const tasks = 5_000
	began := time.Now()
	for range tasks {
		if _, err := js.Publish(ctx, "empty", []byte("{}")); err != nil {
			t.Fatal(err)
		}
		m, err := take.Next()
		if err == nil {
			err = m.DoubleAck(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return tasks / time.Since(began).Seconds()
}
