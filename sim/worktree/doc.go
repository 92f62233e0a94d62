// Package worktree gives agents a working directory of their own on a branch of the
// project's repository.
//
// Rules:
//   - A worktree begins as the commit that its maker's branch is at: what was not
//     committed there is not in it.
//   - It is at Path of its slug and its branch is Branch of it, whatever the repository.
//   - Directories that are linked are those of the project itself, and are not tracked.
//   - It ends once: unchanged it goes with its branch, changed it stays.
//   - The repository in memory and git on a disk give the same answers, by the same test.
package worktree
