"""Real exchanges: requests have their true status, answers lose nothing on the way."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai.types.chat import ChatCompletion

from agentsim.core import Request, parse_json
from agentsim.providers.openai_chat import (
    ChatProfile,
    ChatReader,
    completion_body,
    read_completion,
)

CORPUS = Path(__file__).parents[3] / ".." / "shared/real-exchanges/exchanges.jsonl"

pytestmark = pytest.mark.skipif(
    not CORPUS.exists(), reason="../shared/real-exchanges/exchanges.jsonl is missing"
)

Row = dict[str, Any]

KNOWN_MODELS = ("gpt-5.2-pro", "gpt-4o", "gpt-4o-mini", "gpt-5-mini", "o1-mini")

PROFILES = {
    "gpt-5.2-proo": ChatProfile(models=KNOWN_MODELS),
    "o1-mini": ChatProfile(roles_unsupported=("system",)),
    "gpt-5-mini": ChatProfile(parts=("text", "image_url")),
    "gpt-4o": ChatProfile(unsupported=("web_search_options",)),
}
"""What the models of refused requests do not take."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The exchanges by Chat Completions."""
    lines = CORPUS.read_text("utf-8").split("\n")
    found = [parse_json(line) for line in lines if line]
    return [row for row in found if row["wire"] == "openai-chat"]


def test_every_real_request_has_its_true_status(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """Accepted ones pass all rules; refused ones are, in the very same words."""
    counts: Counter[int] = Counter()
    for row in rows:
        strict = ChatReader().read(row["request"]).refusal
        counts[row["status"]] += 1
        assert strict is None, row["id"]
        if row["status"] != 200:
            profile = PROFILES[row["request"]["model"]]
            refusal = ChatReader(profile).read(row["request"]).refusal
            assert refusal is not None, row["id"]
            error = refusal.error()
            told = {
                "message": str(error),
                "type": error.kind,
                "param": error.param,
                "code": error.code,
            }
            found = (error.status, told)
            assert found == (row["status"], row["response"]["error"])
    assert counts == {200: 121, 400: 5, 404: 1}
    figure(
        f"real Chat requests by status, all judged as the service did: {dict(counts)}"
    )


def test_every_real_answer_is_read_and_written_back_whole(
    rows: list[Row], figure: Callable[[str], None]
) -> None:
    """The body that is written of a neutral response and the rest is the one that came."""
    answers = [r["response"] for r in rows if r["status"] == 200 and not r["stream"]]
    calls = 0
    for body in answers:
        completion = read_completion(body)
        assert completion.body() == body
        first = body["choices"][0]
        assert completion.rest["choices"][0].keys().isdisjoint({"finish_reason"})
        calls += len(completion.response.message.tool_calls)
        assert completion.response.message.content == (
            first["message"]["content"] or ""
        )
    figure(f"real Chat answers written back equal: {len(answers)}, with {calls} calls")


def test_what_we_write_of_a_real_answer_has_all_that_it_has(rows: list[Row]) -> None:
    """Message, reason and counts of our own body are those of the service's."""
    for row in rows:
        if row["status"] == 200 and not row["stream"]:
            body = row["response"]
            response = read_completion(body).response
            asked = Request(body["model"], ())
            ours = completion_body(
                response, request=asked, number=1, created=body["created"]
            )
            ChatCompletion.model_validate(ours, strict=True)
            theirs, own = body["choices"][0], ours["choices"][0]
            assert own["finish_reason"] == theirs["finish_reason"]
            for key in ("role", "content", "refusal", "tool_calls"):
                assert own["message"].get(key) == theirs["message"].get(key)
            for key in ("prompt_tokens", "completion_tokens", "total_tokens"):
                assert ours["usage"][key] == body["usage"][key]
            assert json.dumps(ours)
