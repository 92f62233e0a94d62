// Package baseline keeps what runs came to, and says of later runs what became
// different and whether that is worse.
//
// Rules:
//   - A baseline is JSON that people read and compare line by line: exact figures,
//     one a line, no floats. Equal runs give equal bytes.
//   - What is needed to name the first differing event is in it too, packed: the
//     canonical lines of each run's first seed, hashes cut to eight digits.
//   - Every figure has a direction. Worse is a regression unless a threshold
//     allows it; better, and different where neither is better, is a change.
//   - A mistake in a threshold is a *document.Error with its place, as is one in a file
//     where its JSON is broken; any other names the run that it is in.
//   - Nothing here reads files or runs anything: text in, text out.
package baseline
