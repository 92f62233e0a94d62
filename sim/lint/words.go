package lint

import (
	"regexp"
	"strings"

	"agentsim/sim/memo"
)

// pattern is a regular expression that is compiled when it is first asked for: most
// commands need none.
func pattern(expr string) func() *regexp.Regexp {
	return memo.Once(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// accounts are what one gives of what one has understood.
const accounts = `(?:recommend|suggest|propose|report|summari[sz]e|list|conclude|advise|rank|rate|draft`

// The words that rules go by. Case and white space do not count.
var (
	// refusal begins the result of a tool use that was not allowed, here and in clients.
	refusal = pattern(`^(?:Permission to use |The user doesn't want to |Claude requested permissions )`)
	// lazyWords hand the understanding on to the worker.
	lazyWords = pattern(`(?i)\bbased\s+(?:up)?on\s+(?:your|the|these|those|their|its|previous|earlier)\s+(?:own\s+)?(?:findings?|research|investigation)\b`)
	// actWords are what one does once one has understood.
	actWords = pattern(`(?i)\b(?:act|mend|fix|implement|change|edit|update|write|refactor|apply|add|make|do|go|proceed|resolve|repair|correct|handle|finish|continue|build|verify|research|answer)\b`)
	// toldWords come before what is said of findings, and no order.
	toldWords = pattern(`(?i)\b(?:is|are|was|were|be|been)\s+(?:\w+\s+)?$`)
	// reportWords ask for an account: whoever is asked has understood what the
	// account is of.
	reportWords = pattern(`(?i)\b` + accounts + `)`)
	firstReport = pattern(`(?i)^\W*(?:\w+\s+){0,3}` + accounts + `)`)
	pathWords   = pattern(`(?i)(?:[\w.~@-]*/[\w.@/-]*[\w]|\b[\w-]+\.(?:go|rs|py|js|jsx|ts|tsx|mjs|ex|exs|heex|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|scala|sh|sql|md|txt|json|jsonl|ya?ml|toml|html|css|proto|lock|mod|sum|cfg|ini|env|tf)\b|\blines?\s+\d+|:\d+\b|\b(?:Make|Docker)file\b)`)

	purposeWords = pattern(`(?i)\b(?:so\s+that|so\s+(?:we|i|you|it|they)\b|in\s+order\s+to|because|since\s+(?:we|i|the)|purpose|goal|objective|background|context\s*:|(?:this|it|these|which|that)\s+(?:\w+\s+){0,2}(?:will|is\s+going\s+to|lets?|helps?|informs?|feeds?|unblocks?)\b|i(?:'m|\s+am)\s+(?:verifying|investigating|planning|writing|preparing|debugging|building|trying|reviewing|working|about\s+to)|we(?:'re|\s+are)\s+\w+ing|(?:i|we)\s+(?:need|want|plan|have)\s+(?:this|it|you|to\s+\w+.{0,80}\b(?:to|for|before)\b)|to\s+(?:inform|decide|prepare|support|plan|help|find\s+out\s+whether)|(?:needed|used|useful)\s+(?:for|to|by)|\breview(?:ing)?\b.{0,80}\b(?:diff|patch|pull\s+request|pr|commit|changes?)\b|will\s+(?:be\s+used|inform|feed|help|decide))`)

	thanksWords = pattern(`(?i)^\W*(?:(?:many\s+)?thanks\b|thank\s+you\b|thx\b|got\s+it\b|acknowledged\b|understood\b|noted\b|received\b|well\s+done\b|(?:great|good|nice|excellent)\s+(?:work|job)\b)`)

	verifyWords    = pattern(`(?i)\b(?:verif(?:y|ies|ying|ication)|validat(?:e|es|ing|ion)|double-?check(?:s|ing)?|run\s+(?:the\s+|all\s+)?tests?)\b`)
	reviewWords    = pattern(`(?i)\b(?:bug\s+report|claims?|hypothes[ie]s|assumptions?|do\s+not\s+(?:run|execute))\b`)
	implementWords = pattern(`(?i)^\W*(?:please\s+)?(?:implement|fix|refactor|add|write|create|update|change|rename|migrate|remove|delete|edit|apply|extend|rewrite|port|correct)\b`)

	testRun     = pattern(`(?i)\b(?:go\s+(?:test|vet)|cargo\s+(?:test|nextest)|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?\S*test|npx\s+(?:jest|vitest|playwright|mocha)|jest|vitest|mocha|pytest|python3?\s+-m\s+(?:pytest|unittest)|tox|rspec|rake\s+(?:test|spec)|mix\s+test|mvn\b.*\b(?:test|verify)|gradlew?\b.*\b(?:test|check)|make\s+\S*(?:test|check)\S*|ctest|dotnet\s+test|swift\s+test|phpunit|deno\s+test|bats)\b`)
	skippedTest = pattern(`(?i)(?:\b(?:skip(?:ped|ping)?|omit(?:ted|ting)?)\s+(?:running\s+)?(?:the\s+|all\s+|its\s+|these\s+)?(?:\w+\s+)?tests?\b|\b(?:did\s+not|didn't|could\s+not|couldn't|have\s+not|haven't|without)\s+(?:re-?)?run(?:ning)?\s+(?:the\s+|any\s+)?(?:\w+\s+)?tests?\b|\btests?\s+(?:were|was)\s+(?:skipped|not\s+run))`)
	typeError   = pattern(`(?i)\b(?:type(?:script)?[\s-]*(?:check(?:ing|er)?)?\s*(?:errors?|failures?)|tsc|mypy|pyright|dialyzer|(?:build|compile|compiler)\s+errors?)\b`)
	wavedOff    = pattern(`(?i)\b(?:unrelated|pre-?existing|not\s+related|not\s+(?:caused|introduced)\s+by|(?:can|may)\s+(?:be\s+)?(?:safely\s+)?ignored?|ignor(?:e|ed|ing))\b`)
	lookedInto  = pattern(`(?i)\b(?:git\s+(?:stash|blame|log|diff|bisect|checkout|show|worktree)|on\s+(?:the\s+)?(?:main|master|base)\b|without\s+(?:the|my|our|these)\s+changes?|before\s+(?:the|my|our|this)\s+change)\b`)

	printWords = pattern(`(?i)(?:\b(?:show|print|cat|display|dump|paste|output|echo)\b.{0,60}?(?:\bcontents?\b|\bfiles?\b|[\w-]+\.\w{1,5}\b)|\b(?:return|provide|give|report)\b.{0,40}?\b(?:full|whole|entire|complete|exact|raw|verbatim)\b\s+(?:\w+\s+){0,2}(?:contents?|text|source|code|file)\b(?:[^:]|$))`)
	justPrint  = pattern(`(?i)^\W*(?:please\s+)?(?:show|print|cat|display|dump|paste|output|return|give)\s+(?:me\s+|out\s+)?(?:the\s+)?(?:(?:full|whole|entire|complete|exact|raw)\s+)?(?:contents?\s+of\s+)?(?:the\s+)?(?:file\s+)?[^\s\w]?[\w./~@-]*\w\.\w+\W*$`)
	askWords   = pattern(`(?i)^\W*(?:what|where|which|who|when|how\s+(?:many|much|old|long|big)|is|are|does|do|did|has|have|can)\b`)
)

var marks = pattern(`(?s)\[\[.*?\]\]`)

// plain is a prompt without marks.
func plain(text string) string { return marks().ReplaceAllString(text, "") }

// sentenceEnd is where a sentence ends, in the middle of a text.
var sentenceEnd = pattern(`[.!?][)"'”’]*\s|\n`)

// sentence is where the sentence of a text begins and ends that a stretch of it
// stands in.
func sentence(text string, from, to int) (start, end int) {
	for _, at := range sentenceEnd().FindAllStringIndex(text[:from], -1) {
		start = at[1]
	}
	if at := sentenceEnd().FindStringIndex(text[to:]); at != nil {
		return start, to + at[1]
	}
	return start, len(text)
}

// sentenceAround is that sentence.
func sentenceAround(text string, from, to int) string {
	from, to = sentence(text, from, to)
	return strings.TrimSpace(text[from:to])
}

// excerptRunes is how much of a text a finding shows.
const excerptRunes = 120

// excerpt is the beginning of a text on one line.
func excerpt(text string) string {
	out := []rune(strings.Join(strings.Fields(text), " "))
	if len(out) > excerptRunes {
		return string(out[:excerptRunes-1]) + "…"
	}
	return string(out)
}

// excerptAt is a stretch of a text with a little of what stands around it.
func excerptAt(text string, from, to int) string {
	return excerpt(sentenceAround(text, from, to))
}
