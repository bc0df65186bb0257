#!/usr/bin/env bash
# The two halves of what agentsim does, on one scenario: a correct agent holds, and one
# that is broken on purpose is caught, with the timeline of what it did and the line that
# repeats it. That line is run too, and must find the same.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

agentsim=.venv/bin/agentsim
scenario=scenarios/parallel_reads.yaml
mutant=agentsim.mutants:write_overlaps_reads

echo "== $scenario on the reference agent: $agentsim run $scenario"
"$agentsim" run "$scenario" || exit

echo
echo "== The same scenario on an agent whose write overlaps reads in flight:"
echo "   $agentsim explore $scenario --agent $mutant --runs 200"
report=$("$agentsim" explore "$scenario" --agent "$mutant" --runs 200)
status=$?
printf '%s\n' "$report"
if [ "$status" -ne 1 ]; then
  echo "The broken agent was not caught (exit code $status, expected 1)." >&2
  exit 1
fi

echo
echo "== The line that repeats it, run again"
repeat=$(printf '%s\n' "$report" | sed -n 's/^Repeat it: //p' | head -n 1)
PATH="$PWD/.venv/bin:$PATH" eval "$repeat" | tail -n 1
status=${PIPESTATUS[0]}
if [ "$status" -ne 1 ]; then
  echo "The repetition did not find it again (exit code $status, expected 1)." >&2
  exit 1
fi
echo
echo "Both as they should be: the correct agent holds, the broken one is caught, twice."
