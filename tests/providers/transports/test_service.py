"""A model's service over HTTP, without any HTTP library."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agentsim.core import (
    ProviderError,
    Response,
    ResponseReceived,
    StreamFault,
    StreamKind,
    Usage,
    UsageError,
    assistant,
)
from agentsim.providers import Answer, Attempt, Receipt
from agentsim.providers.attempts import Sent
from agentsim.providers.openai_chat import CHAT as CHAT_DIALECT
from agentsim.providers.transports import HttpRequest, ModelService, NoAnswer, Served
from agentsim.providers.wires import Asked, HttpAnswer, read_frames_of
from tests.providers.fakes import FakeBoundary

CHAT = "/v1/chat/completions"


class Ended(BaseException):
    """Stands for the end of the run, which no caller outlives."""


class Model:
    """What is behind the service: says the same to everyone, or fails."""

    def __init__(
        self, error: ProviderError | None = None, fault: StreamFault | None = None
    ) -> None:
        self.error = error
        self.fault = fault
        self.asked: list[tuple[Asked, float | None]] = []
        self.boundary = FakeBoundary()

    async def attempt(
        self, asked: Asked, *, timeout_s: float | None = None, streamed: bool = False
    ) -> Attempt:
        self.asked.append((asked, timeout_s))
        number = len(self.asked)
        if self.error is not None and self.fault is None:
            return Attempt(number, error=self.error)
        response = Response(assistant("Hi."), usage=Usage(3, 1))
        if not streamed:
            return Attempt(number, response)
        answer = Answer(response, 0, error=self.error, fault=self.fault)
        receipt = Receipt(self.boundary, Sent(number, 1.0), answer)
        return Attempt(number, response, self.error, receipt)

    async def end(self, error: UsageError) -> None:
        raise Ended(str(error))

    def service(self, *, rooted: bool = False) -> ModelService:
        served = Served("gpt-5", self.attempt, lambda: 1_767_225_600, self.end)
        return ModelService(served, rooted=rooted)


def ask(
    service: ModelService,
    body: object = None,
    *,
    method: str = "POST",
    path: str = CHAT,
    **headers: str,
) -> HttpAnswer:
    """Send one request."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = HttpRequest(method, "models.example", path, raw, 600, headers)
    return asyncio.run(service.answer(request))


def hello(**fields: Any) -> dict[str, Any]:
    """The body of the least request there is."""
    return {"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}], **fields}


def test_an_answer_is_json_with_an_id_and_usage() -> None:
    """Body and headers are those of the service, with the virtual time of day."""
    model = Model()
    answer = ask(model.service(), hello())
    body = json.loads(answer.body)
    assert answer.status == 200
    assert body["choices"][0]["message"]["content"] == "Hi."
    assert body["usage"]["total_tokens"] == 4
    assert body["created"] == 1_767_225_600
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["openai-processing-ms"] == "1000"
    assert answer.headers["x-request-id"].startswith("req_")
    (asked, timeout_s) = model.asked[0]
    assert (asked.refusal, timeout_s) == (None, 600)


def test_each_request_has_an_id_of_its_own() -> None:
    """Errors of an SDK tell it."""
    service = Model().service()
    first, second = (ask(service, hello()).headers["x-request-id"] for _ in range(2))
    assert first != second


def test_a_refused_request_is_asked_with_its_refusal() -> None:
    """The wire judges; who answers records the refusal, and the client gets it."""
    model = Model(ProviderError("no", status=400, kind="invalid_request_error"))
    answer = ask(model.service(), hello(messages=[]))
    asked, _timeout_s = model.asked[0]
    assert asked.refusal is not None
    assert (answer.status, json.loads(answer.body)["error"]["message"]) == (400, "no")


def test_a_body_that_is_no_json_is_refused_and_counted() -> None:
    """It is a request as any other."""
    model = Model(ProviderError("no", status=400, kind="invalid_request_error"))
    assert ask(model.service(), b"{").status == 400
    assert model.asked[0][0].refusal is not None


@pytest.mark.parametrize(
    ("kind", "definite", "reason"),
    [
        ("timeout", False, "ReadTimeout"),
        ("connection_error", False, "ReadError"),
        ("connection_error", True, "ConnectError"),
    ],
)
def test_an_error_without_a_status_is_no_answer(
    kind: str, definite: bool, reason: str
) -> None:
    """What may have happened was cut off later than what certainly did not."""
    error = ProviderError("gone", status=None, kind=kind, definite=definite)
    with pytest.raises(NoAnswer, match="gone") as caught:
        ask(Model(error).service(), hello())
    assert caught.value.reason == reason


def test_models_are_listed_without_asking_the_model() -> None:
    """The list has the model of the scenario, and another one does not exist."""
    model = Model()
    service = model.service()
    listed = json.loads(ask(service, method="GET", path="/v1/models").body)
    shown = ask(service, method="GET", path="/v1/models/gpt-5")
    other = ask(service, method="GET", path="/v1/models/gpt-1")
    assert [entry["id"] for entry in listed["data"]] == ["gpt-5"]
    assert json.loads(shown.body) == listed["data"][0]
    assert other.status == 404
    assert json.loads(other.body)["error"]["code"] == "model_not_found"
    assert model.asked == []


def test_models_are_listed_in_the_form_of_the_vendor_who_is_asked() -> None:
    """Its clients say by a header which version they speak."""
    service = Model().service()
    asked = {"method": "GET", "anthropic-version": "2026-10-21"}
    listed = json.loads(ask(service, path="/v1/models", **asked).body)
    shown = ask(service, path="/v1/models/gpt-5", **asked)
    assert json.loads(shown.body) == listed["data"][0]
    assert listed["data"][0]["created_at"] == "1970-01-01T00:00:00Z"
    del listed["data"]
    assert listed == {"has_more": False, "first_id": "gpt-5", "last_id": "gpt-5"}


def test_any_key_is_good() -> None:
    """And none is, under either of the headers that keys come in."""
    service = Model().service()
    for headers in ({}, {"authorization": "Bearer sk-1"}, {"x-api-key": "sk-2"}):
        assert ask(service, hello(), **headers).status == 200


def test_an_unknown_path_is_not_found() -> None:
    """A base URL that is set wrongly shows itself as on the real service."""
    answer = ask(Model().service(rooted=True), hello(), path="/chat/completions")
    error = json.loads(answer.body)["error"]
    assert answer.status == 404
    assert error["type"] == "invalid_request_error"
    assert error["message"].startswith("Unknown request URL: POST /chat/completions.")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/responses/compact",
        "/v1/messages/batches",
        "/v1/embeddings",
        "/v1/chat/completions/chatcmpl-1",
    ],
)
def test_another_dialect_ends_the_run_by_name(path: str) -> None:
    """Nothing is answered that the real service would answer otherwise."""
    with pytest.raises(Ended, match=f"POST {path}.*has /v1/chat/completions"):
        ask(Model().service(), {"model": "gpt-5", "input": "Hi"}, path=path)


