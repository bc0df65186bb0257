"""Cassettes in sessions of their own: workers of xdist, and what records them again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.support.command import agentsim
from tests.support.inner import run_here
from tests.support.projects import run_pytest, without_others

pytestmark = pytest.mark.slow  # each starts pytest in processes

PROJECT = """
import json
import os

import pytest

from agentsim.cassettes import RecordedRequest

SYSTEM = os.environ.get("SYSTEM", "You help.")


def ask(cassette, text):
    said = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
    body = json.dumps({"model": "gpt-5", "messages": said})
    request = RecordedRequest(url="https://api.example/v1/chat/completions", body=body)
    found = cassette.tape.answer(request, "openai-chat")
    if found is None:
        taking = cassette.tape.begin(request, "openai-chat")
        taking.head(200, {})
        taking.body(b"{}")
        taking.end()


@pytest.mark.parametrize("number", range(12))
def test_it(cassette, number):
    ask(cassette, f"question {number // 2 * 2}")
"""


def test_workers_and_a_refresh(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers record and note as one process does; `--refresh` runs what is stale."""
    (tmp_path / "test_it.py").write_text(PROJECT, "utf-8")
    flags = ("-n", "2", "-q", "--junitxml=report.xml", "--agentsim-record=record")
    recorded = run_pytest(tmp_path, *flags, installed=installed)
    assert recorded.code == 0, recorded.out
    assert "cassettes (record): 12 tests, 0 hits, 0 misses, 12 live" in recorded.out
    assert len(list(tmp_path.rglob("*.yaml"))) == 12
    notes = json.loads((tmp_path / ".agentsim" / "cassettes.json").read_text("utf-8"))
    assert [test["use"]["live"] for test in notes["tests"].values()] == [1] * 12
    assert notes["whole"] == ["."]
    junit = (tmp_path / "report.xml").read_text("utf-8")
    assert 'name="agentsim_cassette_use" value="record: 1 live"' in junit

    chosen = ("-k", "3 or 4")
    assert "2 failed" in run_here(tmp_path, *chosen, SYSTEM="You hinder.").out
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYSTEM", "You hinder.")
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(without_others(())))
    data = agentsim("cassette", "check", "--json").data
    words = ["pytest", "test_it.py::test_it[3]", "test_it.py::test_it[4]"]
    assert shlex.split(data["refresh"]) == [*words, "--agentsim-record=refresh"]
    done = agentsim("cassette", "check", "--refresh", "--json")
    assert (done.data["verdict"], done.data["refresh"]) == ("holds", "")
    assert "You hinder." in (tmp_path / "cassettes/test_it/test_it-4.yaml").read_text()
    assert "You help." in (tmp_path / "cassettes/test_it/test_it-5.yaml").read_text()
