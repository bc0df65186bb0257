#!/usr/bin/env bash
# The two halves of what agentsim does, on one scenario: a correct agent passes,
# and a broken one is caught, with the timeline of what it did.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scenario=scenarios/high_cpu.yaml
mutant="${MUTANT:-agentsim.mutants:results_by_completion}"

echo "== One run of $scenario with the reference runtime"
.venv/bin/agentsim run "$scenario" || exit

echo
echo "== The same scenario, explored with an agent that is broken on purpose"
.venv/bin/agentsim explore "$scenario" --agent "$mutant"
status=$?
if [ "$status" -ne 1 ]; then
  echo "The broken agent was not caught (exit code $status, expected 1)." >&2
  exit 1
fi