def test_a_streamed_answer_comes_in_pieces() -> None:
    """It is asked for by the body alone; false is no stream."""
    model = Model()
    answer = ask(model.service(), hello(stream=True))
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["x-request-id"].startswith("req_")
    events = read_frames_of(b"".join(pieces(answer)))
    assert CHAT_DIALECT.read_frames(events).response.message.content == "Hi."
    assert kinds(model) == ["delta", "response"]
    assert ask(model.service(), hello(stream=False)).pieces is None


def test_what_is_refused_is_no_stream() -> None:
    """A bad history gets a plain answer, whatever it asks for."""
    model = Model(ProviderError("no", status=400, kind="invalid_request_error"))
    answer = ask(model.service(), hello(messages=[], stream=True))
    assert (answer.status, answer.pieces) == (400, None)
    assert json.loads(answer.body)["error"]["message"] == "no"


def test_each_piece_is_recorded_as_it_is_taken() -> None:
    """Who leaves the rest has received no response."""
    for count, expected in [(1, []), (2, ["delta"]), (3, ["delta", "response"])]:
        model = Model()
        answer = ask(model.service(), hello(stream=True))
        assert answer.pieces is not None
        assert len(pieces(answer, count)) == count
        answer.pieces.close()
        assert pieces(answer) == []
        assert kinds(model) == expected


@pytest.mark.parametrize("kind", ["cut", "cut_bytes"])
def test_a_connection_is_lost_within_a_stream(kind: StreamKind) -> None:
    """Behind what came, and its failure is recorded there."""
    model = Model(fault=StreamFault(kind, "end"))
    answer = ask(model.service(), hello(stream=True))
    taken: list[bytes] = []
    with pytest.raises(NoAnswer, match="before the response was complete") as caught:
        pieces(answer, into=taken)
    assert caught.value.reason == "RemoteProtocolError"
    assert b'"content":"Hi."' in b"".join(taken)
    assert kinds(model) == ["delta", "request_failed"]


def test_a_stream_that_ends_early_ends_quietly() -> None:
    """That it failed is recorded nevertheless."""
    model = Model(fault=StreamFault("ends", "end"))
    raw = b"".join(pieces(ask(model.service(), hello(stream=True))))
    assert b'finish_reason":null' in raw
    assert b"[DONE]" not in raw
    assert kinds(model) == ["delta", "request_failed"]


def test_an_error_within_a_stream_is_told_and_ends_it() -> None:
    """In the form of the wire, and with the words that the wire has for it."""
    error = ProviderError("overloaded", status=503, kind="server_error")
    model = Model(error, StreamFault("error", 1))
    *_before, last = pieces(ask(model.service(), hello(stream=True)))
    assert json.loads(last.removeprefix(b"data: "))["error"]["message"] == "overloaded"
    assert kinds(model) == ["request_failed"]


def test_a_doubled_piece_is_recorded_as_it_is_read() -> None:
    """What came is what the client keeps of it."""
    model = Model(fault=StreamFault("doubled"))
    pieces(ask(model.service(), hello(stream=True)))
    *deltas, received = model.boundary.events
    assert len(deltas) == 2
    assert isinstance(received, ResponseReceived)
    assert received.message.content == "Hi.Hi."
    assert received.reply is None


def pieces(
    answer: HttpAnswer, count: int = 99, *, into: list[bytes] | None = None
) -> list[bytes]:
    """The first pieces of a stream, or all of them."""
    taken = [] if into is None else into

    async def take() -> None:
        assert answer.pieces is not None
        while len(taken) < count:
            try:
                taken.append(await anext(answer.pieces))
            except StopAsyncIteration:
                return

    asyncio.run(take())
    return taken


def kinds(model: Model) -> list[str]:
    """What was recorded."""
    return [event.kind for event in model.boundary.events]
