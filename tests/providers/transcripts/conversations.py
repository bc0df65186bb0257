"""Valid conversations of each wire, and ways to break one, for the tests beside it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

# A quarter of what the profile asks for: each example judges a whole conversation.
FEW = settings(max_examples=settings().max_examples // 4)

Json = dict[str, Any]

FRESH = "call_nobody_asked"


@dataclass(frozen=True)
class Round:
    """Calls of one response, and the order in which their results stand."""

    ids: tuple[str, ...]
    order: tuple[int, ...]


@dataclass(frozen=True)
class Break:
    """What is done to the result of one call: `drop`, `repeat`, `move`, `rename`."""

    kind: str
    round: int
    call: int


@dataclass
class Broken:
    """A body, with the findings that are expected of it."""

    body: Json
    expected: set[tuple[str, str]] = field(default_factory=set)


@st.composite
def rounds(draw: st.DrawFn) -> list[Round]:
    """One to four rounds of one to three calls; all ids differ."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    made, next_id = [], 0
    for size in sizes:
        ids = tuple(f"call_{next_id + number}" for number in range(size))
        next_id += size
        made.append(Round(ids, tuple(draw(st.permutations(range(size))))))
    return made


@st.composite
def broken_rounds(draw: st.DrawFn) -> tuple[list[Round], Break]:
    """A conversation and one break of it."""
    made = draw(rounds())
    where = draw(st.integers(0, len(made) - 1))
    call = draw(st.integers(0, len(made[where].ids) - 1))
    kind = draw(st.sampled_from(["drop", "repeat", "move", "rename"]))
    return made, Break(kind, where, call)


def result_ids(round_: Round, kind: str | None, call: int) -> list[str]:
    """The ids of the results as they stand, with the break applied."""
    ids = []
    for number in round_.order:
        own = round_.ids[number]
        if number != call or kind is None:
            ids.append(own)
        elif kind == "repeat":
            ids += [own, own]
        elif kind == "rename":
            ids.append(FRESH)
    return ids


def _plan(
    made: list[Round], broken: Break | None
) -> list[tuple[Round, str | None, int]]:
    return [
        (one, broken.kind, broken.call)
        if broken and broken.round == number
        else (one, None, 0)
        for number, one in enumerate(made)
    ]


def chat(made: list[Round], broken: Break | None = None) -> Broken:
    """The body of a Chat request."""
    messages: list[Json] = [{"role": "developer", "content": "Be brief."}]
    made_of = Broken({"model": "m", "messages": messages})
    for one, kind, call in _plan(made, broken):
        messages.append({"role": "user", "content": "Go on."})
        asked = f"messages[{len(messages)}].tool_calls[{call}]"
        calls = [
            {
                "id": own,
                "type": "function",
                "function": {"name": "f", "arguments": "{}"},
            }
            for own in one.ids
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        places = {}
        for own in result_ids(one, kind, call):
            places[own] = f"messages[{len(messages)}]"
            messages.append({"role": "tool", "tool_call_id": own, "content": "ok"})
        messages.append({"role": "assistant", "content": "Done."})
        if kind == "move":
            places[one.ids[call]] = f"messages[{len(messages)}]"
            late = {"role": "tool", "tool_call_id": one.ids[call], "content": "ok"}
            messages.append(late)
        _expect(made_of, kind, asked, places=places, own=one.ids[call])
    return made_of


def responses(made: list[Round], broken: Break | None = None) -> Broken:
    """The body of a Responses request; `move` puts an output before its call."""
    items: list[Json] = []
    made_of = Broken({"model": "m", "input": items})
    for one, kind, call in _plan(made, broken):
        items.append({"role": "user", "content": "Go on."})
        places = {}
        if kind == "move":
            places[one.ids[call]] = f"input[{len(items)}]"
            items.append(_output(one.ids[call]))
        asked = f"input[{len(items) + call}]"
        for own in one.ids:
            made_call = {"call_id": own, "name": "f", "arguments": "{}"}
            items.append({"type": "function_call", **made_call})
        items.append({"type": "reasoning", "id": f"rs_{len(items)}", "summary": []})
        for own in result_ids(one, kind, call):
            places[own] = f"input[{len(items)}]"
            items.append(_output(own))
        items.append({"role": "assistant", "content": "Done."})
        _expect(made_of, kind, asked, places=places, own=one.ids[call])
    return made_of


def _output(call_id: str) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": "ok"}


def anthropic(made: list[Round], broken: Break | None = None) -> Broken:
    """The body of an Anthropic request; `move` puts a result into the next user turn."""
    messages: list[Json] = []
    made_of = Broken({"model": "m", "max_tokens": 99, "messages": messages})
    late: list[Json] = []
    for one, kind, call in _plan(made, broken):
        _user(messages, late)
        late = []
        asked = f"messages[{len(messages)}].content[{call + 1}]"
        calls = [
            {"type": "tool_use", "id": own, "name": "f", "input": {}} for own in one.ids
        ]
        text = {"type": "text", "text": "I look."}
        messages.append({"role": "assistant", "content": [text, *calls]})
        places = {}
        results: list[Json] = []
        for own in result_ids(one, kind, call):
            places[own] = f"messages[{len(messages)}].content[{len(results)}]"
            results.append({"type": "tool_result", "tool_use_id": own})
        messages.append(
            {"role": "user", "content": [*results, {"type": "text", "text": "Go on."}]}
        )
        messages.append({"role": "assistant", "content": "Done."})
        if kind == "move":
            late = [{"type": "tool_result", "tool_use_id": one.ids[call]}]
            places[one.ids[call]] = f"messages[{len(messages)}].content[0]"
        _expect(made_of, kind, asked, places=places, own=one.ids[call])
    _user(messages, late)
    return made_of


def _user(messages: list[Json], late: list[Json]) -> None:
    content = [*late, {"type": "text", "text": "Go on."}]
    messages.append({"role": "user", "content": content})


def _expect(
    made_of: Broken,
    kind: str | None,
    asked: str,
    *,
    places: dict[str, str],
    own: str,
) -> None:
    if kind == "repeat":
        made_of.expected.add(("answered-twice", places[own]))
    elif kind is not None:
        made_of.expected.add(("unanswered", asked))
    if kind == "move":
        made_of.expected.add(("orphan", places[own]))
    elif kind == "rename":
        made_of.expected.add(("orphan", places[FRESH]))


Maker = Callable[[list[Round], Break | None], Broken]

MAKERS: dict[str, Maker] = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic-messages": anthropic,
}
