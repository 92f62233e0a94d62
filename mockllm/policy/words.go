package policy

// The words of which prompts, thinking, reports and the text beside tool uses are made.
// {title} and {about} are the item's; {file}, {line} and {name} are a place whose content
// stands in the writer's request and a name that is read there; {changed} is a file that was
// edited, {next} what is done next. A sentence whose blanks cannot be filled is not said.

// voice is how one kind of text is written: it begins with one of the first sentences.
type voice struct {
	first, then []string
	wanders     bool // it speaks of files that turned out not to help
	breaks      bool // it has paragraphs
}

// maxSentences is the longest list of sentences, and shortest fewer bytes than the
// shortest of them.
const (
	maxSentences = 48
	shortest     = 24
)

// wording is how a prompt asks for an item of a kind: how it begins, how one goes about it,
// what is to be reported before one is done, and, of a coordinator, when that is.
type wording struct{ open, how, report, done []string }

var wordings = map[string]*wording{
	"research": {
		open: []string{`Research "{title}"`, `Look into "{title}"`, `Investigate "{title}"`, `Find out about "{title}"`, `Work through "{title}"`, `Trace "{title}"`},
		how: []string{
			"Read the callers too; edit nothing.", "Go by the code as it is, and edit nothing.", "Read whole functions; change nothing.", "Only look, and leave the files as they are.", "Begin with the definitions. Edit nothing.",
		},
		report: []string{
			"You are done when each point has file and line in your report, or is named as missing.",
			"Report findings with file and line; what cannot be found is named before you are done.",
			"Report the answer, then its places by file and line. Done means none is left unnamed.",
			"Finished is a report in which each finding has file and line and each gap its name.",
		},
		done: []string{
			"what was asked is found and reported with file and line, and nothing is changed.",
			"each part has an answer with file and line, or is named as open; no file is changed.",
			"one can go to each place that the report names, and no file was changed.",
		},
	},
	"implement": {
		open: []string{`Implement "{title}"`, `Carry out "{title}"`, `Make the change "{title}"`, `Write the code for "{title}"`, `Bring in "{title}"`},
		how: []string{
			"Read each file before you edit it.", "Change as little as does the job.", "Touch only the files that it needs.", "Keep to the style of each file.", "Change it where it is decided.",
		},
		report: []string{
			"Done is when the change stands; report its files, or name what was missing.",
			"Report what you changed, file by file; if it cannot be done, name what is missing.",
			"It is done when the files hold it. Report which, and name whatever was missing.",
			"Report the files that changed and how one sees that it is done, or what is missing.",
		},
		done: []string{
			"the change stands in its files, no other file is touched, and the report names both.",
			"the files hold the change and nothing beside it, and the report says which they are.",
			"each change is where the report says, and all other files are as they were.",
		},
	},
	"verify": {
		open: []string{`Verify "{title}"`, `Verify that "{title}" holds`, `Verify independently "{title}"`, `Verify from the files "{title}"`},
		how: []string{
			"Try to find a case in which it fails.", "Read the files as they are now.", "Take nobody's word for it.", "Mend nothing yourself.", "Look for the case that was forgotten.",
		},
		report: []string{
			"You are done when each case is tried or named as missing; report failures by file and line.",
			"Report what holds, and by file and line what fails. Done means that no case is missing.",
			"Report case by case how you know it; it is done when whatever is missing has a name.",
		},
		done: []string{
			"it is proven that the change works, not only that it is there; whatever fails is reported with file and line.",
			"each case was tried or is named as not tried, and each failure has its file and line.",
			"the report shows by what one knows that it works, and names file and line where it does not.",
		},
	},
	"answer": {
		open: []string{`Answer "{title}"`, `Give an answer to "{title}"`, `Work out the answer to "{title}"`, `Settle "{title}"`},
		how:  []string{"Keep it short.", "Say how sure you are.", "Look only at what it needs.", "Go by the files where they differ from what was said."},
		report: []string{
			"It is done when one sentence answers it and the rest says why; report that, or what is missing.",
			"Report the answer and what it rests on. Done means that nothing is missing, or is named.",
			"Report yes, no or what else it is, and why; you are done when what is missing has a name.",
		},
		done: []string{"the answer says what it rests on.", "one sentence answers it, and the rest says why."},
	},
}

