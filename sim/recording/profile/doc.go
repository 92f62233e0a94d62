// Package profile is what recorded sessions come to without their content: how big
// prompts are, how many calls agents make, which tools they use, by role and model
// family, each figure with 21 quantiles and how far two halves of the sessions are
// apart in it.
//
// Rules:
//   - No text, path or name of a session reaches a profile: tools and types of agents
//     that the client brings keep their names, others are counted together.
//   - The same sessions give the same profile, in whatever order they are added.
//   - A figure that the sources do not tell is absent, with the reason; never zero.
//   - All figures are integers, quantiles are observed values. Shares, ratios and
//     floors are thousandths.
package profile
