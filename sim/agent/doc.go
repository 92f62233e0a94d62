// Package agent is the agent stack: definitions, the isolated context, the one
// loop that every agent runs, the Agent tool with its five stages, and how
// results come home.
//
// Rules:
//   - There is one loop and one function that calls the model (client.send);
//     main agent, sub-agents and forks differ in configuration only.
//   - There is one renderer (render.go). Normal turns, forks, re-render variants
//     and auditors all make bytes with it.
//   - A child's context is isolated by default. Every field of Context has a row
//     in the sharing table of its test; what is shared is named there.
//   - This layer alone records. Everything below it returns values.
//   - A function that may suspend takes the process first and returns an error,
//     which is then an abort or the end of the run; simulated failures are values.
//   - A root goes on after a failed call, a refusal or a cut answer while its user has
//     more to say; a limit is an outcome. A sub-agent's end is the end of its commands.
//   - In a group the first tool that errs cancels those that end later, agents apart.
//   - A resume makes a new context: what is known stands in the history, and files have
//     to be read again before they are edited. Who begins as a coordinator stays one.
//   - Without a scripted answer a permission prompt is allowed at once; what a mode
//     itself refuses, no rule lifts.
//   - A failed sub-agent of the minimal stack leaves statements of the full one, with a
//     finding for each.
package agent
