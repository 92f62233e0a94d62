package sqlite

import (
	"database/sql"
	"slices"
	"strings"
)

// maxVariables bounds the values of one statement: enough rows that the cost of
// a statement is shared, few enough that one left over costs little.
const maxVariables = 400

// table gathers rows and inserts them with statements of many rows, which the
// driver keeps prepared.
type table struct {
	name    string
	rowsIn  string // the table itself, where name is a view of it and of what is alike
	columns string
	verb    string // INSERT, or INSERT OR IGNORE for what is stored once
	width   int
	named   bool  // the texts of its rows are the same in many runs
	rows    []any // flat
	sum     sum   // of the rows that seal has seen
}

func newTable(verb, name, columns string) *table {
	return &table{name: name, rowsIn: name, columns: columns, verb: verb, width: strings.Count(columns, ",") + 1}
}

// newPart is a table that is read through a view of its name.
func newPart(name, rowsIn, columns string) *table {
	t := newTable("INSERT", name, columns)
	t.rowsIn = rowsIn
	return t
}

func (t *table) add(values ...any) { t.rows = append(t.rows, values...) }

// chunk is how many rows one statement takes.
func (t *table) chunk() int { return max(1, maxVariables/t.width) }

func (t *table) into() string { return t.verb + " INTO " + t.rowsIn + " (" + t.columns + ") VALUES " }

func (t *table) insert(rows int) string {
	row := ",(?" + strings.Repeat(",?", t.width-1) + ")"
	return t.into() + strings.Repeat(row, rows)[1:]
}

// seal adds the rows that are gathered to the table's sum.
func (t *table) seal() {
	for rows := t.rows; len(rows) > 0; rows = rows[t.width:] {
		t.sum.add(rows[:t.width])
	}
}

// flush inserts the rows and forgets them.
func (t *table) flush(tx *sql.Tx) error {
	rows := t.rows
	if t.named && len(rows) > 0 {
		q, args := t.insertNamed()
		if _, err := tx.Exec(q, args...); err != nil {
			return err
		}
		rows = nil
	}
	for _, n := range []int{t.chunk(), max(1, t.chunk()/8), 1} {
		if len(rows) < n*t.width {
			continue
		}
		q := t.insert(n)
		for n *= t.width; len(rows) >= n; rows = rows[n:] {
			if _, err := tx.Exec(q, rows[:n]...); err != nil {
				return err
			}
		}
	}
	clear(t.rows)
	t.rows = t.rows[:0]
	return nil
}

// insertNamed is a statement that holds the texts of the rows itself, so that
// only the run, which is the first of each row, and the numbers are bound.
func (t *table) insertNamed() (q string, args []any) {
	text, args := append(make([]byte, 0, 16*len(t.rows)), t.into()...), append(make([]any, 0, len(t.rows)/2), t.rows[0])
	for i, v := range t.rows {
		text = append(text, ',')
		s, isText := v.(string)
		switch {
		case i == 0:
			text = append(text[:len(text)-1], "(?1"...)
		case i%t.width == 0:
			text = append(text[:len(text)-1], "),(?1"...)
		case isText:
			text = append(append(append(text, '\''), strings.ReplaceAll(s, "'", "''")...), '\'')
		default:
			text = append(text, '?')
			args = append(args, v)
		}
	}
	return string(append(text, ')')), args
}

// tables are those that a run's events fill.
type tables struct {
	payloads, nodes, events, agents, requests, breakpoints, toolCalls *table
	tasks, messages, items, findings, invariants, metrics             *table
	recordedRequests, recordedTools, handoffs, files, schedules       *table
	alike, alikeIn                                                    *table
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
		invariants: newPart("invariants", "invariant_rows", "run,name,checks,broken"),
		metrics:    newPart("metrics", "metric_rows", "run,scope,name,value,unit"),
		recordedRequests: newTable("INSERT", "recorded_requests", "run,seq,n,request,id,pred,version,stop,user_turn,compacted,"+
			"output_known,writes_known,billed,answer_blocks,server_reason,server_missed,class,cause,expected,lost,lost_cost,told,changed"),
		recordedTools: newTable("INSERT", "recorded_tools", "run,seq,idx,id,spawned"),
		files:         newTable("INSERT", "files", "run,path,payload"),
		schedules:     newTable("INSERT", "schedules", "run,choices"),
		alike:         newTable("INSERT OR IGNORE", "alike", "sha256,object"),
		alikeIn:       newTable("INSERT", "alike_in", "run,part,alike"),
	}
}

// all lists the tables in the order in which a batch inserts them: what others
// refer to first.
func (t *tables) all() []*table {
	return []*table{t.payloads, t.nodes, t.events, t.agents, t.requests, t.breakpoints, t.toolCalls,
		t.tasks, t.messages, t.items, t.findings, t.invariants, t.metrics, t.recordedRequests, t.recordedTools, t.handoffs, t.files, t.schedules,
		t.alike, t.alikeIn}
}

// sealed lists the tables whose rows belong to one run, beside runs and executions.
func (t *tables) sealed() []*table {
	return slices.DeleteFunc(t.all(), func(x *table) bool { return x == t.payloads || x == t.nodes || x == t.alike })
}
