"""Real exchanges: requests have their true status, answers lose nothing on the way."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic.types.beta import BetaMessage

from agentsim.core import Message, Request, Response, Usage, assistant, parse_json
from agentsim.providers.anthropic import MESSAGES, MessagesReader
from agentsim.providers.anthropic.conversation.reading import read_message, read_system
from agentsim.providers.anthropic.conversation.writing import write_history
from agentsim.providers.wires.dialect import Answered
from agentsim.providers.wires.sse import frame_bytes, read_frames_of
from tests.providers.anthropic.clients import canned, client
from tests.providers.anthropic.same import meaning, meaning_of_system

CORPUS = Path(__file__).parents[3] / ".." / "shared/real-exchanges/exchanges.jsonl"

pytestmark = pytest.mark.skipif(
    not CORPUS.exists(), reason="../shared/real-exchanges/exchanges.jsonl is missing"
)

Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The exchanges by Anthropic Messages."""
    lines = CORPUS.read_text("utf-8").split("\n")
    found = [parse_json(line) for line in lines if line]
    return [row for row in found if row["wire"] == "anthropic-messages"]


@pytest.fixture(scope="module")
def by_sdk() -> Callable[[bytes], dict[str, Any]]:
    """Gives the final message of a stream, as the real SDK puts it together."""

    def final(raw: bytes) -> dict[str, Any]:
        with (
            client(canned(raw)) as sdk,
            sdk.beta.messages.stream(model="m", max_tokens=9, messages=[]) as stream,
        ):
            return stream.get_final_message().to_dict(mode="json")

    asked = Request("m", ())
    said = Answered(Response(assistant("hi"), usage=Usage(1, 1)), asked, 1, 0, {})
    final(b"".join(map(frame_bytes, MESSAGES.frames(said))))  # loads what it needs
    return final


def test_every_real_request_has_its_true_status(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """All were accepted, and pass all rules of the version that they were sent with."""
    counts: Counter[int] = Counter()
    for row in rows:
        headers = {"anthropic-version": "2023-06-01"}
        refusal = MessagesReader().read(row["request"], headers).refusal
        assert (row["status"], refusal) == (200, None), row["id"]
        counts[row["status"]] += 1
    assert counts == {200: 158}
    figure(
        "real Anthropic requests by status, all judged as the service did: "
        f"{dict(counts)}"
    )


def test_the_exchanges_of_a_session_are_judged_the_same_by_one_reader(
    rows: list[Row],
) -> None:
    """A reader that goes through all of them, answers and all, refuses none."""
    reader = MessagesReader()
    for row in rows:
        assert reader.read(row["request"]).refusal is None, row["id"]
        if not row["stream"]:
            reader.answered(row["response"])


def test_every_real_history_is_read_and_written_back_whole(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """What a request says comes back from the neutral form, block by block."""
    messages = 0
    for row in rows:
        sent = row["request"]
        prompt = read_system(sent.get("system"))
        found: list[Message] = [] if prompt is None else [prompt]
        for value in sent["messages"]:
            found += read_message(value, after=found[-1].role if found else None)
        again = write_history(found)
        assert meaning(again["messages"]) == meaning(sent["messages"]), row["id"]
        system = meaning_of_system(again.get("system"))
        assert system == meaning_of_system(sent.get("system"))
        messages += len(sent["messages"])
    figure(f"real Anthropic messages written back whole: {messages}")


def test_every_real_answer_is_read_and_written_back_whole(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """The body that is written of what was read is the one that came."""
    calls = plain = 0
    for row in rows:
        if not row["stream"]:
            read = MESSAGES.read_answer(row["response"])
            assert read.body() == row["response"]
            said = [
                b["text"] for b in row["response"]["content"] if b["type"] == "text"
            ]
            assert read.response.message.content == "".join(said)
            calls += len(read.response.message.tool_calls)
            plain += 1
    figure(f"real Anthropic answers written back equal: {plain}, with {calls} calls")


def test_every_real_stream_is_read_as_the_sdk_reads_it(
    rows: list[Row],
    by_sdk: Callable[[bytes], dict[str, Any]],
    figure: Callable[[str], None],
) -> None:
    """The final message is the one that the SDK puts together, and comes back equal."""
    streams = 0
    for row in rows:
        if row["stream"]:
            frames = read_frames_of(row["response"].encode())
            read = MESSAGES.read_frames(frames)
            whole = read.body()
            assert whole == read.rest
            assert {"stop_details": None, **whole} == by_sdk(row["response"].encode())
            assert read.response.usage is not None
            assert _again(row, whole) == whole["content"]
            streams += 1
    figure(f"real Anthropic streams read and streamed again equal: {streams}")


def _again(row: Row, whole: dict[str, Any]) -> list[Any]:
    """The content of a stream of ours that says what a real one said."""
    read = MESSAGES.read_answer(whole)
    asked = Request(row["request"]["model"], ())
    answered = Answered(read.response, asked, 1, 0, row["request"])
    content: list[Any] = MESSAGES.read_frames(MESSAGES.frames(answered)).body()[
        "content"
    ]
    for block, real in zip(content, whole["content"], strict=True):
        for key in ("caller", "citations"):
            if key in block.keys() ^ real.keys():
                block.pop(key, None)
                real.pop(key, None)
    return content


def test_what_we_write_of_a_real_answer_has_all_that_it_has(rows: list[Row]) -> None:
    """Blocks, reason and counts of our own body are those of the service's."""
    for row in rows:
        if row["stream"]:
            continue
        body = row["response"]
        read = MESSAGES.read_answer(body)
        asked = Request(body["model"], ())
        ours = MESSAGES.body(Answered(read.response, asked, 1, 0, row["request"]))
        BetaMessage.model_validate(ours, strict=True)
        assert meaning({"role": "", "content": ours["content"]}) == meaning(
            {"role": "", "content": body["content"]}
        )
        for key in ("type", "role", "model", "stop_reason", "stop_sequence"):
            assert ours[key] == body[key]
        total = (
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        )
        assert sum(ours["usage"][key] for key in total) == sum(
            body["usage"][key] for key in total
        )
        assert ours["usage"]["output_tokens"] == body["usage"]["output_tokens"]
        assert len(ours["id"]) == len(body["id"])
