"""Numbers of a scenario at the edges: each works, or is refused in one sentence."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentsim import Scenario, reference, run, say
from agentsim.core import NUMBER_MAX, Limits, LoopRules, Usage, UsageError, number_fault
from agentsim.engine import Seeded
from agentsim.world import (
    Canned,
    CannedTool,
    Cpu,
    Database,
    Disk,
    Human,
    Mail,
    Process,
    Service,
    Services,
    Spec,
    tool,
)

EDGES = (
    *(0, -1, 1, True, False, 2**63 - 1, 2**63, 10**30, 10**400, 10**5000),
    *(-(10**5000), -0.0, 5e-324, 0.5, 1e10, 1e18, 1e300, -1e300),
    *(math.inf, -math.inf, math.nan),
)

NUMBERS = st.one_of(st.sampled_from(EDGES), st.floats(), st.integers())


def _scenario(**fields: Any) -> Scenario:
    told: dict[str, Any] = {"task": "Do.", "script": [say("Done.")], "exact": False}
    return Scenario(**{**told, **fields})


def _in_world(part: Spec) -> Scenario:
    return _scenario(world=[part])


FIELDS: dict[str, Callable[[Any], Scenario]] = {
    "max_iterations": lambda n: _scenario(limits=Limits(max_iterations=n)),
    "deadline_s": lambda n: _scenario(limits=Limits(deadline_s=n)),
    "token_budget": lambda n: _scenario(limits=Limits(token_budget=n)),
    "max_parallel": lambda n: _scenario(limits=Limits(max_parallel=n)),
    "cache_read_weight": lambda n: _scenario(limits=Limits(cache_read_weight=n)),
    "block_at": lambda n: _scenario(loop=LoopRules(block_at=n)),
    "window": lambda n: _scenario(loop=LoopRules(window=n)),
    "temperature": lambda n: _scenario(temperature=n),
    "seed": lambda n: _scenario(seed=n),
    "human": lambda n: _scenario(human=Human(latency_s=n)),
    "reply": lambda n: _scenario(script=[say("Done.").but(latency_s=n)]),
    "usage": lambda n: _scenario(script=[say("Done.").but(usage=Usage(n, 1))]),
    "tool": lambda n: _in_world(tool("look", returns=["x"], latency_s=n)),
    "canned": lambda n: _in_world(Canned({"c": CannedTool("read_only", latency_s=n)})),
    "capacity_mb": lambda n: _in_world(Disk(capacity_mb=n)),
    "used": lambda n: _in_world(Disk(used=n, logs=0)),
    "answer_after_s": lambda n: _in_world(Mail(answer_after_s=n)),
    "first_pid": lambda n: _in_world(Services(first_pid=n)),
    "ready_after_checks": lambda n: _in_world(
        Services((Service("web", "nginx", ready_after_checks=n),))
    ),
    "ready_after_s": lambda n: _in_world(
        Services((Service("web", "nginx", ready_after_s=n),))
    ),
    "connections": lambda n: _in_world(Database(connections=n)),
    "connections_max": lambda n: _in_world(Database(connections_max=n)),
    "cpu_percent": lambda n: _in_world(Cpu(processes=(Process("x", n),))),
    "load": lambda n: _in_world(Cpu(processes=(Process("x", 1.0, n),))),
}


def _takes(make: Callable[[Any], Scenario], number: object) -> bool:
    """Whether a scenario with the number is made, and then runs; else it says why not."""
    try:
        scenario = make(number)
    except UsageError as error:
        words = str(error)
        assert "got" in words
        assert "\n" not in words
        assert len(words) < 200
        return False
    made = run(scenario, reference)
    assert made.world.snapshot()
    assert made.outcome.ending == "returned"
    return True


@pytest.mark.parametrize("name", FIELDS)
def test_every_number_works_or_is_refused(name: str) -> None:
    """What is no number for a field is told at once; all others go through a whole run."""
    taken = [number for number in EDGES if _takes(FIELDS[name], number)]
    assert all(number == number for number in taken)  # noqa: PLR0124 - no NaN
    assert not any(abs(number) == math.inf for number in taken)
    assert 10**5000 not in taken


@settings(max_examples=40)
@given(st.sampled_from(sorted(FIELDS)), NUMBERS)
@example("seed", 10**30)
def test_any_number_works_or_is_refused(name: str, number: float) -> None:
    """The same of numbers that nobody thought of."""
    _takes(FIELDS[name], number)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, ""),
        (0, ""),
        (-1, "expected 0 or more, got -1"),
        (-1.5, "expected a whole number, got -1.5"),
        (math.nan, "expected a whole number, got nan"),
        (True, "expected a whole number, got True"),
        ("3", "expected a whole number, got str"),
        (
            2**64,
            "expected 9223372036854775807 or less, got a number of more than 18 digits",
        ),
    ],
)
def test_the_fault_of_a_number_says_what_it_is(value: object, words: str) -> None:
    """What was expected, and what was given, in a few words."""
    assert number_fault(value, whole=True) == words


def test_a_number_without_end_is_not_finite() -> None:
    """Infinity is more than the least, so that it is told what else is wrong."""
    assert number_fault(math.inf) == "expected 0 or more and finite, got inf"
    words = "expected 1e+300 or less, got a number of more than 18 digits"
    assert number_fault(10**400, most=NUMBER_MAX) == words


def test_a_seed_is_a_whole_number() -> None:
    """Another one would be taken for what it is not, or differ between versions."""
    with pytest.raises(UsageError, match="seed: expected a whole number, got nan"):
        Seeded(math.nan)  # type: ignore[arg-type]
