"""What a server answers: as the services do, to good requests and to bad ones."""

from __future__ import annotations

import errno
import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentsim.core import Request, RequestSent, UsageError
from agentsim.providers import Reply, by, say
from agentsim.server import Listening, Serving
from agentsim.server.hosting.host import _why_unbound
from agentsim.simulation import Scenario
from agentsim.trace import from_jsonl
from agentsim.world import Disk
from tests.server.programs import DISK, asked, chat, get, loop, post


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    """One server for all tests here; each takes a run of its own."""
    with Serving(DISK) as serving:
        yield serving


def test_a_program_in_any_language_holds_a_whole_conversation(server: Serving) -> None:
    """A loop on the standard library gets the script reply by reply, and a verdict."""
    assert loop(server.url, "agentsim-any") == [
        "check_disk",
        "clean_logs",
        "Freed 20 GB.",
    ]
    assert server.verdict("any").word == "holds"


@pytest.mark.slow
def test_fifty_agents_at_once_keep_their_traces_apart(server: Serving) -> None:
    """Each run has all of its own requests, in order, and nothing of another."""
    names = [f"agent-{number}" for number in range(50)]

    def live(name: str) -> list[str]:
        return loop(server.url, f"agentsim-{name}", result=f"fine, says {name}")

    with ThreadPoolExecutor(16) as threads:
        ended = list(threads.map(live, names))
    assert ended == [["check_disk", "clean_logs", "Freed 20 GB."]] * 50
    for name in names:
        text = get(f"{server.url}/_agentsim/runs/{name}/trace")[1]
        trace = from_jsonl(text)
        requests = trace.of(RequestSent)
        assert [event.number for event in requests] == [1, 2, 3]
        told = [m.content for m in requests[-1].messages if m.role == "tool"]
        assert told == [f"fine, says {name}"] * 2
        assert server.verdict(name).word == "holds"


def test_a_run_is_named_by_header_or_by_key(server: Serving) -> None:
    """The header goes before the key; both vendors' headers carry a key."""
    ways: list[tuple[dict[str, str], str]] = [
        ({"x_agentsim_run": "headed", "authorization": "Bearer agentsim-x"}, "headed"),
        ({"authorization": "Bearer agentsim-keyed"}, "keyed"),
        ({"x_api_key": "agentsim-other"}, "other"),
        ({"x_api_key": "sk-ant-secret"}, "key-9a36c022"),
    ]
    for headers, name in ways:
        assert chat(server.url, asked(), **headers)[0] == 200
        state = get(f"{server.url}/_agentsim/runs/{name}")[1]
        assert (state["run"], state["requests"]) == (name, 1)


def test_the_same_program_leaves_the_same_trace_on_any_server(server: Serving) -> None:
    """Neither ports nor the time of day get into a trace."""
    traces = []
    for _ in range(2):
        with Serving(DISK) as serving:
            loop(serving.url)
            traces.append(serving.verdict().trace.digest())
    assert traces[0] == traces[1]


BAD_REQUESTS = [
    ("/v1/chat/completions", b"{", 400, "We could not parse the JSON body"),
    ("/v1/chat/completions", b"\xff\xfe", 400, "We could not parse the JSON body"),
    ("/v1/chat/completions", b"", 400, "We could not parse the JSON body"),
    ("/chat/completions", b"{}", 404, "Unknown request URL: POST /chat/completions"),
    ("/v1/v1/chat/completions", b"{}", 404, "Unknown request URL"),
    ("/v1/nothing", b"{}", 404, "Unknown request URL: POST /v1/nothing"),
    ("/", b"{}", 404, "Unknown request URL: POST /"),
]


@pytest.mark.parametrize(("path", "body", "status", "words"), BAD_REQUESTS)
def test_a_bad_request_has_the_vendors_error(
    server: Serving, path: str, body: bytes, status: int, words: str
) -> None:
    """Status, shape and words are those of the service, and the run goes on."""
    run = {"x-agentsim-run": "bad"}
    found, told, headers = post(f"{server.url}{path}", body, run)
    assert found == status
    assert headers["content-type"] == "application/json"
    assert sorted(told["error"]) == ["code", "message", "param", "type"]
    assert words in told["error"]["message"]
    assert chat(server.url, asked(), x_agentsim_run="bad")[0] == 200


