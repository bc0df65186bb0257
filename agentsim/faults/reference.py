"""The reference page of the faults, made from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.faults.catalogue import CATALOGUE
from agentsim.faults.kinds import Fault, Target

__all__ = ["faults_page"]

_HEAD = """\
# Faults

<!-- Made from the catalogue by `make docs`; a test compares the two. -->

A fault is one way in which the outside fails. In the `faults` of a scenario it always
strikes where it matches: that is part of the story. In an exploration (`--faults`) it may
strike at each operation that it applies to, and each strike is a deviation.

A fault is *definite* when it is certain that the operation did not happen. After any
other a write may have taken effect, so a correct agent does not simply repeat it.
"""

_TAIL = """
## In a scenario

A name alone strikes every tool, a name with a tool that tool, and `attempt` counts the
runs of a tool, or the requests to the model. The first rule that matches wins.

```yaml
task: web-03 is slow. Restart nginx if need be.
world: {cpu: {}, services: {}}
script:
  - call: check_cpu
  - call: check_cpu
  - {call: restart_service, with: {host: web-03, service: nginx}}
  - say: I asked for a restart of nginx; whether it happened is not known.
faults:
  - {fault: raises, tool: check_cpu, attempt: 2}
  - answer_lost: restart_service
  - slow
expect: {effects: {restart_service: 1}}
```

In Python each has a function: `answer_lost("restart_service")`,
`raises("check_cpu", attempt=2)`, from `agentsim.faults`.
"""


def faults_page() -> str:
    """The text of `docs/reference/faults.md`."""
    tools = _section("Of tools", "tool")
    model = _section("Of the model", "model")
    return _HEAD + tools + model + _TAIL


def _section(title: str, target: Target) -> str:
    return f"\n## {title}\n\n" + "".join(f"{row}\n" for row in _rows(target))


def _rows(target: Target) -> Iterator[str]:
    yield "| fault | what happens | strikes | definite | the agent is told |"
    yield "|---|---|---|---|---|"
    for fault in CATALOGUE.values():
        if fault.target == target:
            definite = "yes" if fault.definite else "no"
            cells = (f"`{fault.name}`", fault.sentence, _strikes(fault), definite)
            yield f"| {' | '.join(cells)} | {_told(fault)} |"


def _strikes(fault: Fault) -> str:
    if fault.target == "tool":
        return "writes" if fault.needs_write else "reads and writes"
    least = "a call" if fault.calls_min == 1 else f"{fault.calls_min} calls or more"
    return f"replies with {least}"


def _told(fault: Fault) -> str:
    if fault.answer == "error":
        return fault.error_words
    if fault.answer == "never":
        return "nothing"
    return "what the tool says" if fault.target == "tool" else "the reply, as changed"
