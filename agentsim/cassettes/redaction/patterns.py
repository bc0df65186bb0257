"""What secrets look like, as regular expressions; the group `secret` is what goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["KEPT_HEADERS", "PLACEHOLDER", "STANDARD", "SecretPattern", "own_patterns"]

PLACEHOLDER = re.compile(r"__REDACTED_[A-Z]+_[0-9]+__")
"""What stands in place of a secret: it fits into JSON, URLs, headers and paths alike."""

KEPT_HEADERS = re.compile(
    "accept|content-type|retry-after(?:-ms)?|x-should-retry|(?:x-)?request-id"
    "|openai-(?:version|beta|processing-ms)|anthropic-(?:version|beta)"
    "|(?:x-|anthropic-)ratelimit-[a-z-]+"
)
"""Names of the headers that a cassette keeps; all others are left out."""


def _always(_secret: str) -> bool:
    return True


def looks_random(value: str) -> bool:
    """Whether a value is no word of a language: long, with digits and letters."""
    return (
        len(value) >= 8
        and any(mark.isdigit() for mark in value)
        and any(mark.isalpha() for mark in value)
    )


def _looks_long(value: str) -> bool:
    return len(value) >= 16 and looks_random(value)


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One kind of secret.

    Attributes:
        kind: Stands in its placeholder.
        accepts: Whether what was found is one.
        bare: Whether it stands without quotes, where its placeholder needs them.
    """

    kind: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] = _always
    bare: bool = False


_TAIL = "A-Za-z0-9_-"

_KEYS = (
    rf"sk-(?=[*{_TAIL}]*[0-9*])[*{_TAIL}]{{10,}}",
    r"[spr]k_(?:live|test)_[A-Za-z0-9]{8,}",
    r"gh[oprsu]_[A-Za-z0-9]{16,}",
    r"github_pat_[A-Za-z0-9_]{16,}",
    rf"glpat-[{_TAIL}]{{16,}}",
    rf"xox[abeoprs]-[{_TAIL}]{{10,}}",
    rf"xapp-[{_TAIL}]{{16,}}",
    r"A(?:KI|SI|RO|ID)A[A-Z0-9]{12,}",
    rf"AIza[{_TAIL}]{{30,}}",
    rf"ya29\.[{_TAIL}]{{16,}}",
    r"hf_[A-Za-z0-9]{16,}",
    r"gsk_[A-Za-z0-9]{16,}",
    r"xai-[A-Za-z0-9]{16,}",
    r"r8_[A-Za-z0-9]{16,}",
    r"npm_[A-Za-z0-9]{20,}",
    rf"pypi-[{_TAIL}]{{20,}}",
    rf"SG\.[{_TAIL}]{{10,}}\.[{_TAIL}]{{10,}}",
    rf"(?:nvapi|tvly|pplx)-[{_TAIL}]{{16,}}",
    r"dop_v1_[0-9a-f]{20,}",
    r"lsv2_[A-Za-z0-9_]{20,}",
)

# The first letters stand in front: a character that begins no name is passed at once.
_NAMES = (
    r"(?=[abciprs])(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?(?:access[_-]?)?key)?"
    r"|client[_-]?secret|passw(?:or)?d|passphrase|pwd|authorization|credentials?"
    r"|private[_-]?key|(?:access|auth|bearer|csrf|id|refresh|session)[_-]?token|cookie)"
)

STANDARD: tuple[SecretPattern, ...] = (
    SecretPattern("KEY", re.compile(rf"(?<![A-Za-z0-9])(?P<secret>{'|'.join(_KEYS)})")),
    SecretPattern(
        "KEY",
        re.compile(
            "(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----"
            '(?:[^"{}<>]*?-----END [A-Z ]*PRIVATE KEY-----|[^"{}<>]*))'
        ),
    ),
    SecretPattern(
        "TOKEN",
        re.compile(
            rf"(?<![A-Za-z0-9_-])(?P<secret>eyJ[{_TAIL}]{{6,}}\.[{_TAIL}]{{6,}}"
            rf"(?:\.[{_TAIL}]*)?)"
        ),
    ),
    SecretPattern(
        "TOKEN", re.compile(r"(?i:bearer|basic)\s+(?P<secret>[A-Za-z0-9._~+/=-]{8,})")
    ),
    SecretPattern(
        "PASSWORD", re.compile(r"""://(?P<secret>[^\s/@:"'\\]+:[^\s/@"'\\]+)@""")
    ),
    SecretPattern(
        "TOKEN",
        re.compile(
            r"(?i)[?&](?:key|sig|signature|auth|x-(?:amz|goog)-(?:signature|credential))"
            r"""=(?P<secret>[^&\s"'#\\]+)"""
        ),
    ),
    SecretPattern(
        "EMAIL",
        re.compile(
            r"(?<![A-Za-z0-9._%+-])(?P<secret>[A-Za-z0-9._%+-]{1,64}+@"
            r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24})"
        ),
    ),
    SecretPattern(
        "HOME",
        re.compile(
            r"(?P<secret>(?:/(?:home|Users)/|[A-Za-z]:[\\/]{1,8}Users[\\/]{1,8})"
            r"[A-Za-z0-9._-]+)"
        ),
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(rf'(?i){_NAMES}"\s*:\s*"(?P<secret>(?:[^"\\]|\\.)+)"'),
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(rf'(?i){_NAMES}"\s*:\s*(?P<secret>-?[0-9][0-9.]*)'),
        bare=True,
    ),
    SecretPattern(
        "TOKEN",
        re.compile(r'(?i)token"\s*:\s*"(?P<secret>(?:[^"\\]|\\.)+)"'),
        _looks_long,
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(
            rf"(?i)(?:{_NAMES}|token)[\"']?\s*[=:]\s*[\"']?"
            r"(?P<secret>[^\s\"'&,;<>\\{}()\[\]]{8,})"
        ),
        looks_random,
    ),
)
"""Keys by their known beginnings, tokens, passwords by their names, people and places."""


def own_patterns(
    patterns: Sequence[str], values: Sequence[str]
) -> tuple[SecretPattern, ...]:
    """Patterns of somebody's own; of several values the longest is tried first.

    Raises:
        re.error: for a pattern that is none.
    """
    made = [SecretPattern("SECRET", re.compile(f"(?P<secret>{p})")) for p in patterns]
    listed = sorted({value for value in values if value}, key=lambda v: (-len(v), v))
    if listed:
        joined = "|".join(map(re.escape, listed))
        made.append(SecretPattern("SECRET", re.compile(f"(?P<secret>{joined})")))
    return tuple(made)
