// Package cli is the command line: it reads flags, files and directories, calls
// sim, and prints.
//
// Rules:
//   - One package per command, below this one. A command is a function of a ui.Env,
//     which holds all that a process has: arguments, streams, environment, signals,
//     clock. There are no globals and no init functions, and os.Exit is called once.
//   - Results go to Stdout, everything else to Stderr.
//   - An error carries its exit code (see codes). It says where, what and what
//     to do; a stack trace is for bugs of ours only.
package cli
