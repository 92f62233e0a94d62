// Package upgrade rewrites scenarios of before version 1 of the language.
//
// Rules:
//   - What a scenario means stays: its effective scenario is the same, setting by
//     setting, under its new keys.
//   - Comments, blank lines and the look of what does not change stay as they are, as
//     the YAML library writes them.
//   - It knows keys and their places, not what they mean: whatever else is wrong
//     with a file is for the loader to say.
package upgrade
