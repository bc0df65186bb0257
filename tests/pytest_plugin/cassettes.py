"""A project of tests with cassettes, for what the plugin does with them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["RECORD", "TESTS", "files", "project", "told"]

ASK = '''
import json

from agentsim.cassettes import RecordedRequest


def ask(cassette, text, system="You help.", model="gpt-5"):
    """Ask as a client does; what is live answers in capitals."""
    said = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    body = json.dumps({"model": model, "messages": said})
    request = RecordedRequest(url="https://api.example/v1/chat/completions", body=body)
    found = cassette.tape.answer(request, "openai-chat")
    if found is not None:
        return found.answer.body
    taking = cassette.tape.begin(request, "openai-chat")
    taking.head(200, {})
    taking.body(text.upper().encode())
    taking.end()
    return text.upper()
'''

TESTS = """
import os

import pytest
from asking import ask

SAID = os.environ.get("SAID", "hello")
SYSTEM = os.environ.get("SYSTEM", "You help.")


def test_one(cassette):
    assert ask(cassette, "hello") == "HELLO"
    assert os.environ.get("FAILS") is None


class TestMany:
    @pytest.mark.parametrize("word", ["a/b", "c"])
    def test_words(self, cassette, word):
        ask(cassette, word)


def test_swallows(cassette):
    for text in (SAID, "bye"):
        try:
            ask(cassette, text, SYSTEM)
        except Exception:
            pass
"""

RECORD = "--agentsim-record=record-missing"


def project(folder: Path, tests: str = TESTS) -> Path:
    """Write a project whose tests are in one file."""
    (folder / "asking.py").write_text(ASK, "utf-8")
    (folder / "conftest.py").write_text(
        "import sys\nsys.path.insert(0, __file__.rpartition('/')[0])\n", "utf-8"
    )
    (folder / "test_it.py").write_text(tests, "utf-8")
    return folder


def told(out: str) -> list[str]:
    """The lines of the summary that are about cassettes."""
    return [line for line in out.splitlines() if line.startswith("agentsim: ")]


def files(folder: Path) -> list[str]:
    """The cassettes of a project."""
    return sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*.yaml*")
    )
