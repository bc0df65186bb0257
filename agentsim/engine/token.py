"""The text that repeats a run: `17:2,31:1~a9f3`.

Before the tilde stand the deviations as `position:value`, in order of position; after
it a fingerprint of four hex digits. A run without deviations is the fingerprint alone,
`~a9f3`. The form is strict, so that one run has one token.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from agentsim.core import TokenError
from agentsim.engine.choices import Choices

__all__ = ["Token", "fingerprint"]

_DEVIATION = re.compile(r"(0|[1-9][0-9]{0,8}):([1-9][0-9]{0,8})")
_FINGERPRINT = re.compile(r"[0-9a-f]{4}")
_SHOWN_MAX = 60


def fingerprint(scenario_digest: str, menu: str, log: Sequence[tuple[str, int]]) -> str:
    """Give the four hex digits that tell whether a token belongs to a run.

    Args:
        scenario_digest: Stands for the scenario's content.
        menu: The options that add choice points, as text.
        log: Label and arity of each choice, up to the last deviation.
    """
    text = json.dumps([scenario_digest, menu, [list(entry) for entry in log]])
    return hashlib.blake2b(text.encode("ascii"), digest_size=2).hexdigest()


@dataclass(frozen=True, slots=True)
class Token:
    """A run in short: its deviations, and the fingerprint of where they belong.

    Attributes:
        deviations: Position -> value, in order of position.
        fingerprint: Four hex digits.
    """

    deviations: Mapping[int, int]
    fingerprint: str

    @classmethod
    def of(cls, choices: Choices, *, scenario_digest: str, menu: str) -> Self:
        """Make the token of a run that is over."""
        deviations = dict(sorted(choices.deviations.items()))
        return cls(deviations, _mark(choices, scenario_digest, menu))

    def check(self, choices: Choices, *, scenario_digest: str, menu: str) -> None:
        """Compare with the run that this token was replayed in.

        Raises:
            TokenError: The token was made with another scenario or other options.
        """
        if _mark(choices, scenario_digest, menu) != self.fingerprint:
            raise TokenError(
                f"token {str(self)!r} does not fit: it was made with another scenario "
                f"or with other options than those given"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a token.

        Raises:
            TokenError: The text is not a token; the message says what is wrong.
        """
        head, tilde, mark = text.partition("~")
        if not tilde:
            raise _malformed(text, "there is no '~' before the fingerprint")
        if not _FINGERPRINT.fullmatch(mark):
            raise _malformed(text, "after '~' come four digits out of 0-9 and a-f")
        deviations: dict[int, int] = {}
        last = -1
        for part in head.split(",") if head else ():
            match = _DEVIATION.fullmatch(part)
            if match is None:
                raise _malformed(text, f"{_shown(part)} is not 'position:value' (17:2)")
            position = int(match[1])
            if position <= last:
                raise _malformed(text, f"position {position} comes after {last}")
            deviations[position] = int(match[2])
            last = position
        return cls(deviations, mark)

    def __str__(self) -> str:
        """Write the token as it is parsed."""
        head = ",".join(f"{at}:{value}" for at, value in self.deviations.items())
        return f"{head}~{self.fingerprint}"


def _mark(choices: Choices, scenario_digest: str, menu: str) -> str:
    end = max(choices.deviations, default=-1) + 1
    return fingerprint(scenario_digest, menu, choices.log[:end])


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "…")


def _malformed(text: str, why: str) -> TokenError:
    return TokenError(
        f"{_shown(text)} is not a replay token such as '17:2~a9f3': {why}"
    )
