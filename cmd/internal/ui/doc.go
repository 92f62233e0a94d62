// Package ui is what every command shares: the process it runs in (Env), the
// errors that know their exit code, the forms in which results are printed, files
// that flags name, and the progress bar.
//
// Rules:
//   - A command writes through its Env alone: text that comes from outside is made
//     plain on the way, and the first failure of the output is remembered.
//   - Nothing here knows a command.
package ui
