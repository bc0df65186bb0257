"""The reference page of the faults, made from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.faults.catalogue import CATALOGUE
from agentsim.faults.groups import GROUPS
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

A rule is a fault and where it strikes: `NAME[:TOOL][@ATTEMPT]`. `answer_lost` strikes
every write, `answer_lost:create_payment` the runs of that tool, `slow@2` the second run of
each tool, and `server_error@3` the third request to the model. A fault of the person takes
the tool that they are asked about.
"""

_TAIL = """
## Groups

Where faults are offered, the name of a group stands for all of its faults, and `all` on
the command line for the installed ones too. Unless told otherwise `agentsim explore` offers
`all`, and `explore(...)` in Python `own`. That is fine for random runs, which draw a few
kinds of trouble for each run. The number of exhaustive runs grows with the square of what is
offered, so name what you care about there:
`--faults answer_lost,malformed_arguments --deviations 2`.

{groups}
## In a scenario

The first rule that matches wins. A fault that strikes several times in a row (`flaky`)
begins at the first operation, or at its `attempt`. Three forms say the same: a text, a
name with its tool, and fields.

```yaml
task: web-03 is slow. Restart nginx if need be.
world: {{cpu: {{}}, services: {{}}}}
script:
  - call: check_cpu
  - call: check_cpu
  - {{call: restart_service, with: {{host: web-03, service: nginx}}}}
  - say: I asked for a restart of nginx; whether it happened is not known.
faults:
  - {{fault: raises, tool: check_cpu, attempt: 2}}
  - answer_lost: restart_service
  - answers_late:restart_service@1
  - slow
expect: {{effects: {{restart_service: 1}}}}
```

In Python each fault is a name of `agentsim.faults`, and called it gives a rule:
`answer_lost("restart_service")`, `raises("check_cpu", attempt=2)`.

A service that answers with an error may ask to wait, in the header Retry-After: 20 seconds
for `rate_limited`, and otherwise as a rule says. `rate_limited=30@1`,
`{{fault: rate_limited, attempt: 1, retry_after_s: 30}}` and
`rate_limited(attempt=1, retry_after_s=30)` are one.

Faults of streams (`streams`) strike answers that are streamed: `stream=True` on the wire,
`client.stream` of the neutral client. Where in the stream is a choice; each is a deviation
but the first, which is the middle. A rule may say it: `stream_cut=2@1` lets two events of the
first answer come (`{{fault: stream_cut, attempt: 1, at: 2}}`, `stream_cut(attempt=1, at=2)`),
`stream_cut=end` all but what says that the answer is whole, and `stream_cut_in_bytes=100` as
many bytes, or `stream_cut_in_bytes=character` half of one. `stream_in_portions=1` sends
single bytes, `=0` all at once.

## What is known of some

- `stale` answers a read as it was answered before the last write. It strikes only where
  the same read, with the same arguments, was answered before that write.
- `cycle_of_3` and its like go on from the reply that they struck: the model asks for its
  first call in so many variants. Of a variant the first text has a number behind it
  (`web-03-2`), or the first number is higher; without either there is one more field.
- After a fault of the service the script goes on where it stood: an agent that asks again
  gets the reply that it did not get.
- A stream that breaks off was no answer: the trace has what came of it, and a failed
  request. Real SDKs tell it by an error, or by nothing but a missing stop reason
  (`stream_ends_early`); none tries a stream again once it has begun.
- `stream_doubled` changes what is said, and nothing tells: the trace has what came.
- `missing_usage` strikes streams as well as plain answers.
- `applied_twice` writes twice what the tool writes once. The ledger of the world tells,
  and no agent can help it, except by a key that the tool knows.

## Faults of your own

A function makes a faulty reply of the model's, or a faulty output of a tool's. From then on
its name is known everywhere.

```python
from dataclasses import replace

from agentsim import Scenario, call, explore, say
from agentsim.core import Response
from agentsim.faults import Operation, model_fault, tool_fault
from agentsim.world import Disk


@model_fault(calls_min=1)
def shouting(response: Response, operation: Operation) -> Response:
    \"\"\"The model names its tools in capitals.\"\"\"
    message = response.message
    calls = tuple(
        replace(call, id=f"loud-{{operation.attempt}}", name=call.name.upper())
        for call in message.tool_calls
    )
    return replace(response, message=replace(message, tool_calls=calls))


@tool_fault()
def html_output(output: object, operation: Operation) -> object:
    \"\"\"The output is the page of a proxy.\"\"\"
    return "<html><body>502 Bad Gateway</body></html>"


scenario = Scenario(
    task="Is the disk full?",
    world=[Disk(used="50%")],
    script=[call("check_disk"), say("No: it is half full.")],
)
explore(scenario, deviations=1, faults=[shouting, "html_output"]).expect_holds()
```

A fault without a function is data alone: `CATALOGUE.add(Fault("dns_down", "tool", ...))`.
An installed package brings its faults by entry points of the group `agentsim.faults`, each
of which names a `Fault`.
"""


def faults_page() -> str:
    """The text of `docs/reference/faults.md`."""
    sections = (
        _section("Of tools", "tool"),
        _section("Of the model", "model"),
        _section("Of the person", "human"),
    )
    groups = "".join(
        f"- `{group}`: {_members(names)}\n" for group, names in GROUPS.items()
    )
    return _HEAD + "".join(sections) + _TAIL.format(groups=groups)


def _members(names: tuple[str, ...]) -> str:
    whole = {
        tuple(CATALOGUE.own): "all of this page",
        GROUPS["tools"]: "all of tools",
        GROUPS["model"]: "all of the model",
        GROUPS["person"]: "all of the person",
    }
    return whole.get(names) or ", ".join(f"`{name}`" for name in names)


def _section(title: str, target: Target) -> str:
    return f"\n## {title}\n\n" + "".join(f"{row}\n" for row in _rows(target))


def _rows(target: Target) -> Iterator[str]:
    yield "| fault | what happens | strikes | definite | the agent is told |"
    yield "|---|---|---|---|---|"
    for fault in CATALOGUE.own.values():
        if fault.target == target:
            definite = "yes" if fault.definite else "no"
            cells = (f"`{fault.name}`", fault.sentence, _strikes(fault), definite)
            yield f"| {' | '.join(cells)} | {_told(fault)} |"


def _strikes(fault: Fault) -> str:
    if fault.target == "human":
        return "questions"
    if fault.target == "tool":
        if fault.answer == "outdated":
            return "reads"
        return "writes" if fault.needs_write else "reads and writes"
    replies = "replies" if "whole" in fault.carried else "streamed replies"
    if "pieces" not in fault.carried:
        replies = "streamed replies of SDKs"
    if fault.calls_min == 0:
        return replies
    least = "a call" if fault.calls_min == 1 else f"{fault.calls_min} calls or more"
    return f"{replies} with {least}"


def _told(fault: Fault) -> str:
    if fault.answer == "error":
        status = "" if fault.error_status is None else f"{fault.error_status}: "
        return status + fault.error_words
    if fault.answer == "never":
        return "nothing more" if fault.stream else "nothing"
    if fault.answer == "outdated":
        return "what the tool said before"
    if fault.target == "tool":
        return "the output, as changed" if fault.garble else "what the tool says"
    if fault.target == "human":
        return "the decision, as changed" if fault.decision else "the decision"
    return "what comes of the reply" if fault.stream else "the reply, as changed"
