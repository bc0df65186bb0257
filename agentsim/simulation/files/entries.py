"""The shape of a scenario file, field by field; the reference page is made from it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

__all__ = [
    "CallEntry",
    "EarlierEntry",
    "Entry",
    "ExpectEntry",
    "InjectEntry",
    "LimitsEntry",
    "LoopEntry",
    "ReplyEntry",
    "ScenarioFile",
    "UsageEntry",
]

Number = Annotated[float, Field(strict=True)]

Arguments = dict[StrictStr, Any] | StrictStr


class Entry(BaseModel):
    """A mapping of a file: no other fields than its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class UsageEntry(Entry):
    """Tokens that the service reports with a reply."""

    prompt: StrictInt = Field(ge=0, description="Tokens of the request.")
    completion: StrictInt = Field(ge=0, description="Tokens of the reply.")
    cache_read: StrictInt = Field(
        default=0, ge=0, description="Those of the request that came from a cache."
    )


class CallEntry(Entry):
    """One call of a reply."""

    call: StrictStr = Field(description="The name of the tool.")
    with_: Arguments = Field(
        default_factory=dict,
        alias="with",
        description="The arguments: a mapping, or a text where they are to be broken JSON.",
    )
    id: StrictStr | None = Field(
        default=None, description="Its id; made up unless given."
    )


class ReplyEntry(Entry):
    """One entry of a script: one of `say`, `call`, `calls` and `forever`."""

    say: StrictStr | None = Field(default=None, description="What the model says.")
    call: StrictStr | None = Field(
        default=None, description="The name of the one tool that it calls."
    )
    with_: Arguments | None = Field(
        default=None, alias="with", description="The arguments of `call`."
    )
    id: StrictStr | None = Field(default=None, description="The id of `call`.")
    calls: list[CallEntry] | None = Field(
        default=None, description="Several calls in one reply."
    )
    text: StrictStr | None = Field(
        default=None, description="What the model says beside its calls."
    )
    blocks: list[dict[StrictStr, Any]] | None = Field(
        default=None,
        description="What the service wants back unchanged, such as signed reasoning.",
    )
    stop_reason: StrictStr | None = Field(
        default=None,
        description="Why it stopped, such as `max_tokens`; what fits unless given.",
    )
    refusal: StrictStr | None = Field(
        default=None, description="Why the model refuses."
    )
    usage: UsageEntry | Literal["missing"] | None = Field(
        default=None,
        description="Tokens; counted from the text unless given, `missing` for a service "
        "that reports none.",
    )
    latency_s: Number | None = Field(
        default=None, ge=0, description="Virtual seconds that the reply takes, or 1."
    )
    forever: list[ReplyEntry] | None = Field(
        default=None,
        description="Replies that are given in turn without an end; the last entry.",
    )


class LimitsEntry(Entry):
    """The limits that the agent is to keep; `null` means none."""

    max_iterations: StrictInt | None = Field(default=10, description="Responses.")
    deadline_s: Number | None = Field(default=3600.0, description="Virtual seconds.")
    token_budget: StrictInt | None = Field(default=None, description="Tokens.")
    max_parallel: StrictInt | None = Field(default=4, description="Tools in flight.")
    cache_read_weight: Number = Field(
        default=0, description="How much a token from a cache counts, 0 to 1."
    )


class LoopEntry(Entry):
    """The parameters of loop detection."""

    block_at: StrictInt = Field(
        default=3, description="So many equal calls are answered with a block."
    )
    window: StrictInt = Field(
        default=31, description="Over so many calls they are counted."
    )


class InjectEntry(Entry):
    """A message that the user may send into the running turn."""

    id: StrictStr = Field(description="Its id.")
    text: StrictStr = Field(description="What the user says.")


class EarlierEntry(Entry):
    """A message of an earlier turn: one of `user`, `model` and `result`."""

    user: StrictStr | None = Field(default=None, description="What the user said.")
    model: StrictStr | None = Field(
        default=None, description="What the model said; empty where it called only."
    )
    calls: list[CallEntry] | None = Field(
        default=None, description="The calls of `model`, each with its id."
    )
    result: StrictStr | None = Field(default=None, description="What a call gave.")
    of: StrictStr | None = Field(
        default=None, description="The id of the call that `result` is of."
    )
    failed: StrictBool = Field(
        default=False, description="Whether the call of `result` failed."
    )
    blocks: list[dict[StrictStr, Any]] | None = Field(
        default=None, description="What the service wants back unchanged."
    )


class ExpectEntry(Entry):
    """What should be true of the run without deviations; what is left out is open."""

    status: StrictStr | None = Field(
        default=None, description="How the run ended, such as `done`."
    )
    output: StrictStr | None = Field(
        default=None, description="A text that the answer contains."
    )
    iterations: StrictInt | None = Field(
        default=None, description="How many responses the agent took."
    )
    messages: StrictInt | None = Field(
        default=None,
        description="Messages in the history that it leaves, the system prompt too.",
    )
    calls: StrictInt | None = Field(
        default=None, description="How many calls the model made."
    )
    first_block: StrictInt | None = Field(
        default=None, description="Which call, from 1, is the first answered as a loop."
    )
    tools: list[StrictStr] | None = Field(
        default=None, description="Names of the tools that ran, in order."
    )
    effects: dict[StrictStr, StrictInt] | None = Field(
        default=None,
        description="Tool to how often it took effect; the others did not at all.",
    )


class ScenarioFile(Entry):
    """A scenario as a file says it."""

    name: StrictStr | None = Field(
        default=None,
        description="What reports call it; the name of the file unless given.",
    )
    story: StrictStr | None = Field(
        default=None, description="What it is about, for people."
    )
    uses: list[StrictStr] = Field(
        default_factory=list,
        description="Modules to import, which register parts, faults or invariants.",
    )
    task: StrictStr = Field(description="What the user asks for.")
    script: list[ReplyEntry] = Field(
        min_length=1, description="What the model answers, in order."
    )
    world: dict[StrictStr, dict[StrictStr, Any] | None] = Field(
        default_factory=dict, description="Parts of the world, each with its fields."
    )
    tools: list[StrictStr] | None = Field(
        default=None, description="The tools that the agent gets; all unless given."
    )
    human: dict[StrictStr, Any] | Literal["none"] = Field(
        default_factory=dict, description="Who approves; `none` is nobody."
    )
    prompt: StrictStr | None = Field(
        default=None, description="The system prompt; the agent's own unless given."
    )
    history: list[EarlierEntry] = Field(
        default_factory=list,
        description="Messages of earlier turns, which stand between prompt and task.",
    )
    temperature: Number = Field(
        default=0.2, ge=0, le=2, description="The temperature to ask with."
    )
    limits: LimitsEntry = Field(
        default_factory=LimitsEntry, description="The limits to keep."
    )
    loop: LoopEntry = Field(
        default_factory=LoopEntry, description="The parameters of loop detection."
    )
    faults: list[dict[StrictStr, Any] | StrictStr] = Field(
        default_factory=list, description="Faults that strike in every run."
    )
    inject: list[InjectEntry] = Field(
        default_factory=list, description="Messages that may enter the running turn."
    )
    profiles: dict[StrictStr, dict[StrictStr, Any] | Literal["strict", "lenient"]] = (
        Field(
            default_factory=dict,
            description="Wire to how strict its simulated service is, for agents on SDKs: "
            "a name, or fields that differ from the profile named `like`.",
        )
    )
    expect: ExpectEntry = Field(
        default_factory=ExpectEntry, description="What should happen."
    )
    seed: StrictInt = Field(
        default=0, ge=0, description="Where the world draws what it draws from."
    )
