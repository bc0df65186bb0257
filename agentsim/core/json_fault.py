"""What is wrong with a JSON text, and where: a small scanner with words of its own.

The interpreter's own messages and positions differ between Python versions. This is
slower than the standard parser by far, and meant for texts that it has refused.
"""

from __future__ import annotations

import json
import re
from typing import NoReturn

__all__ = ["DEPTH_MAX", "DIGITS_MAX", "find_fault"]

DEPTH_MAX = 100
"""How deep arrays and objects may be nested (the interpreter's limit is not fixed)."""

DIGITS_MAX = 4300
"""How many digits an integer may have (the interpreter refuses longer ones)."""


def find_fault(text: str, *, unique_keys: bool = True) -> str | None:
    """Say what keeps `text` from being strict JSON, and where; None if nothing does."""
    scanner = _Scanner(text, unique_keys=unique_keys)
    try:
        scanner.document()
    except _Fault as fault:
        line = text.count("\n", 0, fault.position) + 1
        column = fault.position - (text.rfind("\n", 0, fault.position) + 1) + 1
        return f"{fault.words} at line {line}, column {column}"
    return None


class _Fault(Exception):
    def __init__(self, words: str, position: int) -> None:
        self.words = words
        self.position = position


_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_HEX = re.compile(r"[0-9a-fA-F]{4}")


class _Scanner:
    """Walks over a text by the JSON grammar and raises `_Fault` where it breaks."""

    def __init__(self, text: str, *, unique_keys: bool) -> None:
        self.text = text
        self.at = 0
        self._unique_keys = unique_keys

    def document(self) -> None:
        self._value(0)
        self._space()
        if self.at < len(self.text):
            self._fail("unexpected text after the value")

    def _fail(self, words: str, position: int | None = None) -> NoReturn:
        raise _Fault(words, self.at if position is None else position)

    def _space(self) -> str:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.text[self.at : self.at + 1]

    def _value(self, depth: int) -> None:
        mark = self._space()
        if not mark:
            self._fail("the text ends where a value is expected")
        if mark == '"':
            self._string()
        elif mark in "{[":
            if depth == DEPTH_MAX:
                self._fail(f"nested deeper than {DEPTH_MAX} levels")
            self._container(mark, depth + 1)
        elif mark in "-0123456789":
            self._number()
        else:
            self._word(mark)

    def _word(self, mark: str) -> None:
        for word in ("true", "false", "null"):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return
        if self.text.startswith(("NaN", "Infinity"), self.at):
            self._fail("NaN and Infinity are not JSON")
        if mark == "'":
            self._fail("a string needs double quotes")
        self._fail("expected a value")

    def _number(self) -> None:
        start = self.at
        match = _NUMBER.match(self.text, start)
        if match is None:
            if self.text.startswith("-Infinity", start):
                self._fail("NaN and Infinity are not JSON")
            self._fail("expected digits")
        self.at = match.end()
        if match[1] or match[2]:
            if float(match[0]) in (float("inf"), float("-inf")):
                self._fail("a number out of range", start)
        elif len(match[0].lstrip("-")) > DIGITS_MAX:
            self._fail(f"a number of more than {DIGITS_MAX} digits", start)

    def _string(self) -> str:
        start = self.at
        self.at += 1
        while True:
            match = _PLAIN.match(self.text, self.at)
            assert match is not None
            self.at = match.end()
            mark = self.text[self.at : self.at + 1]
            if mark == '"':
                self.at += 1
                return str(json.loads(self.text[start : self.at]))
            if not mark:
                self._fail("the text ends inside a string")
            if mark != "\\":
                self._fail("a control character inside a string must be escaped")
            self._escape()

    def _escape(self) -> None:
        code = self.text[self.at + 1 : self.at + 2]
        if not code:
            self._fail("the text ends inside a string", len(self.text))
        if code == "u":
            if _HEX.match(self.text, self.at + 2) is None:
                self._fail("\\u needs four hexadecimal digits")
            self.at += 6
        elif code in '"\\/bfnrt':
            self.at += 2
        else:
            self._fail("an unknown escape inside a string")

    def _container(self, mark: str, depth: int) -> None:
        closing = "}" if mark == "{" else "]"
        self.at += 1
        if self._space() == closing:
            self.at += 1
            return
        keys: set[str] = set()
        while True:
            if mark == "{":
                self._key(keys)
            self._value(depth)
            after = self._space()
            if after not in (",", closing) or not after:
                if not after:
                    kind = "object" if mark == "{" else "array"
                    self._fail(f"the text ends inside an {kind}")
                self._fail(f"expected ',' or '{closing}'")
            self.at += 1
            if after == closing:
                return

    def _key(self, keys: set[str]) -> None:
        mark = self._space()
        start = self.at
        if not mark:
            self._fail("the text ends inside an object")
        if mark != '"':
            self._fail("expected a key in double quotes")
        key = self._string()
        if key in keys and self._unique_keys:
            self._fail(f"the key {json.dumps(key)} stands twice", start)
        keys.add(key)
        if self._space() != ":":
            self._fail("expected ':' after a key")
        self.at += 1
