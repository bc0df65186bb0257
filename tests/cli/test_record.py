"""`agentsim record`: a command behind the proxy, its exit code, and what is told of it."""

from __future__ import annotations

import importlib
import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.cassettes import load_cassette
from agentsim.cassettes.tape import Tape
from agentsim.cli.serving import running
from agentsim.server import Serving
from agentsim.server.recording import asking
from tests.server.programs import DISK
from tests.server.recording.standing import Service, whole
from tests.support.command import agentsim
from tests.support.disk import files_up_to
from tests.support.source import ROOT

PROGRAM = """\
import json, os, sys, urllib.error, urllib.request

texts, code = sys.argv[2:], int(sys.argv[1])
for text in texts:
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode(),
        {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            print(answer.read().decode())
    except urllib.error.HTTPError as error:
        print(error.code)
    except OSError:
        print("broken")
sys.stdout.flush()
os._exit(code)
"""

KEY = "0123456789-of-no-known-kind"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of the program's own, and no base URL."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def program(*texts: str, code: int = 0) -> tuple[str, ...]:
    """A command that asks for each text."""
    Path("program.py").write_text(PROGRAM)
    return ("--", sys.executable, "-I", "-S", "program.py", str(code), *texts)


def service(*numbers: int) -> Service:
    """A service that answers so many requests, and says its key."""
    return Service(
        *([whole(b'{"n": %d, "key": "%b"}' % (n, KEY.encode()))] for n in numbers)
    )


def record(url: str, *words: str) -> Any:  # noqa: ANN401
    """Run `agentsim record out.yaml` before a service."""
    return agentsim("record", "out.yaml", "--upstream", f"openai={url}/v1", *words)


