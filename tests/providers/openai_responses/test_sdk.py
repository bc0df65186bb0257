"""The real SDK on what the dialect answers: plain, parsed and streamed, in both colours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx2
import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import ResponseFunctionToolCall
from pydantic import BaseModel

from agentsim.core import (
    Message,
    ProviderError,
    Request,
    Response,
    StreamFault,
    ToolCall,
    Usage,
    assistant,
)
from agentsim.providers.openai_responses import (
    RESPONSES,
    error_event,
    failed_event,
    flat_error_event,
)
from agentsim.providers.wires import Answered, Frame, WireRefusal
from agentsim.providers.wires.bodies import read_object
from agentsim.providers.wires.courses import course_of
from agentsim.providers.wires.noise import noise_of
from tests.providers.openai_responses.bodies import BAD, Bad, bad_name
from tests.providers.openai_responses.made import LOOK, told
from tests.providers.openai_responses.test_rules import reader_of

TOOL: Any = {
    **LOOK,
    "strict": True,
    "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
}

USAGE = Usage(30, 12, 8)

SAID = Response(assistant("All is well on all of the hosts."), "end_turn", USAGE)

CALLED = Response(
    assistant(
        "So.", ToolCall("call_1", "look", '{"at": 1}'), ToolCall("call_2", "look")
    ),
    "tool_use",
    USAGE,
)

THOUGHT = Response(
    Message(
        "assistant",
        "All is well.",
        blocks=(
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "Let me see."}],
            },
        ),
    ),
    "end_turn",
    USAGE,
)

REFUSED = Response(assistant("I can't help with that."), "refusal", USAGE, "policy")

ANSWERS = {"text": SAID, "calls": CALLED, "reasoning": THOUGHT, "refusal": REFUSED}

Cut = Callable[[list[Frame]], list[Frame]]


def whole(frames: list[Frame]) -> list[Frame]:
    """All that is sent."""
    return frames


class Chunks(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A stream of bytes, in pieces of a few."""

    def __init__(self, raw: bytes, size: int = 7) -> None:
        self._pieces = [raw[at : at + size] for at in range(0, len(raw), size)]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


class Service:
    """Answers every request with one response, as the dialect does."""

    def __init__(
        self, response: Response, cut: Cut = whole, fault: StreamFault | None = None
    ) -> None:
        self.response = response
        self.bodies: list[dict[str, Any]] = []
        self._cut = cut
        self._fault = fault
        self._reader = RESPONSES.reader()

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request that was read."""
        body = RESPONSES.read_body(request.content)
        assert not isinstance(body, WireRefusal)
        self.bodies.append(body)
        asked = self._reader.read(body)
        number = len(self.bodies)
        if asked.refusal is not None:
            failed = RESPONSES.error_answer(asked.refusal.error(), number=number)
            headers = dict(failed.headers)
            return httpx2.Response(failed.status, headers=headers, content=failed.body)
        carried = asked.reader.carried(self.response)
        answered = Answered(carried, asked.request, number, 1_767_225_600, body)
        asked.reader.answered(RESPONSES.body(answered))
        headers = RESPONSES.headers(number)
        if not body.get("stream"):
            return httpx2.Response(200, headers=headers, json=RESPONSES.body(answered))
        frames = self._cut(list(RESPONSES.frames(answered)))
        course = course_of(frames, self._fault, noise=noise_of(RESPONSES))
        raw = b"".join(portion.raw for portion in course.portions)
        headers["content-type"] = RESPONSES.content_type
        return httpx2.Response(200, headers=headers, stream=Chunks(raw))

    def client(self) -> OpenAI:
        """A client of the SDK that this service answers."""
        http = httpx2.Client(transport=httpx2.MockTransport(self.answer))
        return OpenAI(api_key="k", http_client=http, max_retries=0)

    def async_client(self) -> AsyncOpenAI:
        """The same, for who awaits."""

        async def answer(request: httpx2.Request) -> httpx2.Response:
            return self.answer(request)

        http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
        return AsyncOpenAI(api_key="k", http_client=http, max_retries=0)


def plain(service: Service, **fields: Any) -> dict[str, Any]:
    """What `create` returns, after both colours agree on it."""
    client = service.client()
    first = client.responses.create(model="gpt", input="hi", **fields)

    async def ask() -> Any:  # noqa: ANN401
        client = service.async_client()
        return await client.responses.create(model="gpt", input="hi", **fields)

    second = asyncio.run(ask())
    for one in (first, second):
        assert one._request_id
    dumped = [without_ids(one.model_dump(mode="json")) for one in (first, second)]
    assert dumped[0] == dumped[1]
    return dumped[0]


def without_ids(body: dict[str, Any]) -> dict[str, Any]:
    """A body without what hangs on the number of its request."""
    return {
        **{key: value for key, value in body.items() if key != "id"},
        "output": [{**item, "id": ""} for item in body["output"]],
    }


def streamed(service: Service, **fields: Any) -> dict[str, Any]:
    """What the helper for streams returns at last, after both colours agree on it."""
    with service.client().responses.stream(model="gpt", input="hi", **fields) as stream:
        first = stream.get_final_response()

    async def ask() -> Any:  # noqa: ANN401
        client = service.async_client()
        async with client.responses.stream(model="gpt", input="hi", **fields) as stream:
            return await stream.get_final_response()

    dumped = [
        without_ids(one.model_dump(mode="json", warnings=False))
        for one in (first, asyncio.run(ask()))
    ]
    assert dumped[0] == dumped[1]
    return dumped[0]


def without_parsed(value: object) -> object:
    """A body without what only the SDK adds when it parses."""
    if isinstance(value, dict):
        return {
            key: without_parsed(entry)
            for key, entry in value.items()
            if key not in ("parsed", "parsed_arguments")
        }
    return [without_parsed(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("response", ANSWERS.values(), ids=ANSWERS.keys())
def test_a_streamed_answer_is_the_plain_one(response: Response) -> None:
    """The helper's last response is that of `create`, sync and async."""
    fields = {"tools": [LOOK]}
    one = plain(Service(response), **fields)
    assert without_parsed(streamed(Service(response), **fields)) == one
    assert one["usage"]["total_tokens"] == 42
    assert one["usage"]["input_tokens_details"]["cached_tokens"] == 8


