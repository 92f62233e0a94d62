// Package shell is the shell behind the Bash tool: the part of bash's language that
// agents use, parsed and expanded by a library, carried out here over the files of a
// workspace by a named set of commands. The library's own interpreter starts
// goroutines and programs and reads the clock; that is why it is not used.
//
// Rules:
//   - It runs to completion, one command after the other: a pipeline runs from
//     left to right through buffers. Nothing runs in the background, nothing
//     touches the machine, and time is added up, not waited for.
//   - Commands are a table that says of each whether it only looks: permissions
//     and what runs side by side follow from it. A command that is not in it is not
//     found, with status 127; an option that a command does not have is refused.
//   - The whole script is checked before anything of it runs: syntax that this
//     shell does not have is an error with line and column, and no effect.
//   - Everything is bounded: length of a script and depth of its evaluation, steps,
//     bytes moved, sizes of streams and variables, virtual time. Reaching a bound
//     ends the script with an error that names it.
//   - Files are the project's, below the root, and an agent's own temporary ones
//     below /tmp. Nothing else exists.
package shell