// keeping is how a fork is told to keep to its own.
var keeping = []string{"Keep to it.", "Keep to this one thing.", "Leave the rest to the others.", "Do this and nothing beside it.", "Stay with these files."}

// preambles stand beside tool uses.
var preambles = voice{
	wanders: true,
	first: []string{
		"Let me {next}.", "I'll {next}.", "Next I'll {next}.", "Now I'll {next}.", "First I want to {next}.", "I need to {next}.", "I'm going to {next}.", "Time to {next}.", "To go on I have to {next}.",
		"Good, now let me {next}.", "That leaves me to {next}.", "One step further: {next}.", "Let me go on and {next}.",
	},
	then: []string{
		"The point is still this: {about}.", "{file} had part of it, around line {line}.", "So far `{name}` in {file} looks like the place.", "That should show whether \"{title}\" is as it seems.",
		"After {file} that is the next thing to know.", "I still have to see how `{name}` is reached.", "What I saw at {file}:{line} needs a second look.",
		"The rest of \"{title}\" depends on it.", "I have not seen yet who calls `{name}`.", "This is for \"{title}\".", "Nothing in {file} speaks against it.", "I'll keep line {line} of {file} in mind.",
		"Then I'll see what is left.", "It may not be needed, but it is quick.", "I would rather look than guess.",
	},
}

// thoughts are what is thought before a step.
var thoughts = voice{
	wanders: true,
	first: []string{
		"The question: {about}.", "What is asked for: {about}.", "I should {next} before I say more about it.", "Next is to {next}.", "So where am I with \"{title}\"?", "I have seen {file} up to line {line} or so, which helps.",
		"`{name}` in {file} is what I should think about.", "Let me go back to what was asked: {about}.", "To get on with \"{title}\" I have to {next}.", "Before anything else I want to {next}.", "{file}:{line} is interesting.",
		"I think I know where this goes, but let me {next} first.", "This is what I am here for: {about}.",
	},
	then: []string{
		"In {file} there is `{name}` at line {line}, which I should keep in mind.", "Who calls `{name}`, and with what?", "If `{name}` is reached a second time, it has to find what the first one left.",
		"The comment above line {line} of {file} promises more than the code seems to do.", "I don't want to guess here, so I'll {next}.", "It would be easy to take the wrong place: {file} looks right, but line {line} is only one of the ways in.",
		"There may be a second path that does not go through {file}.", "What would prove me wrong is a caller that does without `{name}`.", "I'll {next} and then decide.", "For \"{title}\" the unusual cases count for more than the usual one.",
		"An empty value and one that is missing may be treated differently.", "The tests may pin this down, but the code is what counts.", "I can leave style aside.", "Does {file} decide this, or does it only pass it on?",
		"Line {line} of {file} looks harmless on its own.", "Together with `{name}` it matters, though.", "I should be careful with {file}: it is used from more than one side.", "Hmm, `{name}` could be nil there.",
		"No, that can't be, or {file} would fail much earlier.", "So either {file}:{line} is the place or I have not seen it yet.", "If it is not in {file}, the callers are where to look next.", "That fits with \"{title}\".",
		"I'd say the change belongs near line {line} of {file}, if anywhere.", "Let me not lose sight of the point: {about}.", "What I don't know yet is whether `{name}` is the only one.", "A search would find the name but not the meaning.",
		"Once I have that, the report can be short.", "I need the line as well as the file, or nobody can follow it.", "OK, so {file} is read, and what it says about `{name}` is clear enough.", "The order of these two matters.",
		"Is it enough to look at {file}?", "Probably not, since `{name}` is visible from outside.", "I could stop here, but then \"{title}\" would rest on one place.", "Better to see it than to assume it.",
		"Wait, line {line} of {file} returns early.", "In that case what follows it is never reached.", "Fine, that does not change the plan.", "The plan stays: {next}, then see what is missing.",
	},
}