HARMLESS = [
    StreamFault("interleaved"),
    StreamFault("noise"),
    StreamFault("chunks", 0),
    StreamFault("chunks", 1),
    StreamFault("doubled", 0),
]


@pytest.mark.parametrize("fault", HARMLESS, ids=repr)
def test_what_alters_no_response_alters_none(fault: StreamFault) -> None:
    """Calls in turn, noise, any cutting, a piece twice: the last event has the answer."""
    expected = plain(Service(CALLED))
    found = streamed(Service(CALLED, fault=fault))
    assert without_parsed(found) == expected


def test_calls_that_come_in_turn_keep_their_order_each() -> None:
    """Numbers stay without a gap, and each item is added before it grows."""
    client = Service(CALLED, fault=StreamFault("interleaved")).client()
    events: list[Any] = list(
        client.responses.create(model="gpt", input="hi", stream=True)
    )
    assert [event.sequence_number for event in events] == list(range(len(events)))
    calls = [(e.type, e.output_index) for e in events if hasattr(e, "output_index")]
    added = [at for at, (kind, _index) in enumerate(calls) if kind.endswith("added")]
    assert [calls[at][1] for at in added[-2:]] == [1, 2]
    assert added[-1] == added[-2] + 1


def test_the_sdk_reads_texts_calls_and_reasoning() -> None:
    """Properties of the SDK's objects say what the model said."""
    made = Service(CALLED).client().responses.create(model="gpt", input="hi")
    calls = [one for one in made.output if isinstance(one, ResponseFunctionToolCall)]
    assert made.output_text == "So."
    assert [(one.call_id, one.name, one.arguments) for one in calls] == [
        ("call_1", "look", '{"at": 1}'),
        ("call_2", "look", "{}"),
    ]
    assert made.status == "completed"


class City(BaseModel):
    """What is asked for as JSON."""

    name: str


def test_parse_gives_objects_plain_and_streamed() -> None:
    """`responses.parse`, and a stream with a format, parse what the model wrote."""
    service = Service(Response(assistant('{"name": "Oslo"}'), "end_turn", USAGE))
    made = service.client().responses.parse(model="gpt", input="hi", text_format=City)
    assert made.output_parsed == City(name="Oslo")
    with service.client().responses.stream(
        model="gpt", input="hi", text_format=City
    ) as stream:
        assert stream.get_final_response().output_parsed == City(name="Oslo")

    async def ask() -> City | None:
        client = service.async_client()
        parsed = await client.responses.parse(model="gpt", input="hi", text_format=City)
        return parsed.output_parsed

    assert asyncio.run(ask()) == City(name="Oslo")
    assert service.bodies[0]["text"]["format"]["name"] == "City"


def test_what_was_parsed_goes_back_refused_as_by_the_service() -> None:
    """A dump of a parsed answer has a field that is the SDK's own."""
    service = Service(CALLED)
    client = service.client()
    made = client.responses.parse(model="gpt", input="hi", tools=[TOOL])
    dumped: Any = [item.model_dump(exclude_none=True) for item in made.output]
    dumped[1]["parsed_arguments"] = {}
    with pytest.raises(openai.BadRequestError, match=r"input\[1\]\.parsed_arguments"):
        client.responses.create(model="gpt", input=dumped)


