// Package shell is the shell behind the Bash tool: the part of bash's language that
// agents use, parsed and expanded by a library, carried out here over the files of a
// workspace by a named set of commands. The library's own interpreter starts
// goroutines and programs and reads the clock; that is why it is not used.
//
// Rules:
//   - It runs to completion, one command after the other: a pipeline runs from
//     left to right through buffers. Nothing runs in the background, nothing
//     touches the machine, and time is added up, not waited for.
//   - What a command may do (look, write, run the project's own code) is a table of
//     more commands than the shell has: permissions and what runs side by side follow
//     from it. A command that is not here is not found, with status 127.
//   - The whole script is checked before anything of it runs: syntax that this
//     shell does not have is an error with line and column, and no effect.
//   - Everything is bounded: length and nesting of a script, steps, bytes moved,
//     sizes of streams and variables, virtual time. Reaching a bound ends the
//     script with an error that names it.
//   - Files are the project's, below the root, and an agent's own temporary ones
//     below /tmp. Nothing else exists.
package shell
