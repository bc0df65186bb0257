"""The audit finds what a redactor left, and finds nothing where nothing is left."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agentsim.cassettes import (
    Cassette,
    CassetteHeader,
    CassetteWriter,
    RecordedChunk,
    RecordedTool,
)
from agentsim.cassettes.redaction import audit_cassette
from tests.cassettes.planted import PLACES, SECRETS, Entry, answered, asked, events
from tests.cassettes.test_redaction import EXCHANGES, redacted
from tests.support.command import agentsim

OWN = ("own value", "own pattern")
"""Secrets that only their owner knows for such."""


def _audit(*entries: Entry) -> list[tuple[str, str]]:
    cassette = Cassette("x", CassetteHeader(), entries)
    return [(one.what, one.sure) for one in audit_cassette(cassette)]


@pytest.mark.parametrize("place", PLACES)
def test_what_is_planted_is_found_and_what_is_redacted_is_clean(place: str) -> None:
    """In each kind of place: a finding before the redactor, and none after it."""
    for name, secret in SECRETS.items():
        entry = PLACES[place](secret)
        assert _audit(redacted(entry)) == []
        if name not in OWN:
            assert any(sure == "certain" for _, sure in _audit(entry)), (name, secret)


@pytest.mark.parametrize("wire", ["chat", "arguments", "responses", "anthropic"])
def test_what_is_cut_anywhere_is_found_and_redacted(wire: str) -> None:
    """A key cut over events and chunks at every position is seen, and then is gone."""
    secret = SECRETS["key of OpenAI"]
    for at in range(1, len(secret)):
        stream = events("See ", secret[:at], secret[at:], ".", wire=wire)
        for cut in (at, len(stream) // 2 + at):
            chunks = (RecordedChunk(1, stream[:cut]), RecordedChunk(2, stream[cut:]))
            entry = answered(chunks=chunks)
            assert ("a key", "certain") in _audit(entry)
            assert _audit(redacted(entry)) == []


def test_what_looks_random_is_only_possible() -> None:
    """Long runs of mixed characters are told, ids and signatures of services are not."""
    run = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
    assert _audit(asked(body=json.dumps({"note": run}))) == [
        ("characters that look random", "possible")
    ]
    assert _audit(asked(body=json.dumps({"signature": run, "b": 'a "b"'}))) == []
    assert _audit(asked(body='{"a": "one\\n@two.three says"}')) == []
    for body in (
        *({"signature": run}, {"id": "call_" + run}, {"x": "toolu_" + run}),
        *({"x": "mcptoolu_" + run}, {"encrypted_index": run}),
        {
            "x": "see https://a.example/Weather/Today/San+Francisco/CA94016?cityId="
            + "0a1" * 9
        },
    ):
        assert _audit(asked(body=json.dumps(body))) == []
    assert _audit(asked(body=json.dumps({"x": f"https://a.example/{run}"}))) != []


def test_names_tell_secrets() -> None:
    """A value under the name of a password is one, whatever it looks like."""
    for body in ('{"password": "x"}', '{"a": "{\\"db_secret\\": \\"y\\"}"}'):
        (found,) = _audit(RecordedTool(1, "t", arguments=body))
        assert found[0].startswith("a value named")
    assert _audit(asked(body='{"properties": {"password": {"type": "string"}}}')) == []
    assert (
        _audit(asked(body='{"a": "basic understanding. Basic access-control"}')) == []
    )
    assert _audit(asked(body='{"a": "Basic dXNlcjpwYXNz"}')) != []
    assert _audit(asked(body='{"usage": {"prompt_tokens": 12}}')) == []


@pytest.mark.parametrize(
    "text",
    [
        *("redis://:pw1@cache/0", "/a?token=abcd", "/a?x=1&api_key=abcd"),
        *("jdbc:x?user=a&password=hunter2x9", "host=a password=hunter2x9 dbname=b"),
        *("db_password: hunter2x9", "{'api_key': 'abcd1234'}", "Pwd=abcd1234;"),
        *("c:\\users\\jane\\x", "sk-" + "aBcD" * 8, "hf_" + "aBcD" * 8),
        f"hooks.slack.com/services/T0/B0/{'aB3d' * 6}",
        f"/bot1234567:{'aB3d' * 8}/getMe",
        "<pre>{&quot;api_key&quot;: &quot;abcd1234&quot;}</pre>",
        "Authorization: token " + "abc12" * 4,
        *("GOCSPX-" + "aB3d" * 6, "hvs." + "aB3d" * 6, "SK" + "0a1b" * 8),
    ],
)
def test_what_tools_print_is_looked_through(text: str) -> None:
    """Passwords of databases, command lines and programs are seen, and gone redacted."""
    entry = RecordedTool(1, "t", result=text)
    assert any(sure == "certain" for _, sure in _audit(entry))
    assert _audit(redacted(entry)) == []


def test_the_command_tells_by_its_exit_code(tmp_path: Path) -> None:
    """0: nothing, 1: a secret, 2: a doubt, 3: no cassette; never the secret itself."""
    secret = SECRETS["key of OpenAI"]
    files = {
        "clean.yaml": (0, "hello"),
        "doubt.yaml": (2, "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"),
        "secret.yaml": (1, secret),
    }
    for name, (_, text) in files.items():
        with CassetteWriter(tmp_path / name) as writer:
            writer.add(RecordedTool(1, "t", result=text))
    (tmp_path / "none.yaml").write_text("a: 1\n")
    for name, (code, _) in {**files, "none.yaml": (3, "")}.items():
        done = agentsim("cassette", "audit", str(tmp_path / name))
        assert done.code == code
        assert secret not in done.out
        data = agentsim("cassette", "audit", "--json", str(tmp_path / name)).data
        assert data["files"][0]["file"] == str(tmp_path / name)
    both = agentsim("cassette", "audit", *(str(tmp_path / name) for name in files))
    assert both.code == 1
    assert "tool 1, result: a key, which begins with sk-p... (certain)" in both.out
    assert agentsim("cassette", "adit", "x").code == 3


def test_a_folder_is_audited_with_all_its_cassettes(tmp_path: Path) -> None:
    """What is beside them is passed by; a folder without any is a mistake."""
    (tmp_path / "none").mkdir()
    (tmp_path / "other.yaml").write_text("a: 1\n")
    for name in ("a/one.yaml", "b/two.yaml"):
        with CassetteWriter(tmp_path / name) as writer:
            writer.add(RecordedTool(1, "t", result=SECRETS["key of OpenAI"]))
    done = agentsim("cassette", "audit", str(tmp_path))
    assert done.code == 1
    assert re.findall(r"(\w+).yaml: violated", done.out) == ["one", "two"]
    done = agentsim("cassette", "audit", "--json", str(tmp_path / "none"))
    assert (done.code, "no cassette is in this folder" in done.err) == (3, True)
    assert done.data["error"] == done.data["files"][0]["error"]


@pytest.mark.slow
@pytest.mark.skipif(
    not EXCHANGES.exists(), reason="../shared/real-exchanges is missing"
)
def test_real_exchanges_raise_few_alarms() -> None:
    """Of what real services say, nothing is taken for a secret for certain."""
    told = []
    for line in EXCHANGES.read_text("utf-8").splitlines()[::3]:
        row = json.loads(line)
        answer = row["response"]
        text = answer if isinstance(answer, str) else json.dumps(answer)
        entry = answered(chunks=(RecordedChunk(1, text),))
        for one in (entry, asked(body=json.dumps(row["request"]))):
            found = _audit(redacted(one))
            told += [(row["id"], what) for what, sure in found if sure == "certain"]
    assert told == []
