"""`agentsim serve`: a server, a command beside it, and the verdict on it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.trace import from_jsonl
from tests.support.command import agentsim
from tests.support.source import ROOT

SCENARIO = """\
task: Free some space.
world: {disk: {}}
script:
  - call: check_disk
  - say: There is enough.
"""

PROGRAM = """\
import json, os, sys, urllib.request

messages = [{"role": "user", "content": "Free some space."}]
while True:
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps({"model": "m", "messages": messages}).encode(),
        {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    with urllib.request.urlopen(request) as answer:
        message = json.load(answer)["choices"][0]["message"]
    messages.append({k: v for k, v in message.items() if v})
    if not message.get("tool_calls"):
        break
    for call in message["tool_calls"][LOST:]:
        result = {"role": "tool", "tool_call_id": call["id"], "content": "40 %"}
        messages.append(result)
print(message["content"])
sys.exit(CODE)
"""

PYTHON = (sys.executable, "-I", "-S")


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    """A scenario of two replies."""
    file = tmp_path / "disk.yaml"
    file.write_text(SCENARIO)
    return file.name


def program(*, code: int = 0, lost: int = 0) -> tuple[str, ...]:
    """A command that is a whole agent; `lost` leaves out the results of so many calls."""
    text = PROGRAM.replace("CODE", str(code)).replace("LOST", str(lost))
    Path("program.py").write_text(text)
    return (*PYTHON, "program.py")


def test_a_command_that_does_its_work_holds(
    scenario: str, snapshot: SnapshotAssertion, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is given the variables, its output goes to standard error, and the verdict is told."""
    done = agentsim("serve", scenario, "--", *program())
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot
    assert capfd.readouterr().err == "There is enough.\n"


def test_a_command_that_breaks_a_rule_is_violated(scenario: str) -> None:
    """A result that is missing is refused by the service, and is the verdict."""
    done = agentsim("serve", scenario, "--json", "--", *program(lost=1))
    assert done.code == 1
    [run] = done.data["runs"]
    assert run["invariants"]["provider-accepts"]["status"] == "violated"
    assert run["invariants"]["result-always"]["status"] == "violated"
    assert done.data["command"] == {
        "exit_code": 1,
        "words": "the command ended with exit code 1",
    }


def test_a_command_that_fails_is_no_success(scenario: str) -> None:
    """A program that did all that was asked, and then fails, has raised."""
    done = agentsim("serve", scenario, "--", *program(code=7))
    assert done.code == 1
    assert "the run raised an exception" in done.out
    assert done.out.endswith("The command ended with exit code 7.\n")


def test_a_command_that_never_asks_is_told(scenario: str) -> None:
    """Nothing is known of a program that takes its base URL from elsewhere."""
    done = agentsim("serve", scenario, "--", *PYTHON, "-c", "pass")
    assert done.code == 2
    assert (
        "no request reached the model: does the program take its base URL" in done.out
    )


@pytest.mark.parametrize(
    ("base", "path", "key"),
    [
        ("AGENTSIM_URL", "/chat/completions", "agentsim"),
        ("AGENTSIM_URL", "/responses", "sk-mine"),
        ("OPENAI_BASE_URL", "/v1/messages", "agentsim"),
    ],
)
def test_a_wrong_base_url_is_told(
    scenario: str, base: str, path: str, key: str
) -> None:
    """The program gets the service's 404, and people read what is wrong with the URL."""
    ask = (
        "import os, urllib.request as r; r.urlopen(r.Request("
        f"os.environ[{base!r}] + {path!r}, b'{{}}', {{'authorization': 'Bearer {key}'}}))"
    )
    done = agentsim("serve", scenario, "--", *PYTHON, "-c", ask)
    assert done.code == 2
    at = path if base == "AGENTSIM_URL" else f"/v1{path}"
    assert f"Note: POST {at} was not found, as by the service, which has " in done.out
    assert "OpenAI's base URL ends with /v1, Anthropic's does not." in done.out


def test_a_command_that_leaves_replies_unused_is_told(scenario: str) -> None:
    """As with `run`: a script that was not used up is a usage error."""
    ask = (
        "import os, urllib.request as r; r.urlopen(r.Request("
        "os.environ['OPENAI_BASE_URL'] + '/chat/completions', "
        'b\'{"model":"m","messages":[{"role":"user","content":"go"}]}\'))'
    )
    done = agentsim("serve", scenario, "--json", "--", *PYTHON, "-c", ask)
    assert (done.code, done.data["verdict"]) == (3, "usage")
    assert "the script was not used up" in done.data["error"]


def test_the_trace_is_written(scenario: str) -> None:
    """A trace file of a run over HTTP is one like any other."""
    agentsim("serve", scenario, "--trace", "run.jsonl", "--", *program())
    trace = from_jsonl(Path("run.jsonl").read_text())
    assert trace.header.wire_only
    assert agentsim("check", "run.jsonl").code == 0


BAD: list[tuple[tuple[str, ...], str]] = [
    (("nothing.yaml",), "nothing.yaml: there is no such file"),
    (("disk.yaml", "--port", "99999"), "--port: expected 0 to 65535, got 99999"),
    (("disk.yaml", "--host", "198.51.100.1"), "is no address of this machine"),
    (("disk.yaml", "--latency", "slow"), "--latency: expected one of none, real"),
    (("disk.yaml", "--", "no-such-command"), "can't start 'no-such-command'"),
    (("disk.yaml", "--", ""), "can't start ''"),
    (("disk.yaml", "--"), "expected a command behind --, and there is none"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD)
def test_bad_input_is_told_in_one_sentence(
    scenario: str, words: tuple[str, ...], sentence: str
) -> None:
    """What is wrong, and nothing is left running."""
    done = agentsim("serve", *words)
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert sentence in done.err


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [False, True])
def test_a_server_alone_serves_until_it_is_stopped(
    scenario: str, *, as_json: bool
) -> None:
    """It prints the variables at once, and the verdicts after ^C, which is no failure."""
    words = ["serve", scenario, *(["--json"] if as_json else [])]
    with subprocess.Popen(
        [sys.executable, "-m", "agentsim.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
    ) as server:
        assert server.stdout is not None
        url = _url(server, as_json=as_json)
        body = b'{"model": "m", "messages": [{"role": "user", "content": "go"}]}'
        with urllib.request.urlopen(f"{url}/v1/chat/completions", body) as answer:
            assert answer.status == 200
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=20)
    assert server.returncode == 3
    assert "the script was not used up" in out
    assert "Traceback" not in err


def _url(server: subprocess.Popen[str], *, as_json: bool) -> str:
    assert server.stdout is not None
    if not as_json:
        line = server.stdout.readline()
        assert line.startswith("export OPENAI_BASE_URL=http://127.0.0.1:")
        return line.partition("=")[2].strip().removesuffix("/v1")
    text = ""
    while not text.endswith("\n}\n"):
        text += server.stdout.readline()
    url: str = json.loads(text)["url"]
    return url
