// Package player brings recorded sessions before the prompt-cache model: the
// same prompts at the same instants, so that what the model says can be held
// against what the API billed.
//
// Rules:
//   - A conversation is rebuilt from usage (IMP-04): what a request could leave to
//     be read is a prefix of E tokens, then what it added, then its plain input.
//     That depends on the recorded sizes of prompts only, never on how much of
//     them was read.
//   - What was read is looked at for one thing: the size of the static prefix
//     (tools and system prompt), which nothing else tells. It is learned from
//     requests that were answered before.
//   - At a user turn of a main thread the client may have sent a request of its
//     own right after the last answer, to suggest what to say next; it went on from
//     that conversation and renewed it (sessions.md 2.3). Options.Hidden plays
//     those.
//   - Sessions that are played together share one store, as those of one account do.
//   - A step is as many positions as its answer has blocks, and one; a client marks
//     the end of its previous prompt as well, or answers of eleven blocks would be
//     out of the look-back's reach.
//   - Others keep a static prefix warm where most earlier look-ups found it so: in one
//     account expired conversations read nothing, in another nearly always that prefix.
//   - A request whose predecessor is missing goes on from the session's last one, and
//     nothing that it read is taken for a static prefix.
package player
