// Package tidy checks the tree itself: which room may import which, what the
// simulated world may not use, how long files and functions may grow, how many
// methods a type may have, what must carry a comment, and that one function calls
// the model.
//
// Rules:
//   - It is all tests. The policy is data, at the top of policy_test.go.
//   - Each finding names the line and what to use instead.
//   - Each rule is itself tested on small trees under testdata.
package tidy
