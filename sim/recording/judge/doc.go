// Package judge holds the prompt-cache model against recorded bills: it classes
// every recorded request (IMP-05), plays the sessions through the model and says
// how far its predictions are off (IMP-06).
//
// Rules:
//   - A class and a cause come from the recording alone, never from a prediction.
//   - The one constant that is fitted is the slack between the client's log and the
//     server's clock. Sessions are split in two by a hash of their id; each half is
//     judged with the slack fitted on the other.
//   - All sums are integers; shares are for the reader of a table to take.
package judge
