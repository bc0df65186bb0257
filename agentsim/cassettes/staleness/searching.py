"""The cassettes of a project: files that begin as one, wherever they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from agentsim.cassettes.recognising import HEADER_KEY
from agentsim.core import UsageError

__all__ = ["BESIDE", "file_digest", "find_cassettes"]

BESIDE = ".new"
"""Behind the name of a recording that was to replace another."""

ENDINGS = (".yaml", ".yml")

PASSED_BY = ("__pycache__", "node_modules", "site-packages")
"""Folders in which nobody keeps his own cassettes; hidden ones are passed by too."""

_BEGINS = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:(?:#[^\n]*|---)?\r?\n)*" + HEADER_KEY.encode()
)


def find_cassettes(places: Sequence[Path]) -> Iterator[Path]:
    """Yield the cassettes in files and folders, in the order of their names.

    A recording beside a cassette, `NAME.yaml.new`, is yielded too.

    Raises:
        UsageError: for a place that is not there.
    """
    seen: dict[Path, None] = {}
    for place in places:
        if not place.exists():
            raise UsageError(f"{place}: there is no such file or folder")
        for file in _files(place) if place.is_dir() else (place,):
            if file.resolve() not in seen and (file == place or _is_cassette(file)):
                seen[file.resolve()] = None
                yield file


def file_digest(path: Path) -> str:
    """A mark of what is in a file; empty when it can't be read."""
    try:
        return blake2b(path.read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in PASSED_BY
            and not Path(here, name, "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            if name.removesuffix(BESIDE).endswith(ENDINGS):
                yield Path(here, name)


def _is_cassette(file: Path) -> bool:
    try:
        if not file.is_file():
            return False  # a pipe would be read for ever
        with file.open("rb") as opened:
            return _BEGINS.match(opened.read(4_096)) is not None
    except OSError:
        return False
