package tool

// The descriptions that models read. They are our own and about as long as
// such texts are, since every request carries them.
const (
	taskOutputText = `Fetches the output of a background task, whether a shell command or an agent.
- Takes the id that was reported when the task was started.
- By default it waits until the task has ended; with block set to false it returns what there is so far and says whether the task still runs.
- Agents report their end by themselves, so waiting for one is rarely needed.`

	enterPlanText = `Switches the session to plan mode, where the project can be read but not changed, so that an approach can be worked out and approved before any code is written.
Use it for work that touches several files, that could be done in more than one sound way, or whose requirements need looking into first. Do not use it for a fix of a few lines, for a question about the code, or when the user has already said exactly what to do. The user must agree to entering plan mode.`

	exitPlanText = `Ends plan mode by asking the user to approve the plan. Write the plan to the plan file first: this tool takes no plan as input, it reads that file.
Call it only when the plan is whole and leaves no open question; questions about the approach are asked before, with AskUserQuestion. Do not call it after mere research that changes nothing. If the user rejects the plan, the session stays in plan mode and the feedback is the result of this call.`

	askText = `Asks the user to choose between options while work goes on: to learn a preference, settle an unclear requirement or decide between approaches.
- One to four questions at once, each with two to four options; the user can always type an answer of their own instead.
- When you recommend an option, put it first and say so in its label.
- Set multiSelect when the options do not exclude each other.
Do not use it to ask whether a plan is good; ExitPlanMode does that.`

	taskStopText = `Stops a running background task by its id: a shell command or an agent that you started.
Use it when the work is no longer needed or has gone astray. What the task has done so far stays as it is. You are told that the task was stopped; it sends no other report.`

	readText = `Reads a text file of the project.
- file_path must be absolute.
- Without offset and limit it returns the file from its first line, up to 2000 lines.
- A longer file is cut, and the result says at which line; call again with offset set to the next line.
- If you know which part you need, pass offset and limit and read only that.
- Lines come numbered from 1: the number, a tab, then the line itself. The number and tab are not part of the file.
- The last line of the result names the file, its version and the lines shown.
- A directory cannot be read; find files with Glob.
- Several files that may matter are best read in one response, in parallel.`

	grepText = `Searches the contents of files with a regular expression.
- Use this tool for every search through contents rather than running grep in a shell.
- The pattern follows the syntax of Go's regexp package (RE2): for example "log.*Error" or "func\s+\w+". Braces and parentheses that you mean literally need a backslash.
- Each line is matched alone; a match never spans lines.
- Narrow the search with path (a directory or one file) or with glob (such as "*.go" or "cmd/**/*.go").
- output_mode: "files_with_matches" lists paths (the default), "content" lists path, line number and line, "count" lists the number of matching lines of each file.
- A long result is cut and says so; go on with offset.
- For an open-ended search that will take several rounds, use an agent.`

	globText = `Finds files by the pattern of their name, in a project of any size.
- Patterns such as "**/*.go" or "internal/**/*_test.go": * stands for any part of a name, ** for any number of directories.
- Returns the matching paths, sorted, one a line.
- Use it when you know something about a file's name; use Grep when you know something about its content.
- Several searches that may be useful are best made in one response, in parallel.`

	editText = `Replaces a piece of text in a file, exactly.
- Read the file first: an edit of a file that you have not read, or that has changed since you read it, is refused.
- old_string must be the file's own text with its indentation, without the line numbers that Read puts in front.
- old_string must occur exactly once, else the edit is refused: add surrounding lines until it is unique, or set replace_all to change every place.
- Use replace_all to rename something throughout one file.
- Prefer editing an existing file to creating a new one.`

	writeText = `Writes a whole file, creating it or replacing what was there.
- An existing file must have been read before, else the call is refused.
- To change a part of a file use Edit, which sends only the change.
- Do not create documentation files unless you were asked to.`

	notebookText = `Changes one cell of a Jupyter notebook: replaces its source, inserts a new cell behind another, or deletes one.
notebook_path must be absolute. Cells are named by their id. Inserting needs the kind of the new cell.`

	bashText = `Runs a command in a shell and returns its output. The working directory lasts from call to call; other state of the shell does not.
Use it for what needs a terminal, such as version control, builds and tests, and not for what has a tool of its own: find files with Glob, search contents with Grep, read with Read, change with Edit, create with Write.
- Put paths that hold spaces in double quotes, and use absolute paths rather than changing directory.
- Chain commands that depend on each other with &&; make independent ones separate calls in one response.
- A command may run for two minutes unless you set a timeout of up to ten. Output past 30,000 characters is cut.
- For something that runs long, such as a server, set run_in_background; you are told when it ends, so do not poll or sleep.
- Never run commands that wait for input, and do not commit, push or rewrite history unless you were asked to.`

	skillText = `Loads a skill into the conversation: instructions prepared for a kind of task.
When the task matches a skill of the project, call this tool before anything else. Pass the skill's name and, if it takes any, its arguments. Do not load one that is already at work.`

	webFetchText = `Fetches a web page and answers a question about it.
- Takes a full address and what you want to know; the page is turned into text and a small model answers from it.
- It reads only. A very long page may be summarised first.
- If the page sends the request on to another host, the result names the new address; call again with it.
- Pages behind a login cannot be fetched.`

	webSearchText = `Searches the web and returns results with titles and addresses, for what may have changed since your training. Restrict it to domains or leave some out if need be. After answering from results, name the pages that you relied on as sources.`

	todoText = `Keeps a list of steps for the present work, so that you and the user see what is done and what is left.
Use it for work of three or more steps, when the user gives several things to do, or when new steps turn up on the way; not for a single simple step or a mere question.
- Each call sends the whole list.
- Exactly one step is in progress at a time. Mark a step completed as soon as it is, not in batches, and only when it is wholly done.
- If something blocks a step, leave it in progress and add a step for what has to be solved.`

	syntheticText = `Returns the final answer as structured data in the shape that the request asked for. Call it once, at the end, instead of writing the answer as text. The input is checked against that shape; if it does not fit you are told why and can call again.`

	sendText = `Sends a message to an agent that you started in the background. What you write as plain text is seen by your user only, so this is the one way to reach it.
- An agent that is at work gets the message before its next turn. One that has ended is woken with all it knew and goes on from there.
- What it has to say comes as a notification of its end; there is no inbox to look at.
- Do not send a message only to acknowledge another.`

	sendTeamText = `
- In a team, write to teammates by name, to your lead as team-lead, or to all others as *. What a teammate says comes to you by itself; nobody hears what you do not send.
- To end a teammate send it a shutdown_request; it answers with a shutdown_response that bears the request's id. Approving ends you. A plan that you send as plan_approval_request is answered by the lead alone.`
	sendPlanText = `
- Your workers plan first and send you each plan as a plan_approval_request. Read it against what the user wants and answer with a plan_approval_response that bears its request_id: approve true, with permissionMode acceptEdits where the worker is to edit files unasked, or approve false with feedback. Until then it waits.`
	teamCreateText = `Creates a team of agents that work side by side and share one task list. You become its lead.
Use it when the user asks for a team, or when work falls into parts that several agents should do at once while talking to each other. After creating it, add tasks with TaskCreate, start teammates with the Agent tool by passing team_name and a name, and give out tasks with TaskUpdate. Teammates that have nothing to do are idle, which is normal; a message wakes them.`

	teamDeleteText = `Dissolves your team and removes its task list and its mailboxes. It fails while teammates are alive: ask each to shut down first and wait until they have.`

	taskCreateText = `Adds a task to the shared task list, where every teammate can see and take it.
Give a short subject and a description that someone else could work from, with what must hold for the task to be done. New tasks are pending and belong to nobody. Look at TaskList first so as not to add one twice; set dependencies with TaskUpdate.`

	taskGetText = `Returns one task of the shared list with its whole description, its state, who owns it, which tasks it waits for and which wait for it. Read it before beginning a task, and make sure that nothing it waits for is still open.`

	taskListText = `Lists the tasks of the shared list: id, subject, state, owner, and the open tasks each one waits for. Use it to find what can be taken next, which is a pending task without owner that waits for nothing, and after finishing one, to see what it has set free. Lower ids come first where nothing else decides.`

	taskUpdateText = `Changes a task of the shared list: its state, owner, texts or dependencies.
- Set in_progress and yourself as owner when you begin, completed only when everything the task asks for is done and works, deleted when it is no longer needed.
- A task that is blocked or half done stays in progress; add a task for what blocks it.
- Read the task again before changing it if others may have.`
)
