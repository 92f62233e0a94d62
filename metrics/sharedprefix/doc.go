// Package sharedprefix says whether requests share less of their beginnings than they
// did: what children of one message share, what agents of different definitions
// share, and what a request shares with the one before it.
//
// Rules:
//   - A block is shared whole or not at all, as in a prompt cache, and only where
//     everything before it is shared too, model and settings included.
//   - Something is lost when fewer blocks are shared and more blocks stand behind
//     the shared ones. A prompt or a list of tools that merely became shorter for
//     all loses nothing; neither does a task that became longer.
//   - What is kept of a run is bounded: of children of one message and one type
//     the first, and the one that shares least with it.
//   - What a loss costs is what marks made readable before and do not any more, at
//     the model's prices: written instead of read. Shared blocks behind which no
//     mark stood cost nothing more, and the text says so.
//   - What agents' first requests found of what others left (LeftOver) is told from the
//     requests alone, live or recorded, and is no loss of a change.
//   - Nothing here runs or reads anything.
package sharedprefix
