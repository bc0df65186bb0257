"""Agents are found, called as they are meant to be, and told by their public names."""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim import mutants
from agentsim.core import Env, UsageError
from agentsim.runtime import reference
from agentsim.simulation import agent_name, import_agent, import_target, run
from agentsim.simulation.starting import start_agent
from tests.simulation.fakes import idle, silent

Agent = Callable[..., object]


async def with_default(env: Env | None = None) -> str:
    """Take the environment, or nothing."""
    return "without" if env is None else "with"


async def with_option(env: Env, times: int = 2) -> str:
    """Take more than the environment, if given."""
    return "with" * (times - 1)


async def with_rest(*everything: object) -> str:
    """Take whatever is given."""
    return "with" if everything else "without"


async def told_twice(times: int, env: Env) -> str:
    """Take a number first."""
    return "with" * times


class Object:
    """An agent that is an object, and has no hash."""

    __hash__ = None  # type: ignore[assignment]

    async def __call__(self, env: Env) -> str:
        return "with"


class Bound:
    async def agent(self, env: Env) -> str:
        return "with"


def plain_function(env: Env) -> Awaitable[str]:
    """Give what can be awaited, without being async."""
    return with_default(env)


def factory() -> Agent:
    """Make an agent."""
    return with_option


def factory_with_default(times: int = 1) -> Agent:
    """Make an agent in one way or another."""
    return functools.partial(told_twice, times)


@pytest.mark.parametrize(
    "agent",
    [
        with_default,
        with_option,
        with_rest,
        functools.partial(told_twice, 1),
        Object(),
        Object,
        Bound().agent,
        plain_function,
        factory,
        factory_with_default,
    ],
)
def test_every_way_to_write_an_agent_works(agent: Agent) -> None:
    """Functions, objects, methods, partials and factories of them get the environment."""
    assert run(silent(), agent).value == "with"


async def without_parameters() -> None:
    """Take nothing."""


async def with_two(env: Env, other: object) -> None:
    """Take two arguments."""


async def with_keyword(env: Env, *, other: object) -> None:
    """Need a keyword."""


class NeedsMore:
    """A class that can't be made without arguments."""

    def __init__(self, env: Env) -> None:
        self.env = env


def yields_a_coroutine(env: Env) -> Iterator[object]:
    """Yield what only an event loop could await."""
    yield with_default(env)


def makes_nothing() -> None:
    """Make no agent."""


class Awaited:
    """What a call of an async agent gives."""

    def __await__(self) -> Iterator[object]:
        yield None


WRONG: list[object] = [
    3,
    without_parameters,
    with_two,
    with_keyword,
    makes_nothing,
    NeedsMore,
    yields_a_coroutine,
    Awaited(),
]


@pytest.mark.parametrize(
    "agent", WRONG, ids=lambda agent: getattr(agent, "__name__", type(agent).__name__)
)
def test_what_is_no_agent_is_told(agent: Agent, snapshot: SnapshotAssertion) -> None:
    """One sentence says what was given, and how an agent is written."""
    with pytest.raises(UsageError) as caught:
        run(silent(), agent)
    words = str(caught.value)
    assert "0x" not in words
    assert words == snapshot


def test_a_callable_without_a_signature_is_called() -> None:
    """Where Python can't tell the parameters, the call itself does."""

    class Hidden:
        __signature__ = "none"

        async def __call__(self, env: object) -> str:
            return "with"

    started = start_agent(Hidden(), object())  # type: ignore[arg-type]

    async def await_it() -> object:
        return await started

    assert asyncio.run(await_it()) == "with"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (reference, "agentsim.runtime:reference"),
        (mutants.no_deadline, "agentsim.mutants:no_deadline"),
        (idle, "tests.simulation.fakes:idle"),
        (Bound().agent, "Bound.agent"),
        (Object(), "Object"),
        (functools.partial(idle), "tests.simulation.fakes:partial(idle)"),
    ],
)
def test_a_name_is_that_of_the_public_place(agent: Agent, name: str) -> None:
    """It is what `--agent` takes, and never holds an address."""
    assert agent_name(agent).endswith(name)


MODULES = {
    "good.py": "async def agent(env): return 1\nnumber = 3\nnothing = None\n",
    "inner.py": "class Box:\n    @staticmethod\n    async def agent(env): ...\n",
    "syntax.py": "def (:\n",
    "missing.py": "import no_such_library\n",
    "raising.py": "raise ValueError('two\\nlines')\n",
    "wordless.py": "raise ValueError\n",
    "leaving.py": "import sys\nsys.exit(0)\n",
    "lazy.py": "def __getattr__(name):\n    raise ImportError('not today')\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with modules of its own."""
    for name, text in MODULES.items():
        (tmp_path / f"mine_{name}").write_text(text, encoding="utf-8")
    for file in (
        "package/__init__.py",
        "package/inner/__init__.py",
        "src/mine_elsewhere.py",
        "src/package_elsewhere/__init__.py",
        "agents/mine_good.py",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_an_agent_of_the_current_folder_is_imported() -> None:
    """Modules there count, and names may have dots."""
    assert import_agent("mine_good:agent").__name__ == "agent"
    assert import_agent("mine_inner:Box.agent").__name__ == "agent"
    assert import_target("mine_good:number", "scenario") == 3
    assert import_target("mine_good:nothing", "scenario") is None


def test_a_folder_that_a_package_hides_is_told(folder: Path) -> None:
    """A regular package goes before a folder of the same name, wherever it stands."""
    (folder / "json").mkdir()
    (folder / "json" / "mine.py").touch()
    with pytest.raises(UsageError) as raised:
        import_agent("json.mine:agent")
    assert re.search(
        "'json' is the package in .*json, since the folder json here has no __init__.py",
        str(raised.value),
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "target",
    [
        "agent",
        ":agent",
        "mine_good:",
        "mine_good:agnet",
        "mine_good:number",
        "mine_inner:Box.agnet",
        "no_such_module:agent",
        "mine_good.py:agent",
        "agents/mine_good.py:agent",
        "agents/mine_good.py::agent",
        "agents/mine_good:agent",
        "package/inner/mine_deep.py:agent",
        "mine_elsewhere:agent",
        "package_elsewhere:agent",
        "json.mine_good:agent",
        "mine_missing:agent",
        "mine_raising:agent",
        "mine_wordless:agent",
        "mine_leaving:agent",
        "mine_lazy:agent",
        "..:agent",
    ],
)
def test_what_cannot_be_imported_is_told(
    target: str, snapshot: SnapshotAssertion
) -> None:
    """One sentence says which half is wrong, and what to write instead."""
    with pytest.raises(UsageError) as caught:
        import_agent(target)
    assert "\n" not in str(caught.value)
    assert str(caught.value) == snapshot


@pytest.mark.usefixtures("folder")
def test_a_module_that_does_not_parse_is_told() -> None:
    """The words are Python's own, which differ between versions."""
    with pytest.raises(UsageError, match=r"importing it raised SyntaxError: .*line 1"):
        import_agent("mine_syntax:agent")


def test_a_folder_that_is_gone_holds_no_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is installed is imported from there as from anywhere."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert import_agent("agentsim.runtime:reference").__name__ == "reference"
