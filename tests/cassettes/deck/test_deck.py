"""A deck and its block: what it refuses, closes, keeps, and what time it takes."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest

from agentsim.cassettes import (
    RecordedAnswer,
    RecordedChunk,
)
from agentsim.cassettes.deck import Deck
from agentsim.core import CassetteError, CassetteMiss, UsageError
from agentsim.providers import say
from agentsim.simulation import Scenario, run
from tests.cassettes.deck.services import (
    CHAT,
    EVENTS,
    URL,
    answering,
    chat_answer,
    chat_stream,
    recorded,
    sdk,
    written,
)
from tests.support.disk import files_up_to


def test_an_async_client_is_replayed_in_one_loop_after_the_other(
    tmp_path: Path,
) -> None:
    """BR-177: it has no connection that would belong to one of them."""
    path = written(
        tmp_path / "a.yaml", *[RecordedAnswer(body=json.dumps(chat_answer()))] * 2
    )
    with Deck(path, all_used=True) as deck:
        client = deck.openai()

        async def ask() -> str | None:
            answer = await client.chat.completions.create(**CHAT)
            return str(answer.choices[0].message.content)

        assert [asyncio.run(ask()) for _ in range(2)] == ["Done."] * 2


def test_a_miss_reaches_the_caller_of_every_sdk_at_once(tmp_path: Path) -> None:
    """No SDK takes it for a lost connection and tries again."""
    path = written(tmp_path / "a.yaml", RecordedAnswer())
    with pytest.raises(CassetteMiss) as ended, Deck(path) as deck:
        _misses(deck)
    assert str(ended.value).count("was never recorded") == 4
    assert ended.value.nearest == 1


ASKED: dict[str, Any] = {**CHAT, "max_tokens": 9}

OTHER: dict[str, Any] = {**ASKED, "model": "n"}


def _misses(deck: Deck) -> None:
    one = deck.openai_sync(max_retries=5, http_client=deck.http_client_sync("httpx"))
    other = deck.anthropic_sync(max_retries=5)
    with pytest.raises(CassetteMiss, match="differs in the model"):
        one.chat.completions.create(**OTHER)
    with pytest.raises(CassetteMiss, match="differs in the dialect"):
        other.messages.create(**ASKED)
    asyncio.run(_async_misses(deck))


async def _async_misses(deck: Deck) -> None:
    async with (
        deck.openai(max_retries=5) as one,
        deck.anthropic(max_retries=5) as other,
    ):
        with pytest.raises(CassetteMiss):
            await one.chat.completions.create(**OTHER)
        with pytest.raises(CassetteMiss):
            await other.messages.create(**ASKED)


def test_more_misses_than_can_be_read_are_counted(tmp_path: Path) -> None:
    """And beside another failure of the block they are a note of it."""
    path = written(tmp_path / "a.yaml")

    def swallowing(deck: Deck, times: int) -> None:
        client = deck.http_client_sync("httpx2")
        for _ in range(times):
            with pytest.raises(CassetteMiss):
                client.post(URL, json=CHAT)

    with pytest.raises(CassetteMiss, match=r"and 2 more$"), Deck(path) as deck:
        swallowing(deck, 7)

    def failing(deck: Deck) -> None:
        swallowing(deck, 1)
        raise KeyError

    with pytest.raises(KeyError) as caught, Deck(path) as deck:
        failing(deck)
    assert "nothing was recorded" in caught.value.__notes__[0]


def test_what_nobody_asked_for_fails_the_block_on_request(tmp_path: Path) -> None:
    """By its numbers; without the request it is told by the tape only."""
    path = written(tmp_path / "a.yaml", RecordedAnswer(), RecordedAnswer())
    with Deck(path) as deck:
        assert deck.tape.use.hits == 0
    with (
        pytest.raises(UsageError, match="was recorded as 1, 2"),
        Deck(path, all_used=True),
    ):
        pass


def test_a_failed_block_leaves_the_old_cassette(tmp_path: Path) -> None:
    """BR-174: what was recorded instead stands beside it."""
    path = written(tmp_path / "a.yaml", RecordedAnswer(body="old"))

    def failing(deck: Deck) -> None:
        sdk(deck, (200, {}, b"{}")).post("/chat/completions", cast_to=object, body=CHAT)
        raise KeyError

    with pytest.raises(KeyError), Deck(path, "record") as deck:
        failing(deck)
    assert [one.body for one in recorded(path)] == ["old"]


@pytest.mark.parametrize("fails", [False, True])
def test_what_could_not_be_written_fails_the_block(
    tmp_path: Path, *, fails: bool
) -> None:
    """Even if the code in it swallowed the error: what lacks it replaces nothing."""
    path = written(tmp_path / "a.yaml", RecordedAnswer(body="old"))
    large = (200, EVENTS, *chat_stream("x" * 9_000), b"data: [DONE]\n\n")

    def swallowing(deck: Deck) -> None:
        client = sdk(deck, large, (200, {}, b"{}"))
        with suppress(CassetteError):
            list(client.chat.completions.create(**CHAT, stream=True))
        client.post("/chat/completions", cast_to=object, body=CHAT)
        if fails:
            raise KeyError

    wanted = KeyError if fails else CassetteError
    with files_up_to(4_000), pytest.raises(wanted) as caught, Deck(path, "record") as a:
        swallowing(a)
    told = [str(caught.value), *getattr(caught.value, "__notes__", [])]
    assert "the disk took only a part" in told[-1]
    assert [one.body for one in recorded(path)] == ["old"]
    assert [one.body for one in recorded(tmp_path / "a.yaml.new")] == ["{}"]


def test_what_is_missing_goes_out_and_what_is_there_does_not(tmp_path: Path) -> None:
    """Also through a client that was there already, which is as before afterwards."""
    path = written(tmp_path / "a.yaml", RecordedAnswer(body='{"old": 1}'))
    client = httpx.Client(transport=answering("httpx", (200, {}, b'{"new": 1}')))
    own = client._transport
    with client, Deck(path, "record-missing") as deck:
        deck.attach(client)
        deck.attach(client)
        there = client.post(URL, json=CHAT).json()
        new = client.post(URL, json={**CHAT, "model": "n"}).json()
        assert (there, new) == ({"old": 1}, {"new": 1})
        assert (deck.tape.use.hits, deck.tape.use.live) == (1, 1)
    assert client._transport is own
    assert len(recorded(path)) == 2
    with (
        pytest.raises(UsageError, match="a client of httpx2 or httpx, got str"),
        Deck(path) as deck,
    ):
        deck.attach("client")


def test_a_deck_and_its_clients_are_used_in_one_block(tmp_path: Path) -> None:
    """Outside of it both say so."""
    path = written(tmp_path / "a.yaml", RecordedAnswer())
    deck = Deck(path)
    with pytest.raises(UsageError, match="inside of its block only"):
        deck.openai()
    with deck:
        client = deck.http_client("httpx2")
        blocking = deck.http_client_sync("httpx2")
    assert blocking.is_closed
    with pytest.raises(UsageError, match="was used after its block"):
        asyncio.run(client.post(URL, json=CHAT))
    with pytest.raises(UsageError, match="was used before"), deck:
        pass


def test_an_async_block_closes_async_clients_too(tmp_path: Path) -> None:
    """So that none of their connections is left."""

    async def session() -> bool:
        async with Deck(tmp_path / "a.yaml", "record") as deck:
            client = deck.http_client("httpx2")
        return bool(client.is_closed)

    assert asyncio.run(session())


def test_a_recording_has_the_key_and_the_address_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the SDKs take them; a replay needs neither, and tokens are not fetched for it."""
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
        monkeypatch.setenv(f"{name}_BASE_URL", "http://models.example/v1")
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    path = written(tmp_path / "a.yaml")
    with Deck(path, "record") as deck:
        with pytest.raises(openai.OpenAIError):
            deck.openai_sync()
        monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
        real = deck.openai_sync()
        assert (real.api_key, str(real.base_url)) == (
            "sk-real",
            "http://models.example/v1/",
        )
        assert deck.openai().api_key == "sk-real"
    with Deck(written(tmp_path / "b.yaml")) as deck:
        assert deck.openai().api_key == "sk-replayed"
        assert deck.openai_sync(api_key="own").api_key == "own"
        for made in (deck.anthropic(), deck.anthropic_sync(profile="own")):
            assert made.api_key == "sk-replayed"
        assert isinstance(made, anthropic.Anthropic)