def test_a_session_is_recorded_and_replayed(
    snapshot: SnapshotAssertion, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command's output and code are its own; the summary goes to standard error."""
    with service(1, 2) as upstream:
        done = record(upstream.url, *program("a", "b"))
    assert (done.code, done.out) == (0, "")
    recorded = capfd.readouterr().out
    assert recorded.splitlines() == [
        f'{{"n": {number}, "key": "{KEY}"}}' for number in (1, 2)
    ]
    assert KEY not in Path("out.yaml").read_text()
    again = agentsim("record", "out.yaml", "--mode", "replay", *program("a", "b"))
    assert again.code == 0
    assert capfd.readouterr().out == recorded.replace(KEY, "__REDACTED_SECRET_1__")
    assert done.err + again.err == snapshot


def test_a_key_that_is_not_there_is_made_up_for_a_replay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a machine without any, SDKs would not even begin."""
    with service(1) as upstream:
        record(upstream.url, *program("a"))
    monkeypatch.delenv("OPENAI_API_KEY")
    done = agentsim("record", "out.yaml", "--mode", "replay", *program("a"))
    assert done.code == 0


def test_a_miss_is_no_success(capfd: pytest.CaptureFixture[str]) -> None:
    """The command goes on, and what differs is told; its own failure goes before."""
    with service(1) as upstream:
        record(upstream.url, *program("a"))
    capfd.readouterr()
    done = agentsim("record", "out.yaml", "--mode", "replay", *program("b"))
    assert capfd.readouterr().out == "400\n"
    assert done.code == 3
    assert "agentsim: -content: a\nagentsim: +content: b\n" in done.err
    assert done.err.endswith("0 answered from it, 1 missed, 1 never asked for.\n")
    done = agentsim("record", "out.yaml", "--mode", "replay", *program("b", code=7))
    assert done.code == 7


def test_all_of_it_is_one_json_object(capfd: pytest.CaptureFixture[str]) -> None:
    """Then the command's output goes to standard error."""
    with service(1) as upstream:
        done = record(upstream.url, "--json", *program("a"))
    assert json.loads(capfd.readouterr().err) == {"n": 1, "key": KEY}
    told = {
        "schema_version": 1,
        "verdict": "holds",
        "file": "out.yaml",
        "mode": "record",
        "hits": 0,
        "recorded": 1,
        "missed": [],
        "unused": [],
        "notes": [],
        "beside": None,
        "command": {"exit_code": 0, "words": "the command ended with exit code 0"},
    }
    assert done.data == told
    done = agentsim("record", "out.yaml", "--mode", "replay", "--json", *program("b"))
    assert (done.code, done.data["verdict"]) == (3, "usage")
    assert [done.data["error"]] == done.data["missed"]
    assert done.data["unused"] == [1]
    words = ["--mode", "replay", "--json", *program("a", code=1)]
    done = agentsim("record", "out.yaml", *words)
    assert (done.code, done.data["verdict"]) == (1, "violated")


def test_a_failing_command_does_not_replace_a_recording() -> None:
    """The old cassette is as it was, and the new recording stands beside it."""
    with service(1, 2, 3) as upstream:
        record(upstream.url, *program("a"))
        before = Path("out.yaml").read_bytes()
        done = record(upstream.url, "--mode", "record", *program("b", code=1))
        assert done.code == 1
        assert done.err.endswith(
            "agentsim: out.yaml is as it was, since the command failed: the new recording "
            "stands in out.yaml.new.\n"
        )
        assert Path("out.yaml").read_bytes() == before
        assert len(load_cassette(Path("out.yaml.new")).entries) == 1
        assert record(upstream.url, "--mode", "record", *program("b")).code == 0
    assert '"b"' in Path("out.yaml").read_text()
    assert not Path("out.yaml.new").exists()


def test_what_is_not_written_is_not_counted() -> None:
    """The old cassette stays, and the sentence says why."""
    large = whole(b'{"n": "%b"}' % (b"x" * 9_000))
    with Service([large], [large], [whole(b"{}")]) as upstream:
        record(upstream.url, *program("a"))
        before = Path("out.yaml").read_bytes()
        silent = program("a", "b")
        Path("program.py").write_text(PROGRAM.replace("print(answer", "str(answer"))
        with files_up_to(8_000):
            done = record(upstream.url, "--mode", "record", *silent)
    assert done.code == 3
    assert done.err.endswith(
        "agentsim: out.yaml: 1 exchange recorded.\n"
        "agentsim: out.yaml is as it was, since not all could be recorded: the new "
        "recording stands in out.yaml.new.\n"
    )
    assert Path("out.yaml").read_bytes() == before


def test_a_command_that_is_ended_by_a_signal_has_the_code_of_shells() -> None:
    """128 and the number of the signal."""
    kill = "import os; os.kill(os.getpid(), 9)"
    done = agentsim("record", "out.yaml", "--", sys.executable, "-ISc", kill)
    assert done.code == 137


def test_a_command_that_never_asks_leaves_no_cassette() -> None:
    """Nothing is known of a program that takes its base URL from elsewhere."""
    done = agentsim("record", "out.yaml", *program())
    assert done.code == 2
    assert "no request came: does the program take its base URL from" in done.err
    assert not Path("out.yaml").exists()
    with service(1) as upstream:
        record(upstream.url, *program("a"))
    before = Path("out.yaml").read_bytes()
    assert agentsim("record", "out.yaml", "--mode", "record", *program()).code == 2
    assert Path("out.yaml").read_bytes() == before
    assert not Path("out.yaml.new").exists()


def test_a_service_that_is_not_there_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """The program sees a connection that breaks, and the person reads why."""
    done = record("http://127.0.0.1:9", *program("a"))
    assert capfd.readouterr().out == "broken\n"
    assert "http://127.0.0.1:9 can't be reached: nothing listens there" in done.err
    assert done.code == 0


def test_what_speaks_no_tls_is_told() -> None:
    """A URL with https before a service without."""
    with Service([b"HTTP/1.1 400 Bad Request\r\n\r\n"]) as upstream:
        url = upstream.url.replace("http", "https")
        done = record(url, *program("a"))
    assert f"{url} can't be reached: it speaks no TLS" in done.err


BAD: list[tuple[tuple[str, ...], str]] = [
    (("--", "python"), "record: expected OUT.yaml -- CMD, got 'python' for the file"),
    (
        ("old.yaml", "--", "python"),
        "old.yaml: this file is there already: say by --mode",
    ),
    (("old.yaml", "--mode", "record"), "old.yaml:1: expected a cassette"),
    (
        ("no.yaml", "--mode", "replay"),
        "no.yaml: there is no such file: record it first",
    ),
    (("no.yaml", "--mode", "reply"), "--mode: expected one of replay, record, "),
    (("old.yaml/out.yaml",), "old.yaml/out.yaml: this file can't be written"),
    (("out.yaml", "--upstream", "openai"), "--upstream: expected NAME=URL"),
    (("out.yaml", "--port", "99999"), "--port: expected 0 to 65535, got 99999"),
    (("out.yaml", "--host", "198.51.100.1"), "is no address of this machine"),
    (("out.yaml", "--latency", "slow"), "--latency: expected one of none, real"),
    (("out.yaml", "--redact", "("), "is no regular expression"),
    (
        ("out.yaml", "--", "no-such-command"),
        "can't start 'no-such-command': there is no",
    ),
    (("out.yaml", "--", "./old.yaml"), "can't start './old.yaml': there is no such"),
    (("out.yaml", "--"), "expected a command behind --, and there is none"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD)
def test_bad_input_is_told_in_one_sentence(
    words: tuple[str, ...], sentence: str
) -> None:
    """Before the command is started; and no file is left where none was."""
    Path("old.yaml").write_text("something of mine\n")
    done = agentsim("record", *words)
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert sentence in done.err
    assert [*map(str, Path().iterdir())] == ["old.yaml"]
    assert Path("old.yaml").read_text() == "something of mine\n"


def test_a_port_in_use_is_told() -> None:
    """Before anything is written."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = agentsim("record", "out.yaml", "--port", port, *program())
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert f"--port: {port} on 127.0.0.1 is in use" in done.err
    assert not Path("out.yaml").exists()


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the words that install it; a replay needs none."""

    def missing(name: str) -> None:
        raise ImportError(name)

    with service(1) as upstream:
        record(upstream.url, *program("a"))
    monkeypatch.setattr(asking, "import_module", missing)
    done = agentsim("record", "other.yaml", *program("a"))
    assert done.code == 3
    assert "neither httpx2 nor httpx is installed here: pip install" in done.err
    assert agentsim("record", "out.yaml", "--mode", "replay", *program("a")).code == 0


def test_the_older_http_library_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """httpx, where httpx2 is not there."""

    def older(name: str) -> Any:  # noqa: ANN401
        if name == "httpx2":
            raise ImportError(name)
        return importlib.import_module(name)

    monkeypatch.setattr(asking, "import_module", older)
    with service(1) as upstream:
        assert record(upstream.url, *program("a")).code == 0
    assert len(load_cassette(Path("out.yaml")).entries) == 1


def test_a_bug_of_the_proxy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As any of agentsim: with code 4, and nothing is replaced."""

    def fail(*_: object) -> None:
        raise LookupError("something")

    monkeypatch.setattr(Tape, "answer", fail)
    done = agentsim("record", "out.yaml", *program("a"))
    assert done.code == 4
    assert "internal error, please report it: the proxy: LookupError" in done.err


@pytest.mark.parametrize("as_json", [False, True])
def test_the_variables_are_printed_for_programs_to_come(
    monkeypatch: pytest.MonkeyPatch, *, as_json: bool
) -> None:
    """At once, before anybody asks; nothing that came of it is no success."""
    monkeypatch.setattr(running, "serve_until_stopped", lambda proxy: proxy.close())
    done = agentsim("record", "out.yaml", *(["--json"] if as_json else []))
    assert done.code == 2
    assert "OPENAI_BASE_URL" in done.out
    assert "http://127.0.0.1:" in done.out
    assert not Path("out.yaml").exists()


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [False, True])
def test_a_proxy_alone_stands_until_it_is_stopped(*, as_json: bool) -> None:
    """It prints the variables at once, and the summary after ^C, which is no failure."""
    with Serving(DISK) as serving:
        words = ["out.yaml", "--upstream", f"openai={serving.url}/v1"]
        with subprocess.Popen(
            [sys.executable, "-m", "agentsim.cli", "record", *words]
            + (["--json"] if as_json else []),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(ROOT)},
        ) as proxy:
            body = b'{"model": "m", "messages": [{"role": "user", "content": "go"}]}'
            base = _base(proxy, as_json=as_json)
            with urllib.request.urlopen(f"{base}/chat/completions", body) as answer:
                assert answer.status == 200
            proxy.send_signal(signal.SIGINT)
            out, err = proxy.communicate(timeout=20)
    assert proxy.returncode == 0
    told = json.loads(out)["recorded"] if as_json else err
    assert told == 1 or told.endswith("out.yaml: 1 exchange recorded.\n")
    assert len(load_cassette(Path("out.yaml")).entries) == 1


def _base(proxy: subprocess.Popen[str], *, as_json: bool) -> str:
    assert proxy.stdout is not None
    if not as_json:
        line = proxy.stdout.readline()
        assert line.startswith("export OPENAI_BASE_URL=http://127.0.0.1:")
        return line.partition("=")[2].strip()
    text = ""
    while not text.endswith("\n}\n"):
        text += proxy.stdout.readline()
    base: str = json.loads(text)["environment"]["OPENAI_BASE_URL"]
    return base
