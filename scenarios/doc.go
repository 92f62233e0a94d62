// Package scenarios reads scenario files: strict YAML with located errors,
// variants, a matrix and overrides, and the library that ships in the binary.
//
// Rules:
//   - Unknown keys, missing units, wrong types, bad references and unused
//     sections are errors with file, line, column, an excerpt and the nearest
//     valid name. Nothing is guessed and nothing is ignored.
//   - A Scenario is plain data. Loading it runs nothing and reads no file but
//     the scenario itself.
//   - Every quantity carries its unit in its type.
package scenarios
