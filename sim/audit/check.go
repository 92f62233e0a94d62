package audit

// check is one of the statements that are checked.
type check uint8

const (
	loop02 check = iota
	loop03
	loop04
	loop05
	loop06
	loop07
	loop08
	loop09
	loop10
	loop11
	loop12
	sub02
	sub04
	sub05
	sub06
	sub07
	sub08
	sub09
	sub03
	sub10
	sub11
	sub12
	sub13
	sub14
	sub16
	sub19
	sub21
	sub22
	sub23
	min01
	min02
	min04
	min06
	ver01
	btw01
	btw02
	def02
	def06
	def07
	def08
	def10
	def11
	def12
	prm01
	prm02
	prm03
	prm04
	prm05
	lean01
	lean02
	aud04
	flt01
	flt02
	flt03
	flt04
	flt06
	flt08
	flt09
	flt10
	flt11
	iso02
	iso03
	iso04
	iso05
	iso06
	iso07
	iso08
	iso09
	iso10
	iso11
	iso12
	iso13
	iso14
	frk01
	frk03
	frk05
	frk06
	frk08
	frk09
	frk10
	frk14
	crd01
	crd02
	crd03
	crd04
	crd05
	crd06
	crd08
	crd11
	crd12
	tsk01
	tsk02
	tsk03
	tsk04
	tsk05
	tsk06
	tsk07
	tsk08
	tsk09
	tsk10
	tsk11
	cacheL1
	cacheL2
	cacheL3
	cacheL6
	con09
	llm07
	mcp01
	mcp02
	mcp03
	mcp04
	mcp05
	mcp06
	mcp07
	pln01
	pln02
	pln03
	pln04
	pln05
	pln06
	flt07
	swm04
	swm06
	swm07
	swm08
	swm09
	swm11
	swm13
	wkt04
	wkt05
	wkt07
	wkt08
	wkt09

	numChecks
)

// Check is one statement that the auditor holds a run against.
type Check struct {
	ID   string // of the statement
	What string // in one line
}