@pytest.mark.slow
def test_a_large_body_is_read_and_a_too_large_one_refused(server: Serving) -> None:
    """10 MB are answered, and more than 32 MB have the vendor's 413."""
    large = asked({"role": "user", "content": "x" * 10_000_000})
    assert chat(server.url, large, x_agentsim_run="large")[0] == 200
    huge = b"x" * ((32 << 20) + 1)
    status, told, _headers = chat(server.url, huge, x_agentsim_run="large")
    assert status == 413
    assert "exceeds the maximum size" in told["error"]["message"]


def test_a_script_that_ran_out_is_told_and_not_retried(server: Serving) -> None:
    """The program gets the reason, at once, and the verdict tells it beside violations."""
    loop(server.url, "agentsim-out")
    more = asked(
        {"role": "assistant", "content": "Freed 20 GB."},
        {"role": "user", "content": "And now?"},
    )
    for _ in range(2):
        status, told, headers = chat(server.url, more, x_agentsim_run="out")
        assert (status, headers["x-should-retry"]) == (400, "false")
        assert (
            "the run 'out' was halted: the script ran out" in told["error"]["message"]
        )
        assert told["error"]["code"] == "agentsim_run_over"
    found = server.verdict("out")
    assert found.word == "violated"
    assert found.error.startswith("the script ran out: ")


def test_what_is_not_simulated_halts_the_run_and_says_so(server: Serving) -> None:
    """As in process: a program that needs embeddings is told, and so is its verdict."""
    run = {"x-agentsim-run": "foreign"}
    status, told, _ = post(f"{server.url}/v1/embeddings", {}, run)
    assert status == 400
    assert "the agent asked for OpenAI's /embeddings" in told["error"]["message"]
    found = server.verdict("foreign")
    assert found.word == "usage"
    assert "OpenAI's /embeddings" in found.error


def test_models_are_listed(server: Serving) -> None:
    """The one model of the scenario is there, by both paths."""
    listed = get(f"{server.url}/v1/models")[1]
    assert [entry["id"] for entry in listed["data"]] == ["scripted"]
    assert get(f"{server.url}/v1/models/scripted")[1]["id"] == "scripted"
    assert get(f"{server.url}/v1/models/other")[0] == 404


def test_a_name_that_is_none_is_refused(server: Serving) -> None:
    """A name of a run goes into paths and files: it is letters, digits and a few signs."""
    status, told, headers = chat(server.url, asked(), x_agentsim_run="../x")
    assert (status, headers["x-should-retry"]) == (400, "false")
    assert "expected the name of a run" in told["error"]["message"]


def test_a_port_in_use_is_told_in_one_sentence(server: Serving) -> None:
    """Who asks for a taken port is told, and what to do."""
    port = int(server.url.rpartition(":")[2])
    with pytest.raises(UsageError) as caught:
        Listening(DISK, port=port)
    assert str(caught.value) == (
        f"--port: {port} on 127.0.0.1 is in use: give another port, or 0 for a free one"
    )
    with pytest.raises(UsageError, match="expected 0 to 65535"):
        Listening(DISK, port=99_999)
    with pytest.raises(UsageError, match="is no address of this machine"):
        Listening(DISK, host="198.51.100.1")
    denied = _why_unbound(PermissionError(errno.EACCES, "no"), "127.0.0.1", 80)
    assert denied.startswith("--port: 80 needs more rights: give one above 1023")


def test_a_client_that_dies_leaves_the_server_serving() -> None:
    """A connection that is reset while its answer is due is recorded, and a new life begins."""
    scenario = Scenario("Go.", [say("Done.")], world=[Disk()], faults=["model_hangs@1"])
    with Serving(scenario) as serving:
        host, port = serving.url.removeprefix("http://").split(":")
        raw = json.dumps(asked()).encode()
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\n"
            f"content-length: {len(raw)}\r\n\r\n"
        )
        with socket.create_connection((host, int(port))) as client:
            client.sendall(head.encode() + raw)
            _until(serving, requests=1)
        _until(serving, failed=1)
        other = asked()
        other["messages"][0]["content"] = "Anew."
        status, told, _ = chat(serving.url, other)
        assert (status, told["choices"][0]["message"]["content"]) == (200, "Done.")
        found = serving.verdict()
        assert [event.life for event in found.trace.of(RequestSent)] == [1, 2]
        assert found.word == "holds"


