"""Errors of the service: in its words, its statuses and its headers."""

import json

import pytest

from agentsim.core import ProviderError
from agentsim.faults import CATALOGUE
from agentsim.providers.openai import error_answer, wire_error
from agentsim.providers.openai.errors import duration


def of_fault(name: str) -> ProviderError:
    """The error that a fault of the catalogue makes."""
    fault = CATALOGUE[name]
    return ProviderError(
        fault.error_words,
        status=fault.error_status,
        kind=fault.error_kind,
        retry_after_s=fault.retry_after_s,
        definite=fault.definite,
    )


@pytest.mark.parametrize(
    ("fault", "status", "kind", "code", "phrase"),
    [
        (
            *("rate_limited", 429, "requests", "rate_limit_exceeded"),
            "Rate limit reached for gpt in organization",
        ),
        ("server_error", 500, "server_error", None, "The server had an error while"),
        ("overloaded", 503, "server_error", None, "overloaded or not ready yet"),
    ],
)
def test_the_faults_of_the_catalogue_speak_as_the_service(
    fault: str, status: int, kind: str, code: str | None, phrase: str
) -> None:
    """Each has the status, type, code and key phrase of the service."""
    told = wire_error(of_fault(fault), model="gpt")
    assert (told.status, told.kind, told.code) == (status, kind, code)
    assert phrase in str(told)
    assert told.definite


@pytest.mark.parametrize("fault", ["model_timeout", "connection_lost"])
def test_what_no_answer_tells_of_is_no_answer(fault: str) -> None:
    """A connection that is lost stays one, and has no body."""
    lost = of_fault(fault)
    assert wire_error(lost, model="gpt") is lost
    with pytest.raises(ValueError, match="no answer came"):
        error_answer(lost)


def test_own_words_of_an_error_are_kept() -> None:
    """Who writes a fault of their own finds its words in the body."""
    own = ProviderError("come back on Monday", status=429, kind="rate_limit_error")
    assert str(wire_error(own, model="gpt")) == "come back on Monday"


def test_a_limited_request_is_told_how_long_to_wait() -> None:
    """Whole seconds in `retry-after`, a duration in the limits and in the message."""
    told = wire_error(of_fault("rate_limited"), model="gpt")
    answer = error_answer(told, number=3)
    assert "Please try again in 20s." in str(told)
    assert answer.headers["retry-after"] == "20"
    assert answer.headers["x-ratelimit-reset-requests"] == "20s"
    assert len(answer.headers["x-request-id"]) == len("req_") + 32


def test_an_error_has_the_four_keys_of_the_service() -> None:
    """Message, type, param and code are there, null or not."""
    error = ProviderError(
        "no", status=400, kind="invalid_request_error", param="n", code="invalid_type"
    )
    body = json.loads(error_answer(error).body)
    told = {"type": "invalid_request_error", "param": "n", "code": "invalid_type"}
    assert body == {"error": {"message": "no", **told}}


@pytest.mark.parametrize("status", [502, 504])
def test_a_gateway_answers_with_a_page(status: int) -> None:
    """What stands before the service sends HTML, which is no JSON."""
    answer = error_answer(ProviderError("down", status=status, kind="api_error"))
    assert answer.status == status
    assert answer.headers["content-type"] == "text/html"
    assert answer.body.startswith(b"<html>")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        *((20.0, "20s"), (90.0, "1m30s"), (3600.0, "1h0m0s"), (0.25, "250ms")),
        *((3.89, "3.89s"), (360.0, "6m0s"), (0.088, "88ms")),
    ],
)
def test_durations_are_written_as_the_service_does(
    seconds: float, expected: str
) -> None:
    """Hours, minutes, seconds, and milliseconds below one."""
    assert duration(seconds) == expected