// checks are in the order in which they are told.
var checks = [numChecks]Check{
	loop02:  {"LOOP-02", "the results of an answer's tool uses stand in their order, as the tools gave them"},
	loop03:  {"LOOP-03", "a call that changes something runs beside no other of its answer"},
	loop04:  {"LOOP-04", "each request is well-formed, and each call has one result before the next request"},
	loop05:  {"LOOP-05", "an agent answers as often as its definition allows, and no more"},
	loop06:  {"LOOP-06", "a call that failed is made again when that may help, as often and as late as the rule says"},
	loop07:  {"LOOP-07", "a history that becomes a summary goes on behind the same user context"},
	loop08:  {"LOOP-08", "an agent ends as its last answer, an abort or an error makes it, and counts what it did"},
	loop09:  {"LOOP-09", "requests, answers and tool uses are recorded under the numbers of their calls"},
	loop10:  {"LOOP-10", "the user context stands in front of an agent's messages and system context behind its prompt, as all are told them"},
	loop11:  {"LOOP-11", "a result is replaced by decision, once, and by what is shorter"},
	loop12:  {"LOOP-12", "each request bears at most four marks in order, the last where the plan says"},
	sub02:   {"SUB-02", "each child was asked for with a prompt and a description"},
	sub03:   {"SUB-03", "what a call of the Agent tool may ask for follows from the gates as the caller starts"},
	sub04:   {"SUB-04", "a child has the type that its call names, else that of calls without one"},
	sub05:   {"SUB-05", "no child has a type that a rule denies"},
	sub06:   {"SUB-06", "each spawn has its five stages, recorded in order"},
	sub07:   {"SUB-07", "a child's tools are what the filter leaves of the session's and its definition's, in order, by its own pool mode"},
	sub08:   {"SUB-08", "a fresh child has its whole prompt and no other payload of its parent's messages"},
	sub09:   {"SUB-09", "a child has the model of its call, else of its definition, else that of sub-agents"},
	sub10:   {"SUB-10", "a child runs in the mode of a parent that binds it, else in its definition's, else in its parent's"},
	sub11:   {"SUB-11", "a child runs in the background when its call, its definition or the session says so"},
	sub12:   {"SUB-12", "what comes home of a child is the last that it said"},
	sub13:   {"SUB-13", "the launch of an agent in the background names it, and says whether its output can be read"},
	sub14:   {"SUB-14", "an agent that is waited for moves to the background at its time, or when its user asks for it"},
	sub16:   {"SUB-16", "a child's end, its task's and what its parent reads of it agree"},
	sub19:   {"SUB-19", "the figures that come home of a child are those of its last call, and its tool uses"},
	sub21:   {"SUB-21", "no child is deeper than the limit"},
	min01:   {"MIN-01", "a sub-agent of the minimal stack brings home all that it said"},
	min02:   {"MIN-02", "a sub-agent of the minimal stack has a banner where it begins and one where it ends, however it ends"},
	min04:   {"MIN-04", "a sub-agent of the minimal stack tells an error, and that it said nothing, in plain text"},
	min06:   {"MIN-06", "sub-agents of the minimal stack run one after the other"},
	sub22:   {"SUB-22", "no call of the Agent tool that asks for a worktree succeeds without one"},
	sub23:   {"SUB-23", "a message goes to the agent whose id or name the call says"},
	ver01:   {"VER-01", "a verification that ends with PASS completes, and one without a verdict fails"},
	btw01:   {"BTW-01", "a side question goes on from its root's last request, byte for byte, in as many turns as it has, and is refused every tool"},
	btw02:   {"BTW-02", "nothing is cached behind what a root had sent when it was asked on the side"},
	def02:   {"DEF-02", "of the sources that define a type of agent the strongest is in force"},
	def06:   {"DEF-06", "a call that a hook has blocked is an error and changes nothing, and hooks hear agents of their own definition alone"},
	def07:   {"DEF-07", "built-in types hold the tools that they are to hold"},
	def08:   {"DEF-08", "an agent's system prompt is its type's, and those of built-in types say what they are to"},
	def10:   {"DEF-10", "a tool is defined in the same bytes for all, the Agent tool with the types that may be called"},
	def11:   {"DEF-11", "a type that is to look only and changes something is found out"},
	def12:   {"DEF-12", "marks have the lifetime of the definition, else that of the session"},
	prm01:   {"PRM-01", "a call runs if it was allowed, and what is said of it follows from mode and rules"},
	prm02:   {"PRM-02", "a question is asked at the session's terminal, of a child that bubbles at its parent's"},
	prm03:   {"PRM-03", "an agent with allowed tools of its own is allowed those and the command line's"},
	prm04:   {"PRM-04", "what a user puts in the place of a call is what runs"},
	prm05:   {"PRM-05", "no answer comes to what its user has interrupted"},
	lean01:  {"LEAN-01", "CLAUDE.md is in the context of every child but of those that only look"},
	lean02:  {"LEAN-02", "git status is in the prompt of every child but of those that only look"},
	aud04:   {"AUD-04", "an edit stands on the version that its agent saw last, and a shell where its agent has left it"},
	flt01:   {"FLT-01", "no sub-agent holds a tool that steers the session, and none loses another tool to layer 1"},
	flt02:   {"FLT-02", "an agent of a definition that is not built in holds no internal tool"},
	flt03:   {"FLT-03", "an agent in the background holds the tools for the background, all of them and no other"},
	flt04:   {"FLT-04", "an agent holds what its definition allows and not what it denies"},
	flt06:   {"FLT-06", "an agent that plans keeps the tool to end planning, and no other agent does"},
	flt08:   {"FLT-08", "a definition that denies nothing lifts none of the first three layers"},
	flt09:   {"FLT-09", "the tools in the bytes are those of the pool; a call of another is an error that names the layer"},
	flt10:   {"FLT-10", "a fork holds its parent's tools exactly"},
	flt11:   {"FLT-11", "a worker holds none of the internal tools"},
	iso02:   {"ISO-02", "an agent edits files that it has read itself or inherited, and those it can edit"},
	iso03:   {"ISO-03", "an abort reaches those who listen, nobody else, and who has ended listens no more"},
	iso04:   {"ISO-04", "who cannot show a prompt asks nothing, and who can is not denied for that"},
	iso05:   {"ISO-05", "what a background agent writes to the state goes nowhere, what others write arrives"},
	iso06:   {"ISO-06", "a task is registered at the root before it runs"},
	iso07:   {"ISO-07", "each agent has a query chain of its own, one level below its parent"},
	iso08:   {"ISO-08", "a fork knows its parent's replacement decisions; a replaced result keeps its bytes"},
	iso09:   {"ISO-09", "sub-agents do not think, forks do as their parent does"},
	iso10:   {"ISO-10", "no command runs on in the background when its agent has ended"},
	iso11:   {"ISO-11", "events bear the agent that they are about"},
	iso12:   {"ISO-12", "an agent names itself and the call that made it, once"},
	iso13:   {"ISO-13", "each request goes on from where the agent's last one and its answer ended"},
	iso14:   {"ISO-14", "an agent's meters show its own answers and those of everyone who works for it"},
	frk01:   {"FRK-01", "forks start with the gate on, somebody there to be asked, and nobody who coordinates"},
	frk03:   {"FRK-03", "a fork has its parent's history byte for byte, a placeholder for each call, and its whole directive"},
	frk05:   {"FRK-05", "forks of one answer send the same bytes up to their directives"},
	frk06:   {"FRK-06", "a fork stands behind its parent's rendered tools and system prompt"},
	frk08:   {"FRK-08", "a directive opens with its fixed tag and ends with the words of the call"},
	frk09:   {"FRK-09", "no fork makes an agent, and nobody else is taken for a fork"},
	frk10:   {"FRK-10", "a fork in another directory is told to translate paths and to read files again, and no other"},
	frk14:   {"FRK-14", "each Agent call of a fork is answered with the fixed error"},
	crd01:   {"CRD-01", "a coordinator's requests define no tool but those by which it has others work"},
	crd02:   {"CRD-02", "a coordinator's own system prompt has its six headings, each once and in order"},
	crd03:   {"CRD-03", "a coordinator is told the tools that its workers have"},
	crd04:   {"CRD-04", "a worker holds the tools of the background without the internal ones, in simple mode three"},
	crd05:   {"CRD-05", "a coordinator starts workers and nobody else, with its own model; another type is an error"},
	crd06:   {"CRD-06", "a coordinator's workers run in the background and cannot start agents, and those of one answer start at one instant"},
	crd08:   {"CRD-08", "with the scratchpad on workers are told of it, and nobody is asked before they read or write there"},
	crd11:   {"CRD-11", "a call of TaskStop stops the task that it names and no other, and who was stopped can be written to"},
	crd12:   {"CRD-12", "the notification of an agent that failed carries the error that it ended with"},
	tsk01:   {"TSK-01", "a task's id is the letter of its type and 16 hex digits, and no two agents have one id"},
	tsk02:   {"TSK-02", "a task goes from state to state by the steps there are, and leaves no final one within an activation"},
	tsk03:   {"TSK-03", "a notification has its fields in order with escaped content, and nothing else that is said looks like one"},
	tsk04:   {"TSK-04", "notifications are read with the reader's next message, the oldest first, behind results or as a message of their own"},
	tsk05:   {"TSK-05", "each activation of a task gives one notification, which is read once or dropped"},
	tsk06:   {"TSK-06", "each activation of a child is judged once, by its bytes, and the verdict stands in front of what is delivered"},
	tsk07:   {"TSK-07", "an agent's progress shows its tool uses, its newest input, all its output and its last five uses"},
	tsk08:   {"TSK-08", "each message between agents stands in its receiver's next request once, in order, or is dropped on the record"},
	tsk09:   {"TSK-09", "an output is evicted when it is due and nobody looks at it, and cannot be read afterwards"},
	tsk10:   {"TSK-10", "a resume is the next activation of the same id, and every event bears the activation it is of"},
	tsk11:   {"TSK-11", "a call is cancelled at the instant of a neighbour's error, and before its own end"},
	cacheL1: {"CACHE-L1", "what was read, written and plain makes the prompt, which grows with the conversation"},
	cacheL2: {"CACHE-L2", "what was read had been written before, as many tokens, and is not too old"},
	cacheL3: {"CACHE-L3", "a conversation that goes on reads what its last request read and wrote"},
	cacheL6: {"CACHE-L6", "an agent answers for its own calls and those of its descendants that have ended, each once"},
	con09:   {"CON-09", "a call that was aborted is billed for what was streamed before"},
	llm07:   {"LLM-07", "an answer begins when its prompt, the cache and what its try has drawn say"},
	mcp01:   {"MCP-01", "an agent opens the servers that its definition brings inline, and no other, and they are closed with it"},
	mcp02:   {"MCP-02", "no two tools of an agent have one name"},
	mcp03:   {"MCP-03", "an agent starts once each server that its type needs is there and has a tool; else an error names them"},
	mcp04:   {"MCP-04", "where plugins alone may customise, no other agent opens servers"},
	mcp05:   {"MCP-05", "a call of a server that is not connected, or is no more before it ends, is an error"},
	mcp06:   {"MCP-06", "a root's tools are its own and those of the servers that are there, by server"},
	mcp07:   {"MCP-07", "tools that are deferred are told by name, and defined where a search has found them"},
	pln01:   {"PLN-01", "entering plan mode remembers the mode, and takes away what auto would let anything through by"},
	pln02:   {"PLN-02", "who plans changes no file but the plan file"},
	pln03:   {"PLN-03", "who has entered plan mode is told its five steps in order, and the plan file"},
	pln04:   {"PLN-04", "plan mode is entered and left by calls that were approved"},
	pln05:   {"PLN-05", "leaving plan mode gives back the mode and the rules that were remembered, and the plan"},
	pln06:   {"PLN-06", "a child of a parent that plans is in plan mode"},
	flt07:   {"FLT-07", "a member of a team keeps the tools by which it works with the others"},
	swm04:   {"SWM-04", "each mail stands in its reader's next request once, in order of its sender, or is dropped on the record"},
	swm06:   {"SWM-06", "a member ends by itself when it was asked to and has approved, and only the lead's word on a plan counts"},
	swm07:   {"SWM-07", "the members of a team were started by its lead, and none leads another"},
	swm08:   {"SWM-08", "a task that somebody owns changes hands by its owner or the lead, or once its owner has ended"},
	swm09:   {"SWM-09", "a member's prompts are shown with its badge, by the mailbox where the lead is in a call"},
	swm11:   {"SWM-11", "a member is ended by nobody else's end but its lead's, which leaves none behind"},
	swm13:   {"SWM-13", "the tools of teams are held where there are teams, SendMessage by those who coordinate too"},
	wkt04:   {"WKT-04", "a worktree in which nothing was written is removed, and one with an edit is kept and named in the result"},
	wkt05:   {"WKT-05", "no agent is shown a version of a file that was made in another working directory"},
	wkt07:   {"WKT-07", "what passes the link of a remote agent arrives once, in order and not before its time; nothing is done before"},
	wkt09:   {"WKT-09", "an agent in a worktree is told of its own directory and branch, in which nothing is changed"},
	wkt08:   {"WKT-08", "an agent whose call or definition asks for a worktree has one, and no other does"},
}

// Checks lists what is checked, in order. The slice is the caller's.
func Checks() []Check { return append([]Check(nil), checks[:]...) }
