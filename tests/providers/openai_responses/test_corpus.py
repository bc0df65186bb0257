"""Real exchanges: requests have their true status, answers lose nothing on the way."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai.types.responses import Response as SdkResponse

from agentsim.core import Request, parse_json
from agentsim.providers.openai_responses import (
    RESPONSES,
    ResponsesProfile,
    ResponsesReader,
    Stored,
    read_response,
)
from agentsim.providers.openai_responses.messages import read_items, write_items
from agentsim.providers.openai_responses.stored import Items
from agentsim.providers.wires import Answered
from agentsim.providers.wires.sse import read_frames_of

CORPUS = Path(__file__).parents[3] / ".." / "shared/real-exchanges/exchanges.jsonl"

pytestmark = pytest.mark.skipif(
    not CORPUS.exists(), reason="../shared/real-exchanges/exchanges.jsonl is missing"
)

Row = dict[str, Any]

KNOWN_MODELS = ResponsesProfile(models=("gpt-4o", "gpt-5", "gpt-5.2-pro"))

PROFILES = {"gpt-5.2-proo": KNOWN_MODELS}
"""What there is where a refused request asks for another model."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The exchanges by Responses."""
    lines = CORPUS.read_text("utf-8").split("\n")
    found = [parse_json(line) for line in lines if line]
    return [row for row in found if row["wire"] == "openai-responses"]


def bodies_of(row: Row) -> dict[str, Any]:
    """The body of an answer, streamed or not."""
    if not row["stream"]:
        body: dict[str, Any] = row["response"]
        return body
    frames = read_frames_of(row["response"].encode())
    return RESPONSES.read_frames(frames).body()


def test_every_real_request_has_its_true_status(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """Accepted ones pass all rules; refused ones are, in the very same words."""
    counts: Counter[int] = Counter()
    stored = Stored()
    for row in rows:
        profile = PROFILES.get(row["request"]["model"], ResponsesProfile())
        previous = row["request"].get("previous_response_id")
        if previous and stored.response(previous) is None:
            # Its own exchange is not in the corpus: the body was too long for it.
            stored.keep({"id": previous, "output": [], "store": True}, Items(), 0)
        asked = ResponsesReader(profile, stored).read(row["request"])
        counts[row["status"]] += 1
        if row["status"] == 200:
            assert asked.refusal is None, row["id"]
            asked.reader.answered(bodies_of(row))
            continue
        assert asked.refusal is not None, row["id"]
        error = asked.refusal.error()
        told = {
            "message": str(error),
            "type": error.kind,
            "param": error.param,
            "code": error.code,
        }
        assert (error.status, told) == (row["status"], row["response"]["error"])
    assert counts == {200: 131, 400: 5}
    figure(
        "real Responses requests by status, all judged as the service did: "
        f"{dict(counts)}"
    )


def test_every_real_input_is_read_and_written_back_whole(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """Items of a request become messages of the neutral form, and the same items again."""
    items = messages = 0
    for row in rows:
        sent = row["request"]["input"]
        read = read_items(sent)
        assert [item for one in read for item in write_items(one)] == sent, row["id"]
        items, messages = items + len(sent), messages + len(read)
    assert items > messages
    figure(f"real input items written back equal: {items}, as {messages} messages")


def test_every_real_answer_is_read_and_written_back_whole(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """The body that is written of a neutral response and the rest is the one that came."""
    answers = [r["response"] for r in rows if r["status"] == 200 and not r["stream"]]
    calls = 0
    for body in answers:
        read = read_response(body)
        assert read.body() == body
        assert read.rest["output"] == []
        text = SdkResponse.construct(**body).output_text
        assert read.response.message.content == text
        calls += len(read.response.message.tool_calls)
        wanted = any(item["type"] == "function_call" for item in body["output"])
        assert read.response.stop_reason == ("tool_use" if wanted else "end_turn")
    assert len(answers) == 115
    figure(f"real Responses answers written back equal: {len(answers)}, {calls} calls")


def test_every_real_stream_is_read_to_its_last_response(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """The body is that of the last event; without that, all items had come before."""
    count = events = 0
    for row in rows:
        if not row["stream"] or row["status"] != 200:
            continue
        frames = read_frames_of(row["response"].encode())
        last = frames[-1].data
        assert not isinstance(last, str)
        assert RESPONSES.read_frames(frames).body() == last["response"], row["id"]
        cut = RESPONSES.read_frames(frames[:-1])
        whole = last["response"]["output"]
        assert _open(cut.body()["output"]) == _open(whole), row["id"]
        assert cut.response.stop_reason == ""
        count, events = count + 1, events + len(frames)
    assert count == 16
    figure(
        f"real Responses streams read to their last response: {count}, {events} events"
    )


def _open(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items without what the service encrypts anew each time that it sends it."""
    return [{k: v for k, v in i.items() if k != "encrypted_content"} for i in items]


def test_what_we_write_of_a_real_answer_has_all_that_it_has(rows: list[Row]) -> None:
    """Items, status and counts of our own body are those of the service's."""
    extra = {"tool_usage", "conversation"}
    for row in rows:
        if row["status"] == 200:
            body = bodies_of(row)
            response = read_response(body).response
            asked = Request(body["model"], ())
            answered = Answered(response, asked, 1, body["created_at"], row["request"])
            ours = RESPONSES.body(answered)
            assert not body.keys() - ours.keys() - extra, row["id"]
            assert ours["output"] == body["output"]
            for key in ("status", "incomplete_details", "instructions", "created_at"):
                assert ours[key] == body[key], (row["id"], key)
            for key in ("input_tokens", "output_tokens", "total_tokens"):
                assert ours["usage"][key] == body["usage"][key]
            assert json.dumps(ours)
            # What we stream of it is read as the same answer again.
            assert RESPONSES.read_frames(RESPONSES.frames(answered)).body() == ours
