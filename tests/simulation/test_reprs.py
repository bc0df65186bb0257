"""What an agent is handed reads the same in every run: it may end up in a message."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import Env
from agentsim.simulation import run
from tests.simulation.fakes import silent

FUNCTIONS = ("confirm",)
"""Plain functions, of which Python shows the address, and errors do not."""


def test_nothing_that_an_agent_is_handed_shows_an_address() -> None:
    """Neither the environment nor any part of it, nor a method that is passed on."""
    seen: dict[str, str] = {}

    async def agent(env: Env) -> str:
        for owner in (env, env.sync):
            for name in ("", *dir(owner)):
                if not name.startswith("_") and name not in FUNCTIONS:
                    value: Any = getattr(owner, name) if name else owner
                    seen[f"{type(owner).__name__}.{name}"] = repr(value)
        for tool in (*env.tools, *env.sync.tools):
            seen[repr(tool)] = repr(tool)
        seen["run"] = repr(env.tools[0].run)
        return "nothing done"

    run(silent(), agent)
    assert len(seen) > 25
    assert {name: words for name, words in seen.items() if " at 0x" in words} == {}


@pytest.mark.parametrize("way", ["tool", "run", "sync tool", "function"])
def test_a_wrong_call_has_the_same_error_in_every_run(way: str) -> None:
    """Python names the callee in the error of `f(**"text")`, which a loop may pass on."""

    async def agent(env: Env) -> object:
        called: Any = {
            "tool": env.tools[0],
            "run": env.tools[0].run,
            "sync tool": env.sync.tools[0],
            "function": env.functions["check_disk"],
        }[way]
        text: Any = "text"
        with pytest.raises(TypeError, match="check_disk") as caught:
            called(**text)
        assert " at 0x" not in str(caught.value)
        return "nothing done"

    run(silent(), agent)