// reports are what is said of finished items.
var reports = voice{
	breaks: true,
	first: []string{
		"\"{title}\" comes down to {file}, mostly around line {line}.", "For \"{title}\" the place that counts is {file}:{line}.", "I looked into \"{title}\", which asks this: {about}.", "In short: `{name}` in {file} (line {line}) is where \"{title}\" is decided.",
		"\"{title}\" is finished. What it asked for: {about}.", "{changed} is changed, and with it \"{title}\" is in place.", "The change for \"{title}\" is in {changed}, next to line {line}.", "Here is what came of \"{title}\".",
		"This was asked for: {about}. It stands like this.", "{file} has the answer to \"{title}\".",
	},
	then: []string{
		"{file}:{line} is where `{name}` comes in.", "`{name}` ({file}:{line}) is reached from more than one side.", "Line {line} of {file} matters for it.", "See {file}, line {line}.", "{file} was read as it stands now.",
		"I edited {changed} and left its callers as they are.", "The edit in {changed} adds lines and takes none away.", "In {changed} the new lines stand close to line {line}.", "Whoever calls `{name}` gets the same as before.",
		"`{name}` is the name to search for if you want to follow it.", "I did not look beyond the files named here.", "Not checked: callers outside of these files.", "What other packages make of `{name}` I have not checked.",
		"I found nothing in {file} that speaks against it.", "The usual path goes by {file}:{line}; the other one is rare.", "Where {file} and its comments disagree, I went by the code.", "The part around line {line} of {file} is easily overlooked.",
		"For \"{title}\" that is enough.", "If it has to change, {file}:{line} is where I would start.", "`{name}` at line {line} does the work; what is around it only prepares it.", "I am sure of {file}, and less so of what calls it.",
		"Nothing there depends on the order in which callers arrive.", "It would take another look to say how often this happens.", "The names are as they were.", "No other file needs to know of it.", "An empty value goes the same way as a missing one, see {file}:{line}.",
		"This leaves one question open, which is whether `{name}` is meant to be used like this.", "{file} is longer than it has to be for what it does.", "The short version: {about}.", "A caller that ignores the error of `{name}` would not notice.",
		"Both ways end at {file}:{line}.", "I kept to what was asked and changed nothing on the side.", "The text in {file} and the code agree on this point.", "Nothing else came up.", "That is as far as the files go.",
		"Lines above {line} in {file} have no part in it.", "There is one more use of `{name}`, which does the same.", "What I say here stands in the files and can be looked up.",
	},
}

// gists say what a file is for, known to whoever has its gist; asides go with a quoted line.
var (
	gists = voice{
		first: []string{"{file} holds this part of the work.", "In {file} one step is decided and the rest is passed on.", "{file} keeps the types and what belongs to them.", "What {file} does is called from several places."},
		then: []string{
			"Its callers rely on the error it returns.", "The first half prepares, the second half acts.", "It has no state of its own.", "One function does most of it.", "It is read more often than changed.", "Nothing in it waits.",
			"The exported part is small.", "It checks its input once, at the top.",
		},
	}
	asides = voice{
		first: []string{"This is where it is decided.", "It holds for every caller.", "Nothing later corrects it.", "That goes for the second time too.", "What comes before does not matter.", "No test covers it so far."},
		then:  []string{"It is easily overlooked.", "The comment does not say so.", "Only one place does this.", "It has been so for long.", "A caller cannot see it.", "The rest follows from it."},
	}
)

// tails fill a text up to its size: each is at most two bytes longer than the one before.
var tails = [...]string{
	"OK.", "Good.", "Agreed.", "All fine.", "That is it.", "Nothing else.", "So that is how.", "So much for this.", "That is all for it.",
	"Enough for this step.", "There is no more to it.", "That is all there is now.", "So this is as far as I got.",
}
