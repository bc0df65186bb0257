"""The control surface: what runs did, and what is to happen next."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import FaultStruck
from agentsim.providers import say
from agentsim.server import Serving
from agentsim.simulation import Scenario
from agentsim.trace import from_jsonl, to_jsonl
from tests.server.programs import DISK, asked, chat, conversation, get, loop, post


@pytest.fixture
def server() -> Iterator[Serving]:
    """A server of its own for each test."""
    with Serving(DISK) as serving:
        yield serving


@pytest.fixture
def control(server: Serving) -> str:
    """The address of the control surface."""
    return f"{server.url}/_agentsim"


def test_the_surface_lists_itself(control: str, snapshot: SnapshotAssertion) -> None:
    """All that can be asked for stands at its root, with or without the last slash."""
    assert get(f"{control}/")[1] == snapshot
    assert get(control)[1] == get(f"{control}/")[1]


def test_a_run_tells_where_it_stands(server: Serving, control: str) -> None:
    """Its state follows the program from request to request, to its end."""
    state = f"{control}/runs/default"
    assert get(state)[1]["state"] == "fresh"
    talk = conversation(server.url)
    next(talk)
    found = get(state)[1]
    assert (found["state"], found["requests"], found["replies_unused"]) == (
        "running",
        1,
        [1, 2],
    )
    assert list(talk) == ["clean_logs", "Freed 20 GB."]
    assert post(f"{state}/end", b"")[1]["verdict"] == "holds"
    assert get(state)[1]["state"] == "ended"
    assert get(f"{control}/runs")[1]["runs"] == [get(state)[1]]


def test_the_trace_is_that_of_the_run(server: Serving, control: str) -> None:
    """It comes as JSON Lines that every command reads."""
    loop(server.url)
    text = get(f"{control}/runs/default/trace")[1]
    assert text == to_jsonl(from_jsonl(text))
    post(f"{control}/runs/default/end", b"")
    text = get(f"{control}/runs/default/trace")[1]
    assert text == to_jsonl(server.verdict().trace)


def test_a_verdict_before_the_end_may_change(server: Serving, control: str) -> None:
    """Halfway the script is not used up; at the end the run holds."""
    talk = conversation(server.url)
    next(talk)
    early = get(f"{control}/runs/default/verdict")[1]
    assert (early["verdict"], early["ended"], early["exit_code"]) == ("usage", False, 3)
    assert list(talk) == ["clean_logs", "Freed 20 GB."]
    assert post(f"{control}/runs/default/end", b"")[1]["verdict"] == "holds"
    ended = get(f"{control}/runs/default/verdict")[1]
    assert (ended["verdict"], ended["ended"], ended["exit_code"]) == ("holds", True, 0)
    assert ended["invariants"]["allowlist"]["status"] == "not_applicable"


def test_an_ended_run_answers_nothing_until_it_is_reset(
    server: Serving, control: str
) -> None:
    """A request that comes late is refused and counted, and a new run begins when asked."""
    loop(server.url)
    post(f"{control}/runs/default/end", b"")
    status, told, headers = chat(server.url, asked())
    assert (status, headers["x-should-retry"]) == (400, "false")
    assert "the run 'default' has ended" in told["error"]["message"]
    assert get(f"{control}/runs/default")[1]["late_requests"] == 1
    assert post(f"{control}/runs/default/reset", b"")[1]["state"] == "fresh"
    assert loop(server.url)[-1] == "Freed 20 GB."


def test_deviations_strike_the_next_requests_in_order(
    server: Serving, control: str
) -> None:
    """Each that was asked for strikes once, and is told in words."""
    asks = {"deviations": ["rate_limited", "server_error"]}
    found = post(f"{control}/runs/default/deviations", asks)[1]
    assert found["pending"] == ["rate_limited", "server_error"]
    assert [chat(server.url, asked())[0] for _ in range(3)] == [429, 500, 200]
    found = get(f"{control}/runs/default")[1]
    assert (found["pending"], found["deviations"]) == (
        [],
        ["rate_limited strikes model", "server_error strikes model"],
    )
    struck = server.verdict().trace.of(FaultStruck)
    assert [event.fault for event in struck] == ["rate_limited", "server_error"]


def test_a_deviation_may_wait_for_its_attempt(server: Serving, control: str) -> None:
    """With a number it strikes the request of this number, and no other."""
    post(f"{control}/runs/other/deviations", {"deviations": ["overloaded@2"]})
    headers = {"x_agentsim_run": "other"}
    statuses = [chat(server.url, asked(), **headers)[0] for _ in range(3)]
    assert statuses == [200, 503, 200]


def test_the_number_of_a_deviation_goes_before_its_place_in_the_list(
    server: Serving, control: str
) -> None:
    """One that waits for its request does not keep back another one of the same name."""
    asks = {"deviations": ["overloaded@3", "overloaded", "server_error"]}
    post(f"{control}/runs/default/deviations", asks)
    statuses = [chat(server.url, asked())[0] for _ in range(4)]
    assert statuses == [503, 500, 503, 200]


def test_a_story_with_deviations_need_not_use_its_script_up(
    server: Serving, control: str
) -> None:
    """As in an exploration: what the script expects holds for the run without them."""
    post(f"{control}/runs/default/deviations", {"deviations": ["rate_limited"]})
    chat(server.url, asked())
    assert server.verdict().word == "holds"


NO_LIST = "deviations: expected a list of texts"

BAD: list[tuple[str, int, str]] = [
    ("/runs/nobody/end", 404, "there is no run 'nobody' (there are: default)"),
    ("/nothing", 404, "POST /_agentsim/nothing is none of the endpoints"),
    ("/runs", 405, "POST /_agentsim/runs is none of the endpoints"),
    ("/runs/%20/reset", 400, "expected the name of a run"),
]

BAD_DEVIATIONS: list[tuple[bytes, str]] = [
    (b"{", "the body is no JSON"),
    (b"[]", NO_LIST),
    (b"", NO_LIST),
    (b'{"deviations": "rate_limited"}', NO_LIST),
    (b'{"deviations": ["rate_limitd"]}', "did you mean 'rate_limited'"),
    (
        b'{"deviations": ["answer_lost:clean_logs"]}',
        "answer_lost:clean_logs strikes a tool or a person",
    ),
]


@pytest.mark.parametrize(("path", "status", "words"), BAD)
def test_what_can_not_be_done_is_told_in_one_sentence(
    control: str, path: str, status: int, words: str
) -> None:
    """The answer is JSON with a status and a sentence, and never a traceback."""
    found, told, _ = post(f"{control}{path}", b"")
    assert (found, list(told)) == (status, ["error"])
    assert words in told["error"]


@pytest.mark.parametrize(("body", "words"), BAD_DEVIATIONS)
def test_deviations_that_are_none_are_refused(
    control: str, body: bytes, words: str
) -> None:
    """The sentence says what was expected, and no run begins by it."""
    status, told, _ = post(f"{control}/runs/a/deviations", body)
    assert (status, list(told)) == (400, ["error"])
    assert words in told["error"]
    assert get(f"{control}/runs/a")[0] == 404


def test_nothing_is_asked_of_an_ended_run(control: str) -> None:
    """Deviations of a run that is over would never strike: that is told."""
    post(f"{control}/runs/default/end", b"")
    asks = {"deviations": ["rate_limited"]}
    status, told, _ = post(f"{control}/runs/default/deviations", asks)
    assert status == 409
    assert "the run 'default' is ended" in told["error"]


def test_a_verdict_tells_of_faults_that_can_not_strike() -> None:
    """A fault of the scenario on a tool never strikes here: the verdict is unknown."""
    scenario = Scenario(
        DISK.task,
        [say("Nothing to do.")],
        world=DISK.world,
        faults=["answer_lost:clean_logs"],
    )
    with Serving(scenario) as serving:
        chat(serving.url, asked())
        found = serving.verdict()
        assert found.word == "unknown"
        assert json.loads(json.dumps(found.data))["unmet"] == [
            "answer_lost on clean_logs"
        ]


def test_a_bug_of_ours_is_told_without_a_traceback(
    server: Serving, control: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the class of the error, and asks for a report."""

    def broken(*_: object) -> None:
        raise RuntimeError("a wire is loose")

    monkeypatch.setattr("agentsim.server.control.verdict_of", broken)
    status, told, _ = get(f"{control}/runs/default/verdict")
    assert (status, told) == (
        500,
        {"error": "internal error of agentsim, please report it: RuntimeError"},
    )
