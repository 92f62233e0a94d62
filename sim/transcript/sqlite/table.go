package sqlite

import (
	"database/sql"
	"slices"
	"strings"
)

// maxVariables bounds the values of one statement: enough rows that the cost of
// a statement is shared, few enough that one left over costs little.
const maxVariables = 400

// table gathers rows and inserts them with statements of many rows.
type table struct {
	name    string
	columns string
	verb    string // INSERT, or INSERT OR IGNORE for what is stored once
	width   int
	rows    []any // flat
	one     *sql.Stmt
	many    *sql.Stmt
	sum     sum // of the rows that seal has seen
}

func newTable(verb, name, columns string) *table {
	return &table{name: name, columns: columns, verb: verb, width: strings.Count(columns, ",") + 1}
}

func (t *table) add(values ...any) { t.rows = append(t.rows, values...) }

// chunk is how many rows one statement takes.
func (t *table) chunk() int { return max(1, maxVariables/t.width) }

func (t *table) insert(rows int) string {
	row := ",(?" + strings.Repeat(",?", t.width-1) + ")"
	return t.verb + " INTO " + t.name + " (" + t.columns + ") VALUES " + strings.Repeat(row, rows)[1:]
}

func (t *table) prepare(db *sql.DB) (err error) {
	if t.one != nil {
		return nil
	}
	if t.many, err = db.Prepare(t.insert(t.chunk())); err != nil {
		return err
	}
	t.one, err = db.Prepare(t.insert(1))
	return err
}

// seal adds the rows that are gathered to the table's sum.
func (t *table) seal() {
	for rows := t.rows; len(rows) > 0; rows = rows[t.width:] {
		t.sum.add(rows[:t.width])
	}
}

// flush inserts the rows and forgets them.
func (t *table) flush(tx txn) error {
	rows, err := t.flushWith(tx, t.many, t.rows, t.chunk()*t.width)
	if err == nil {
		_, err = t.flushWith(tx, t.one, rows, t.width)
	}
	clear(t.rows)
	t.rows = t.rows[:0]
	return err
}

// flushWith inserts as many groups of n values as there are and returns the rest.
func (t *table) flushWith(tx txn, prepared *sql.Stmt, rows []any, n int) ([]any, error) {
	if len(rows) < n {
		return rows, nil
	}
	stmt := tx.Stmt(prepared)
	defer stmt.Close()
	for len(rows) >= n {
		if _, err := stmt.Exec(rows[:n]...); err != nil {
			return rows, err
		}
		rows = rows[n:]
	}
	return rows, nil
}

func (t *table) close() {
	for _, s := range []*sql.Stmt{t.one, t.many} {
		if s != nil {
			s.Close()
		}
	}
}

// tables are those that a run's events fill.
type tables struct {
	payloads, nodes, events, agents, requests, breakpoints, toolCalls *table
	tasks, messages, items, findings, invariants, metrics             *table
	recordedRequests, recordedTools, handoffs                         *table
}

func newTables() tables {
	return tables{
		payloads: newTable("INSERT OR IGNORE", "payloads", "sha256,bytes,content"),
		nodes:    newTable("INSERT OR IGNORE", "nodes", "hash,parent,level,role,kind,name,pos,head,payload,tail,class"),
		events:   newTable("INSERT", "events", "run,seq,at,phase,agent,kind,text"),
		agents: newTable("INSERT", "agents", "run,agent,activation,seq,id,lineage,parent,type,structure,model,depth,"+
			"pool_mode,run_mode,async,source,tool_use,tools,context,started_at"),
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
		invariants: newTable("INSERT", "invariants", "run,name,checks,broken"),
		metrics:    newTable("INSERT", "metrics", "run,scope,name,value,unit"),
		recordedRequests: newTable("INSERT", "recorded_requests", "run,seq,n,request,id,pred,version,stop,user_turn,compacted,"+
			"output_known,writes_known,billed,answer_blocks,server_reason,server_missed,class,cause,expected,lost,lost_cost,told"),
		recordedTools: newTable("INSERT", "recorded_tools", "run,seq,idx,id,spawned"),
	}
}

// all lists the tables in the order in which a batch inserts them: what others
// refer to first.
func (t *tables) all() []*table {
	return []*table{t.payloads, t.nodes, t.events, t.agents, t.requests, t.breakpoints, t.toolCalls,
		t.tasks, t.messages, t.items, t.findings, t.invariants, t.metrics, t.recordedRequests, t.recordedTools, t.handoffs}
}

// sealed lists the tables whose rows belong to one run.
func (t *tables) sealed() []*table {
	return slices.DeleteFunc(t.all(), func(x *table) bool { return x == t.payloads || x == t.nodes })
}

// ofRun names the tables whose rows belong to one run.
var ofRun = []string{"files", "events", "agents", "requests", "breakpoints", "tool_calls", "tasks", "messages",
	"items", "findings", "invariants", "metrics", "recorded_requests", "recorded_tools", "schedules", "handoffs"}
