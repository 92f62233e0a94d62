#!/bin/sh
# Holds a directory of scenarios against its baseline: in any job, on any machine.
#
#   gate.sh DIRECTORY
#
# It writes agentsim.md (a summary to read, errors included) and agentsim.xml
# (JUnit; none where nothing could be run), and ends as agentsim does: 0 pass, 3
# regression, 7 no baseline, anything else see agentsim --help. The baseline stands beside the scenarios and is committed with them; how
# to write it, or to accept a change, stands at the end of the summary.
dir=${1:?gate.sh DIRECTORY}

rm -f agentsim.md agentsim.xml
agentsim bench "$dir" --junit agentsim.xml -o markdown > agentsim.md 2> agentsim.err
code=$?
if [ -s agentsim.err ]; then
	printf '\n```\n%s\n```\n' "$(cat agentsim.err)" >> agentsim.md
fi
rm -f agentsim.err
cat agentsim.md
exit $code
