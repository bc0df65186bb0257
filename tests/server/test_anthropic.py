"""What a server answers to clients of Anthropic, beside whole conversations."""

from __future__ import annotations

from collections.abc import Iterator

import anthropic
import pytest

from agentsim.server import Serving
from tests.server.programs import DISK, get, post

VERSION = {"anthropic-version": "2023-06-01"}


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    """One server for all tests here; each takes a run of its own."""
    with Serving(DISK) as serving:
        yield serving


def client(server: Serving, run: str) -> anthropic.Anthropic:
    """A client whose requests belong to one run."""
    return anthropic.Anthropic(
        base_url=server.url, api_key=f"agentsim-{run}", max_retries=0
    )


def test_tokens_are_counted_and_the_model_is_not_asked(server: Serving) -> None:
    """The number is that of the request, and no reply of the script is used up."""
    with client(server, "counts") as made:
        found = made.messages.count_tokens(
            model="m", messages=[{"role": "user", "content": "Free some space."}]
        )
    assert found.input_tokens > 0
    state = get(f"{server.url}/_agentsim/runs/counts")[1]
    assert (state["state"], state["requests"]) == ("fresh", 0)


def test_models_are_listed_in_the_form_of_the_vendor(server: Serving) -> None:
    """The header that only its clients send decides."""
    with client(server, "models") as made:
        assert [model.id for model in made.models.list()] == ["scripted"]
    assert get(f"{server.url}/v1/models", VERSION)[1]["has_more"] is False


def test_a_wrong_path_has_the_vendors_error(server: Serving) -> None:
    """A base URL that ends with `/v1`, as OpenAI's does, is noticed."""
    wrong = anthropic.Anthropic(base_url=f"{server.url}/v1", api_key="any")
    with wrong, pytest.raises(anthropic.NotFoundError) as caught:
        wrong.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "go"}]
        )
    assert caught.value.body == {
        "type": "error",
        "error": {"type": "not_found_error", "message": "Not Found"},
        "request_id": caught.value.request_id,
    }


@pytest.mark.slow
def test_a_body_that_is_too_large_has_the_error_of_the_edge(server: Serving) -> None:
    """It comes from before the service: neither type nor id of the request is there."""
    huge = b"x" * ((32 << 20) + 1)
    status, told, _headers = post(f"{server.url}/v1/messages", huge, VERSION)
    assert status == 413
    assert list(told) == ["error"]
    assert told["error"]["type"] == "request_too_large"


def test_a_run_that_is_over_is_told_in_the_vendors_form(server: Serving) -> None:
    """The SDK raises the reason, once."""
    post(f"{server.url}/_agentsim/runs/over/reset", b"")
    post(f"{server.url}/_agentsim/runs/over/end", b"")
    with (
        client(server, "over") as made,
        pytest.raises(anthropic.BadRequestError, match="the run 'over' has ended"),
    ):
        made.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "go"}]
        )
    assert get(f"{server.url}/_agentsim/runs/over")[1]["late_requests"] == 1
