"""The shape of a scenario file, field by field; the reference page is made from it.

Entries are read once and never compared or shown: to make what that needs takes longer
than all else here, at every start of a command.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from agentsim.plain_yaml import Between

__all__ = [
    "CallEntry",
    "EarlierEntry",
    "ExpectEntry",
    "InjectEntry",
    "LimitsEntry",
    "LoopEntry",
    "ReplyEntry",
    "ScenarioFile",
    "UsageEntry",
]

Arguments = dict[str, Any] | str

_WITH = {"name": "with"}
"""The name in files, which is a word of Python."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UsageEntry:
    """Tokens that the service reports with a reply.

    Attributes:
        prompt: Tokens of the request.
        completion: Tokens of the reply.
        cache_read: Those of the request that came from a cache.
    """

    prompt: Annotated[int, Between(0)]
    completion: Annotated[int, Between(0)]
    cache_read: Annotated[int, Between(0)] = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CallEntry:
    """One call of a reply.

    Attributes:
        call: The name of the tool.
        with_: The arguments: a mapping, or a text where they are to be broken JSON or
            not to fit.
        id: Its id; made up unless given.
    """

    call: str
    with_: Arguments = field(default_factory=dict, metadata=_WITH)
    id: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReplyEntry:
    """One entry of a script: one of `say`, `call`, `calls` and `forever`.

    Attributes:
        say: What the model says.
        call: The name of the one tool that it calls.
        with_: The arguments of `call`.
        id: The id of `call`.
        calls: Several calls in one reply.
        text: What the model says beside its calls.
        blocks: What the service wants back unchanged, such as signed reasoning.
        stop_reason: Why it stopped, such as `max_tokens`; what fits unless given.
        refusal: Why the model refuses.
        usage: Tokens; counted from the text unless given, `missing` for a service that
            reports none.
        latency_s: Virtual seconds that the reply takes, or 1.
        forever: Replies that are given in turn without an end; the last entry.
    """

    say: str | None = None
    call: str | None = None
    with_: Arguments | None = field(default=None, metadata=_WITH)
    id: str | None = None
    calls: list[CallEntry] | None = None
    text: str | None = None
    blocks: list[dict[str, Any]] | None = None
    stop_reason: str | None = None
    refusal: str | None = None
    usage: UsageEntry | Literal["missing"] | None = None
    latency_s: Annotated[float, Between(0)] | None = None
    forever: list[ReplyEntry] | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LimitsEntry:
    """The limits that the agent is to keep; `null` means none.

    Attributes:
        max_iterations: Responses.
        deadline_s: Virtual seconds.
        token_budget: Tokens.
        max_parallel: Tools in flight.
        cache_read_weight: How much a token from a cache counts, 0 to 1.
    """

    max_iterations: int | None = 10
    deadline_s: float | None = 3600.0
    token_budget: int | None = None
    max_parallel: int | None = 4
    cache_read_weight: float = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LoopEntry:
    """The parameters of loop detection.

    Attributes:
        block_at: So many equal calls are answered with a block.
        window: Over so many calls they are counted.
    """

    block_at: int = 3
    window: int = 31


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InjectEntry:
    """A message that the user may send into the running turn.

    Attributes:
        id: Its id.
        text: What the user says.
    """

    id: str
    text: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EarlierEntry:
    """A message of an earlier turn: one of `user`, `model` and `result`.

    Attributes:
        user: What the user said.
        model: What the model said; empty where it called only.
        calls: The calls of `model`, each with its id.
        result: What a call gave.
        of: The id of the call that `result` is of.
        failed: Whether the call of `result` failed.
        blocks: What the service wants back unchanged.
    """

    user: str | None = None
    model: str | None = None
    calls: list[CallEntry] | None = None
    result: str | None = None
    of: str | None = None
    failed: bool = False
    blocks: list[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectEntry:
    """What should be true of the run without deviations; what is left out is open.

    Attributes:
        status: How the run ended, such as `done`.
        output: A text that the answer contains.
        iterations: How many responses the agent took.
        messages: Messages in the history that it leaves, the system prompt too.
        calls: How many calls the model made.
        first_block: Which call, from 1, is the first answered as a loop.
        tools: Names of the tools that ran, in order.
        effects: Tool to how often it took effect; the others did not at all.
    """

    status: str | None = None
    output: str | None = None
    iterations: int | None = None
    messages: int | None = None
    calls: int | None = None
    first_block: int | None = None
    tools: list[str] | None = None
    effects: dict[str, int] | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ScenarioFile:
    """A scenario as a file says it.

    Attributes:
        name: What reports call it; the name of the file unless given.
        story: What it is about, for people.
        uses: Modules to import, which register parts, faults or invariants.
        task: What the user asks for.
        script: What the model answers, in order.
        world: Parts of the world, each with its fields.
        tools: The tools that the agent gets; all unless given.
        human: Who approves; `none` is nobody.
        prompt: The system prompt; the agent's own unless given.
        history: Messages of earlier turns, which stand between prompt and task.
        temperature: The temperature to ask with.
        limits: The limits to keep.
        loop: The parameters of loop detection.
        faults: Faults that strike in every run.
        inject: Messages that may enter the running turn.
        profiles: Wire to how strict its simulated service is, for agents on SDKs: a
            name, or fields that differ from the profile named `like`.
        expect: What should happen.
        seed: Where the world draws what it draws from.
    """

    name: str | None = None
    story: str | None = None
    uses: list[str] = field(default_factory=list)
    task: str
    script: Annotated[list[ReplyEntry], Between(1)]
    world: dict[str, dict[str, Any] | None] = field(default_factory=dict)
    tools: list[str] | None = None
    human: dict[str, Any] | Literal["none"] = field(default_factory=dict)
    prompt: str | None = None
    history: list[EarlierEntry] = field(default_factory=list)
    temperature: Annotated[float, Between(0, 2)] = 0.2
    limits: LimitsEntry = field(default_factory=LimitsEntry)
    loop: LoopEntry = field(default_factory=LoopEntry)
    faults: list[dict[str, Any] | str] = field(default_factory=list)
    inject: list[InjectEntry] = field(default_factory=list)
    profiles: dict[str, dict[str, Any] | Literal["strict", "lenient"]] = field(
        default_factory=dict
    )
    expect: ExpectEntry = field(default_factory=ExpectEntry)
    seed: Annotated[int, Between(0)] = 0
