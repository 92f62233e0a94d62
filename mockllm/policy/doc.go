// Package policy is the model that works: it knows what stands in its request
// and does next what its work items ask for.
//
// Rules:
//   - A model keeps no memory between calls. Its whole state is a fold over the
//     blocks of the request, state' = step(state, block). What is remembered
//     between calls is that fold at the heads of conversations, by prefix hash,
//     so that a call costs its new blocks; leaving it out changes nothing.
//   - The Table is the model's training: names and structure of the work, never
//     values. A fact is known when its tagged mark stands in the request; a name
//     alone is not knowledge.
//   - Facts count in any block but the model's own thinking, assignments only in
//     user text outside tool results and notifications. The last one wins, and a
//     fork's directive beats all before it.
//   - The content of a file is known only from Read and Edit results and is never
//     relayed; facts of grade gist are, within a budget, and what was dropped is
//     said.
//   - A summary of the conversation holds what a model may relay, ranked by need and
//     then by age, within a budget; the fold of what follows starts from it alone.
//     What was read and stands no more is read again, and that is its own cause.
//   - A coordinator's knowledge of its workers is part of the fold: who they are,
//     what they were given and how they ended, from launches, messages and
//     notifications, or from a summary's marks. Two items whose files meet are never
//     under way together; who verifies is new; what failed is corrected, then done
//     in another way, then told to the user.
//   - Members of a team settle by its list of tasks who does what. A task says what a
//     prompt says; a teammate has the item whose task the list gave it, and what it found
//     others know by its mail alone.
//   - What an item reads is ground truth for nobody who works. Without a pointer an
//     agent searches first, by the pattern of its item or by extension and first
//     letters, never by a file's name; without a tool to search with, in the shell.
//   - Who writes a prompt names only places that are in its own request: from what the
//     user said, from searches and reads, or from reports, which give file and line.
//     Where files tell items apart (reads), a lead lists them before it gives these out.
//   - Nobody means to do wrong: an edit made for want of a pitfall's fact, or with a
//     misleading one in the request, bears the mark of that defect on a line of its
//     own. A model does not see it as one until a test or an assignment says so; then
//     it puts other text in its place, once for each time that it is told, and errs
//     again if it still holds what misled it.
//   - An item that runs commands is done when they pass. One that verifies without
//     any reads what was changed and finds that it is there, which proves nothing.
//   - A lead whose agents work in worktrees merges the branches that it is told of, one by
//     one, and where both sides changed the same lines it keeps both.
//   - Where workers share a directory, what research found is written there and the
//     report says where.
//   - Sizes are keyed by work item and what a step does first
//     (item/fix-auth/step/read/auth.go/output), not by agent or ordinal, so that every
//     structure does the same work.
//   - Texts are sentences drawn by item and step (words.txt) up to their size in tokens,
//     and speak of files, lines and names that stand in the request. Prompts say what is
//     to be done, how, what to report and when it is done.
//   - An item is given out once, then as often as corrections and approaches allow; an
//     attempt that was interrupted shows nothing about its approach, and its worker is
//     told to go on, at most three times an item.
package policy
