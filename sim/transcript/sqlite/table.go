package sqlite

import (
	"context"
	"database/sql"
	"strings"
)

// maxVariables bounds the values of one statement: enough rows that the cost of
// a statement is shared, few enough that one left over costs little.
const maxVariables = 400

// kind is what the tables of a name have alike.
type kind struct {
	name    string
	rowsIn  string // the table itself, where name is a view of it and of what is alike
	columns string
	later   string // columns behind them that another event may fill
	verb    string // INSERT, or INSERT OR IGNORE for what is stored once
	width   int    // of a row, with what is filled later
	sealed  int    // columns that a row has from the beginning
}

// table gathers rows and inserts them with statements of many rows, which the
// driver keeps prepared.
type table struct {
	*kind
	rows    []any // flat
	flushed int   // how many rows were inserted before these
	sum     sum   // of the rows that seal has seen
}

func newTable(verb, name, columns string) table { return newWider(verb, name, columns, "") }

// newWider is a table of which another event may fill some columns.
func newWider(verb, name, columns, later string) table {
	n := strings.Count(columns, ",") + 1
	return table{kind: &kind{name: name, rowsIn: name, columns: columns, later: later, verb: verb, sealed: n, width: n + strings.Count(later, ",")}}
}

// newPart is a table that is read through a view of its name.
func newPart(name, rowsIn, columns string) table {
	t := newTable("INSERT", name, columns)
	t.rowsIn = rowsIn
	return t
}

// add adds a row, without what is filled later.
func (t *table) add(values ...any) {
	t.rows = append(t.rows, values...)
	for range t.width - len(values) {
		t.rows = append(t.rows, nil)
	}
}

// fill fills what is left of row n, counted from the first that was added, and
// reports whether that has not been inserted.
func (t *table) fill(n int, values []any) bool {
	if n -= t.flushed; n < 0 || n >= len(t.rows)/t.width {
		return false
	}
	copy(t.rows[n*t.width+t.sealed:(n+1)*t.width], values)
	return true
}

// made is how many rows were added.
func (t *table) made() int { return t.flushed + len(t.rows)/t.width }

// chunk is how many rows one statement takes.
func (k *kind) chunk() int { return max(1, maxVariables/k.width) }

func (k *kind) insert(rows int) string {
	row := ",(?" + strings.Repeat(",?", k.width-1) + ")"
	return k.verb + " INTO " + k.rowsIn + " (" + k.columns + k.later + ") VALUES " + strings.Repeat(row, rows)[1:]
}

// seal adds the rows that are gathered to the table's sum.
func (t *table) seal() {
	for rows := t.rows; len(rows) > 0; rows = rows[t.width:] {
		t.sum.add(rows[:t.sealed])
	}
}

// flush inserts the rows and forgets them.
func (t *table) flush(tx execer) error {
	rows := t.rows
	for _, n := range [...]int{t.chunk(), max(1, t.chunk()/8), 1} {
		if len(rows) < n*t.width {
			continue
		}
		q := t.insert(n)
		for n *= t.width; len(rows) >= n; rows = rows[n:] {
			if _, err := tx.ExecContext(context.Background(), q, rows[:n]...); err != nil {
				return err
			}
		}
	}
	t.forget()
	return nil
}

// forget forgets the rows, which are in the file.
func (t *table) forget() {
	t.flushed = t.made()
	clear(t.rows)
	t.rows = t.rows[:0]
}

// execer is a connection or a transaction that may write.
type execer interface {
	querier
	ExecContext(ctx context.Context, q string, args ...any) (sql.Result, error)
}

// tables are those that a run's events fill.
type tables struct {
	payloads, nodes, events, agents, requests, breakpoints, toolCalls table
	tasks, messages, items, findings, invariants, metrics             table
	recordedRequests, recordedTools, handoffs, files, schedules       table
	specs, alike, alikeIn                                             table
}

// noRows are the tables without rows.
var noRows = tables{
	payloads: newTable("INSERT OR IGNORE", "payloads", "sha256,bytes,content"),
	nodes:    newTable("INSERT OR IGNORE", "nodes", "hash,parent,level,role,kind,name,pos,head,payload,tail,class"),
	events:   newTable("INSERT", "events", "run,seq,at,phase,agent,kind,text"),
	agents: newWider("INSERT", "agents", "run,agent,activation,seq,id,lineage,parent,type,structure,model,depth,"+
		"pool_mode,run_mode,async,source,tool_use,tools,context,started_at", endColumns),
	requests: newTable("INSERT", "requests", "run,seq,n,agent,activation,call,attempt,at,model,head,blocks,bytes,"+
		"status,ended_seq,stop,answer,input,write_5m,write_1h,read,output,cost,cost_uncached,"+
		"read_to,written_to,undecided,miss,expected,lost,expected_from,miss_pos,miss_byte,started_at,began_at,ended_at"),
	breakpoints: newTable("INSERT", "breakpoints", "run,seq,idx,node,pos,ttl,reads,back,writes"),
	toolCalls: newTable("INSERT", "tool_calls", "run,seq,agent,call,idx,id,name,cause,at,"+
		"ended_seq,is_error,removed_by,bytes,took"),
	tasks:      newTable("INSERT", "tasks", "run,seq,agent,at,task,type,from_state,to_state,activation"),
	messages:   newTable("INSERT", "messages", "run,seq,agent,at,kind,task,op,place,status,bytes,prefix"),
	items:      newTable("INSERT", "items", "run,seq,agent,item,outcome,missing"),
	findings:   newTable("INSERT", "findings", "run,seq,agent,rule,detail"),
	handoffs:   newTable("INSERT", "handoffs", "run,seq,agent,at,activation,verdict,taint,why"),
	invariants: newPart("invariants", "invariant_rows", "run,name,checks,broken"),
	metrics:    newPart("metrics", "metric_rows", "run,scope,name,value,unit"),
	recordedRequests: newTable("INSERT", "recorded_requests", "run,seq,n,request,id,pred,version,stop,user_turn,compacted,"+
		"output_known,writes_known,billed,answer_blocks,server_reason,server_missed,class,cause,expected,lost,lost_cost,told,changed"),
	recordedTools: newTable("INSERT", "recorded_tools", "run,seq,idx,id,spawned"),
	files:         newTable("INSERT", "files", "run,path,payload"),
	schedules:     newTable("INSERT", "schedules", "run,choices"),
	specs:         newTable("INSERT OR IGNORE", "specs", "sha256,head,tail"),
	alike:         newTable("INSERT OR IGNORE", "alike", "sha256,object"),
	alikeIn:       newTable("INSERT", "alike_in", "run,part,alike,figures"),
}

// all lists the tables in the order in which a batch inserts them: what others
// refer to first.
func (t *tables) all() []*table {
	return []*table{&t.payloads, &t.nodes, &t.specs, &t.alike,
		&t.events, &t.agents, &t.requests, &t.breakpoints, &t.toolCalls, &t.tasks, &t.messages, &t.items, &t.findings, &t.invariants, &t.metrics,
		&t.recordedRequests, &t.recordedTools, &t.handoffs, &t.files, &t.schedules, &t.alikeIn}
}

// sealed lists the tables whose rows belong to one run, beside runs and executions.
func (t *tables) sealed() []*table { return t.all()[4:] }