def _until(serving: Serving, *, requests: int = 0, failed: int = 0) -> None:
    """Ask the control surface until the server has seen something."""
    text = ""
    for _ in range(1000):
        text = get(f"{serving.url}/_agentsim/runs/default/trace")[1]
        if (
            text.count('"request"') >= requests
            and text.count('"request_failed"') >= failed
        ):
            return
    raise AssertionError(text)


@pytest.mark.parametrize("fault", ["connection_lost", "connection_lost@1"])
def test_a_lost_connection_is_closed_before_an_answer(fault: str) -> None:
    """The client sees what it would see of a broken network: no answer at all."""
    scenario = Scenario("Go.", [say("Done.")], world=[Disk()], faults=[fault])
    with Serving(scenario) as serving:
        host, port = serving.url.removeprefix("http://").split(":")
        for _ in range(2):
            connection = http.client.HTTPConnection(host, int(port), timeout=5)
            connection.request("POST", "/v1/chat/completions", json.dumps(asked()))
            with pytest.raises(http.client.RemoteDisconnected):
                connection.getresponse()
            connection.close()
            if fault.endswith("@1"):
                break
        if fault.endswith("@1"):
            assert chat(serving.url, asked())[0] == 200


def test_a_script_function_that_fails_halts_the_run() -> None:
    """A mistake in the scenario is told to the program and in the verdict, without a trace."""

    def broken(_request: Request) -> Reply:
        raise RuntimeError("not today")

    scenario = Scenario("Go.", [by(broken)], world=[Disk()])
    with Serving(scenario) as serving:
        status, told, _ = chat(serving.url, asked())
        assert status == 400
        assert "Traceback" not in json.dumps(told)
        assert serving.verdict().word == "usage"


def test_a_run_that_was_never_asked_is_told_and_so_are_unused_replies() -> None:
    """Nothing is known of the one; the other is a script that was not used up."""
    with Serving(DISK) as serving:
        found = serving.verdict()
        assert found.word == "unknown"
        assert found.error.startswith("no request reached the model: ")
        chat(serving.url, asked())
        found = serving.verdict()
        assert found.word == "usage"
        assert "the agent was given 1 of 3 replies" in found.error


def test_a_bug_of_ours_is_told_as_one_and_others_are_served(server: Serving) -> None:
    """The client gets an error of the service's shape and no traceback; the verdict says it."""

    class Broken:
        async def answer(self, _request: object) -> None:
            raise RuntimeError("a wire is loose")

    session = server._listening.runs.named("broken")
    session._service = Broken()  # type: ignore[assignment]
    status, told, headers = chat(server.url, asked(), x_agentsim_run="broken")
    assert (status, headers["x-should-retry"]) == (500, "false")
    words = "internal error of agentsim, please report it: RuntimeError"
    assert told["error"]["message"] == words
    found = server.verdict("broken")
    assert (found.word, found.exit_code) == ("internal", 4)
    assert found.error == f"{words}: a wire is loose"
    assert chat(server.url, asked(), x_agentsim_run="whole")[0] == 200


def test_an_address_of_another_family_is_told_in_brackets() -> None:
    """Clients read a URL with an IPv6 address only so."""
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    try:
        listening = Listening(DISK, host="::1")
    except UsageError:
        pytest.skip("this machine has no IPv6 loopback")
    assert listening.url == f"http://[::1]:{listening.port}"
    listening.close()


def test_a_second_conversation_in_a_run_is_violated_and_noted(server: Serving) -> None:
    """Who forgot to give it a run of its own is told how."""
    for _ in range(2):
        loop(server.url, "agentsim-twice")
    found = server.verdict("twice")
    assert found.word == "violated"
    [note] = found.data["notes"]
    assert note.startswith(
        "a request holds less than the one before: a program that is"
    )