def test_all_output_goes_back_as_the_sdk_sends_it() -> None:
    """Objects of the SDK, their dumps and a chain are one history for the service."""
    service = Service(CALLED)
    client = service.client()
    made = client.responses.create(model="gpt", input="hi")
    results: Any = [told("call_1"), told("call_2")]
    user: Any = {"role": "user", "content": "hi"}
    dumps: Any = [item.model_dump(exclude_none=True) for item in made.output]
    unset: Any = [item.model_dump(exclude_unset=True) for item in made.output]
    for echo in (made.output, dumps, unset):
        client.responses.create(model="gpt", input=[user, *echo, *results])
    client.responses.create(model="gpt", input=results, previous_response_id=made.id)


def test_a_response_that_is_cut_off_is_incomplete() -> None:
    """Too few tokens and a filter end a response without an end; it has no error."""
    for reason, told_reason in (
        ("max_tokens", "max_output_tokens"),
        ("content_filter", "content_filter"),
    ):
        service = Service(Response(assistant("All is"), reason, USAGE))
        made = plain(service)
        assert made["status"] == "incomplete"
        assert made["incomplete_details"] == {"reason": told_reason}
        client = service.client()
        with client.responses.stream(model="gpt", input="hi") as stream:
            kinds = [event.type for event in stream]
        assert kinds[-1] == "response.incomplete"
        with (
            client.responses.stream(model="gpt", input="hi") as stream,
            pytest.raises(RuntimeError, match="Didn't receive"),
        ):
            stream.get_final_response()


OVERLOADED = ProviderError("overloaded", status=503, kind="server_error")


def test_an_error_within_a_stream_is_raised_by_the_sdk() -> None:
    """The form that the service sends is raised; that of its description is handed on."""

    def broken(frames: list[Frame]) -> list[Frame]:
        return [*frames[:5], error_event(OVERLOADED, at=5)]

    client = Service(SAID, broken).client()
    with pytest.raises(openai.APIError, match="overloaded") as caught:
        list(client.responses.create(model="gpt", input="hi", stream=True))
    assert caught.value.type == "server_error"

    def flat(frames: list[Frame]) -> list[Frame]:
        return [*frames[:5], flat_error_event(OVERLOADED, at=5)]

    client = Service(SAID, flat).client()
    *_, last = client.responses.create(model="gpt", input="hi", stream=True)
    assert (last.type, getattr(last, "message", "")) == ("error", "overloaded")

    def failed(frames: list[Frame]) -> list[Frame]:
        made = Answered(SAID, Request("gpt", ()), 1, 1_767_225_600, {})
        return [*frames[:5], failed_event(made, OVERLOADED, at=5)]

    client = Service(SAID, failed).client()
    *_, last = client.responses.create(model="gpt", input="hi", stream=True)
    assert last.type == "response.failed"
    assert last.response.error is not None
    assert last.response.error.message == "overloaded"


def test_a_stream_that_ends_early_is_no_response() -> None:
    """The iterator ends quietly, and the helper says that no response came."""
    service = Service(SAID, lambda frames: frames[:-1])
    events = list(
        service.client().responses.create(model="gpt", input="hi", stream=True)
    )
    assert events[-1].type == "response.output_item.done"
    with pytest.raises(RuntimeError, match="Didn't receive"):
        streamed(service)


LONG = "output-length"
"""A rule whose bad request has ten megabytes."""

CLASSES = {400: openai.BadRequestError, 404: openai.NotFoundError}


SLOW = [pytest.mark.slow]

SENT = [
    pytest.param(bad, id=bad_name(bad), marks=SLOW if bad.rule == LONG else [])
    for bad in BAD
]


@pytest.mark.parametrize("bad", SENT)
def test_every_refusal_is_an_exception_of_the_sdk(bad: Bad) -> None:
    """Class, status, type, code, param and key phrase are those of the service."""
    reader = reader_of(bad)

    def answer(request: httpx2.Request) -> httpx2.Response:
        refusal = reader.read(read_object(request.content) or {}).refusal
        assert refusal is not None
        made = RESPONSES.error_answer(refusal.error(), number=1)
        headers = dict(made.headers)
        return httpx2.Response(made.status, headers=headers, content=made.body)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    client = OpenAI(api_key="k", http_client=http)
    with pytest.raises(openai.APIStatusError) as caught:
        client.post("/responses", body=bad.body, cast_to=object)
    error = caught.value
    assert type(error) is CLASSES[bad.status]
    found = (error.status_code, error.type, error.param, error.code)
    assert found == (bad.status, "invalid_request_error", bad.param, bad.code)
    assert bad.phrase in error.message
