// Package shell is the shell behind the Bash tool: bash's language, parsed by a
// library, evaluated here over the files of a workspace and a named set of
// commands.
//
// Rules:
//   - It runs to completion, one command after the other: a pipeline runs from
//     left to right through buffers. Nothing runs in the background, nothing
//     touches the machine, and time is added up, not waited for.
//   - Each command is marked as one that reads, one that writes, or one that runs
//     the project's own code. What is not known counts as neither known to read
//     nor found.
//   - The whole script is checked before anything of it runs: syntax that this
//     shell does not have is an error with line and column, and no effect.
//   - Everything is bounded: length and nesting of a script, steps, bytes moved,
//     sizes of streams and variables, virtual time. Reaching a bound ends the
//     script with an error that names it.
//   - Files are the project's, below the root, and an agent's own temporary ones
//     below /tmp. Nothing else exists.
package shell