TIMED = RecordedAnswer(
    200,
    EVENTS,
    chunks=(
        RecordedChunk(4_000, chat_stream("a")[0].decode()),
        RecordedChunk(9_000, chat_stream("b")[0].decode()),
        RecordedChunk(9_500, "data: [DONE]\n\n"),
    ),
    at_ms=3_000,
)


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("blocks", [False, True])
def test_a_replay_in_a_simulation_takes_virtual_time(
    tmp_path: Path, *, timed: bool, blocks: bool
) -> None:
    """As long as it took when it was recorded, on request; and opens no connection."""
    path = written(tmp_path / "a.yaml", TIMED, stream=True)
    at: list[float] = []

    def blocking(env: Any) -> str:  # noqa: ANN401
        events = deck.openai_sync().chat.completions.create(**CHAT, stream=True)
        for _ in events:
            at.append(time.monotonic())  # noqa: PERF401 - one after the other
        return "Done."

    async def awaiting(env: Any) -> str:  # noqa: ANN401
        client = deck.openai()
        events = await client.chat.completions.create(**CHAT, stream=True)
        async for _ in events:
            at.append(time.monotonic())  # noqa: PERF401 - one after the other
        return "Done."

    with Deck(path, timed=timed) as deck:
        run(Scenario("Go.", []), agent=blocking if blocks else awaiting)
    assert [round(one) for one in at[-2:]] == ([4, 9] if timed else [0, 0])


def test_a_simulated_model_can_be_recorded(tmp_path: Path) -> None:
    """The clients of a simulation are clients as any, so its sessions become cassettes."""
    path = tmp_path / "a.yaml"

    async def agent(env: Any) -> str:  # noqa: ANN401
        client = deck.openai(http_client=env.http_client(), api_key="k")
        answer = await client.chat.completions.create(**CHAT)
        return str(answer.choices[0].message.content)

    with Deck(path, "record") as deck:
        run(Scenario("Go.", [say("Hello.")]), agent=agent)
    (answer, *_) = recorded(path)
    assert json.loads(answer.body)["choices"][0]["message"]["content"] == "Hello."


def test_a_cassette_that_is_none_is_an_error_of_the_block(tmp_path: Path) -> None:
    """Before it begins."""
    (tmp_path / "a.yaml").write_text("a: 1\n")
    with pytest.raises(CassetteError), Deck(tmp_path / "a.yaml"):
        pass
