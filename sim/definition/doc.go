// Package definition reads agent definitions: Markdown files with a
// frontmatter, the agents of JSON settings, and what a flag gives.
//
// Rules:
//   - One table of fields says what each is, wherever it stands; Markdown and
//     JSON are two ways to write the same thing.
//   - What is wrong is told with file, line, column and excerpt. A broken
//     definition is left out and the others load; what only has no effect is a
//     warning.
//   - Sources apply in one order, and the later wins: plugin, user, project,
//     flag, policy. Only policy may take a built-in's name.
//   - Functions of files in memory: whoever calls reads the directories.
//   - What is read came from strangers: sizes, nesting and counts are bounded.
package definition
