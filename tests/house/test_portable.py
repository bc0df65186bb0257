"""Nothing in the project is about the machine on which it was written."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source import ROOT

# What tools make, and what git keeps: not the project's own text.
SKIPPED = re.compile(
    r"(\.git|\.venv.*|\..*_cache|\.hypothesis|\.agentsim|__pycache__)$"
)
TEXT = {".cfg", ".ini", ".json", ".jsonl", ".lock", ".md", ".py", ".sh", ".toml"}
TEXT |= {".ambr", ".html", ".txt", ".yaml", ".yml", ""}

# Put together here, so that this file does not contain what it looks for.
PATHS = tuple(f"/{name}/" for name in ("work", "root", "tmp", "home", "Users"))
HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("debian", "org"),
    )
)


def files() -> Iterator[Path]:
    """Yield the project's own text files, without what tools made."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if not SKIPPED.match(name))
        for name in sorted(names):
            path = Path(folder, name)
            # In a linked worktree `.git` is a file.
            if name == ".git" or name.startswith(".coverage"):
                continue
            if path.suffix in TEXT:
                yield path


def foreign(text: str) -> list[str]:
    """Find the absolute paths and registry hosts in a text."""
    there = [path for path in PATHS if path in text]  # quickly, of most texts
    found = [path for path in there if re.search(rf"(?<![\w./-]){path}", text)]
    return found + [host for host in HOSTS if host in text]


def test_no_file_names_a_machine_or_a_registry() -> None:
    """No file contains an absolute path of a machine or a registry's host name."""
    found = {
        path.relative_to(ROOT).as_posix(): words
        for path in files()
        if (words := foreign(path.read_text("utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize("word", [*PATHS, *HOSTS])
def test_a_foreign_word_is_found(word: str) -> None:
    """Each path and each host is found inside a line of text."""
    assert foreign(f"see '{word}x' for more") == [word]


def test_constraints_pin_exact_versions() -> None:
    """Every line of the constraints file is a comment or `name==version`."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    wanted = re.compile(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.]+")
    assert [line for line in lines if line and not wanted.fullmatch(line)] == []
