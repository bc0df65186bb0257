"""YAML files as plain data, with the line of each node: a safe subset.

PyYAML finds the structure; `scalars` says what a text without quotes means. Tags,
merge keys, NaN and infinity are refused; aliases are copied, within bounds. Every error
is a `ScenarioError`, one sentence that begins with its place.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentsim.core import ScenarioError, did_you_mean
from agentsim.plain_yaml.faults import at, control_character, syntax_error

if TYPE_CHECKING:
    from yaml import CSafeLoader, SafeLoader

    from agentsim.plain_yaml.nodes import Node

__all__ = ["YamlDocument", "load_yaml", "load_yaml_file"]

BYTES_MAX = 16 << 20
"""Bytes that a scenario file may have."""


class YamlDocument:
    """A YAML mapping as plain data, and where its parts stand.

    Attributes:
        name: The file's name, as errors show it.
        value: Dicts with text keys, lists, text, int, float, bool and None.
    """

    __slots__ = ("_root", "name", "value")

    def __init__(self, name: str, root: Node) -> None:
        self.name = name
        self.value: Any = root.plain()
        self._root = root

    def line(self, path: Sequence[str | int]) -> int:
        """1-based line of a node: that of its key, or of its entry in a list.

        A path that leads nowhere has the line of its nearest ancestor that exists.
        """
        node, line = self._root, self._root.line
        for step in path:
            if step not in node.children:
                break
            line, node = node.children[step]
        return line


def load_yaml(text: str, name: str, *, values_max: int | None = None) -> YamlDocument:
    """Read one document, which must be a mapping.

    Args:
        name: How errors call the file.
        values_max: How many values it may hold; by default as a scenario file.

    Raises:
        ScenarioError: one sentence that begins with `name:line:column:`.
    """
    text = text.removeprefix("\ufeff")
    unreadable = control_character(text, name)
    if unreadable is not None:
        raise unreadable
    root = _read(text, name, values_max)
    if root is None or (root.kind == "scalar" and root.scalar is None):
        raise ScenarioError(f"{name}: the file is empty: write fields such as `task:`")
    if root.kind != "mapping":
        got = "a list" if root.kind == "list" else "a single value"
        raise at(name, root.line, 1, f"expected fields such as `task: ...`, got {got}")
    return YamlDocument(name, root)


def load_yaml_file(path: Path) -> YamlDocument:
    """Read a file of UTF-8 text that holds one document.

    Raises:
        ScenarioError: as `load_yaml`, and when the file can't be read.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ScenarioError(f"{path}: this is no regular file")
        if path.exists() and path.stat().st_size > BYTES_MAX:
            raise ScenarioError(f"{path}: longer than {BYTES_MAX >> 20} MiB")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{path}: {_unread(path, error)}") from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        words = "this is not UTF-8: save the file as UTF-8 text"
        raise at(str(path), line, column, words) from None
    return load_yaml(text, str(path))


def _unread(path: Path, error: OSError | ValueError) -> str:
    """Why a file can't be read, without the words of the operating system."""
    if isinstance(error, FileNotFoundError):
        folder = path.parent
        names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
        return f"there is no such file{did_you_mean(path.name, names)}"
    if isinstance(error, IsADirectoryError):
        return "this is a directory: name one file in it"
    if isinstance(error, PermissionError):
        return "this file may not be read: check its permissions"
    code = errno.errorcode.get(getattr(error, "errno", None) or 0, "not a path")
    return f"this file can't be read ({code})"


def _read(text: str, name: str, values_max: int | None) -> Node | None:
    """Let PyYAML find the structure; None when there is none.

    libyaml is taken where it is there, as in all wheels of PyYAML. Its stand-in in
    Python is ten times slower and stricter: it refuses a tab outside of quotes and a
    `?` in a list or mapping in brackets.
    """
    import yaml

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    reader = loader(text)
    try:
        return _built(reader, name, values_max)
    except yaml.MarkedYAMLError as error:
        raise syntax_error(error, text, name) from None
    except (ValueError, OverflowError):  # the stand-in, by an escape beyond Unicode
        assert isinstance(reader, yaml.SafeLoader)
        line, column = reader.line + 1, reader.column + 1
        raise at(name, line, column, "an escape that is no character") from None


def _built(
    reader: CSafeLoader | SafeLoader, name: str, values_max: int | None
) -> Node | None:
    from agentsim.plain_yaml.nodes import VALUES_MAX, Builder

    builder = Builder(name, VALUES_MAX if values_max is None else values_max)
    while (event := reader.get_event()) is not None:
        builder.feed(event)
    return builder.root
