package main

// The build from the tree as it is breaks nothing; the one that this command makes
// for itself has brokenSource in the place of this file.

// canBreak says whether this is the build that holds the broken functions.
const canBreak = false

func breakEntry(int) {}

func reached() bool { return false }
