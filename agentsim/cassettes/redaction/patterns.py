"""What secrets look like, as regular expressions; the group `secret` is what goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = [
    "KEPT_HEADERS",
    "PLACEHOLDER",
    "STANDARD",
    "WORD",
    "SecretPattern",
    "own_patterns",
]

PLACEHOLDER = re.compile(r"__REDACTED_[A-Z]+_[0-9]+__")
"""What stands in place of a secret: it fits into JSON, URLs, headers and paths alike."""

KEPT_HEADERS = re.compile(
    "accept|content-type|location|retry-after(?:-ms)?|x-should-retry|(?:x-)?request-id"
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


def _is_no_word(value: str) -> bool:
    """Whether what follows `basic` is no word of a sentence."""
    return len(value) >= 28 or not _PROSE.fullmatch(value)


_PROSE = re.compile("[A-Za-z]?[a-z]+(?:[-./][a-z]+)*[.]*")


def _looks_long(value: str) -> bool:
    return len(value) >= 16 and looks_random(value)


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One kind of secret, and what tells at once that a text has none.

    A word is a run of `WORD` characters. What has a hint begins with the hint, or some
    characters before it; so a text is searched only where a word of it has one.

    Attributes:
        kind: Stands in its placeholder.
        accepts: Whether what was found is one.
        bare: Whether it stands without quotes, where its placeholder needs them.
        hint: What a word has where one may begin; None: each text is searched through.
        ends: Instead of `hint`: texts in lower case that such a word ends with.
        before: How many characters before the hint one may begin.
    """

    kind: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] = _always
    bare: bool = False
    hint: re.Pattern[str] | None = None
    ends: tuple[str, ...] = ()
    before: tuple[int, ...] = (0,)

    @property
    def everywhere(self) -> bool:
        """Whether nothing tells where one may begin."""
        return self.hint is None and not self.ends

    def begins(self, word: str) -> list[int]:
        """Where in a word, or before it, one may begin."""
        folded = word.lower()
        found = [len(word) - len(end) for end in self.ends if folded.endswith(end)]
        if self.hint is not None:
            found += [match.start() for match in self.hint.finditer(word)]
        return [at - back for at in found for back in self.before]


WORD = "A-Za-z0-9+/_.*~@%?&-"
"""Characters of words; all hints consist of them."""

_TAIL = "A-Za-z0-9_-"

_KEYS = (
    rf"sk-(?:(?=[*{_TAIL}]{{0,100}}[0-9*])[*{_TAIL}]{{10,}}|[A-Za-z]{{32,}})",
    r"[spr]k_(?:live|test)_[A-Za-z0-9]{8,}",
    r"gh[oprsu]_[A-Za-z0-9]{16,}",
    r"github_pat_[A-Za-z0-9_]{16,}",
    rf"glpat-[{_TAIL}]{{16,}}",
    rf"xox[a-z]-[{_TAIL}]{{10,}}",
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
    rf"GOCSPX-[{_TAIL}]{{20,}}",
    r"whsec_[A-Za-z0-9+/]{16,}",
    rf"hv[bsr]\.[{_TAIL}]{{20,}}",
    r"shp(?:at|ca|pa|ss)_[A-Za-z0-9]{20,}",
    r"lin_api_[A-Za-z0-9]{20,}",
    rf"figd_[{_TAIL}]{{20,}}",
    r"ntn_[A-Za-z0-9]{20,}",
    r"dapi[0-9a-f]{32}",
    r"e2b_[0-9a-f]{20,}",
    r"fw_[A-Za-z0-9]{20,}",
    r"pul-[0-9a-f]{20,}",
    r"dp\.(?:ct|pt|sa|st)\.[A-Za-z0-9]{20,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{20,}",
    r"SK[0-9a-f]{32}",
)

_KEY_HINT = re.compile(
    r"sk-|[spr]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|xox|xapp-|A(?:KI|SI|RO|ID)A"
    r"|AIza|ya29\.|hf_|gsk_|xai-|r8_|npm_|pypi-|SG\.|(?:nvapi|tvly|pplx)-|dop_v1_|lsv2_"
    r"|GOCSPX-|whsec_|hv[bsr]\.|shp(?:at|ca|pa|ss)_|lin_api_|figd_|ntn_|dapi[0-9a-f]|e2b_"
    r"|fw_|pul-|dp\.(?:ct|pt|sa|st)\.|AGE-SECRET-KEY-|SK[0-9a-f]{32}"
)


def _after(*names: str) -> str:
    return "|".join(f"(?<={name})|(?<={name}[_-])" for name in names)


# What stands before the last word of a name is looked for behind, so that each begins
# with a rare word; and what follows is looked at first, as most are of prose.
_NAMES = (
    r"(?=[A-Za-z_-]+[\"']?[\s+]*[=:])"
    rf"(?ai:(?:{_after('access', 'account')})key(?:[_-]?id)?"
    rf"|(?:{_after('api', 'private', 'secret')})key"
    r"|secret|passw(?:or)?d|passphrase|pwd|authorization|credentials?|cookie"
    rf"|(?:{_after('access', 'auth', 'bearer', 'csrf', 'id', 'refresh', 'session')})token)"
)

_NAME_ENDS = (
    *("key", "keyid", "key_id", "key-id", "secret", "password", "passwd", "passphrase"),
    *("pwd", "authorization", "credential", "credentials", "cookie", "token"),
)

_PRIVATE = "[ +][A-Z +]*PRIVATE[ +]KEY(?:[ +]BLOCK)?"
"""Of the lines about a private key; forms have a plus in place of a blank."""

_OF_QUERIES = (
    r"(?ai:(?:(?:access|api|auth|client|id|refresh|session)[_-]?)?(?:key|secret|token)"
    "|passw(?:or)?d|pwd|sig|signature|auth|x-(?:amz|goog)-(?:signature|credential))"
)
"""Names of parameters of URLs whose value is secret, whatever it looks like."""

STANDARD: tuple[SecretPattern, ...] = (
    SecretPattern(
        "KEY",
        re.compile(rf"(?<![A-Za-z0-9])(?P<secret>{'|'.join(_KEYS)})"),
        hint=_KEY_HINT,
    ),
    SecretPattern(
        "KEY",
        re.compile(
            f"(?P<secret>-----BEGIN{_PRIVATE}-----"
            f'(?:[^"{{}}<>]*?-----END{_PRIVATE}-----|[^"{{}}<>]*))'
        ),
        hint=re.compile("-----BEGIN"),
    ),
    SecretPattern(
        "TOKEN",
        re.compile(
            rf"(?<![A-Za-z0-9_-])(?P<secret>eyJ[{_TAIL}]{{6,}}\.[{_TAIL}]{{6,}}"
            rf"(?:\.[{_TAIL}]*)?)"
        ),
        hint=re.compile("eyJ"),
    ),
    SecretPattern(
        "TOKEN",
        re.compile(r"(?ai:bearer|basic)\s+(?P<secret>[A-Za-z0-9._~+/=-]{8,})"),
        _is_no_word,
        ends=("bearer", "basic"),
    ),
    SecretPattern(  # as forms write it
        "TOKEN",
        re.compile(
            r"(?ai:bearer|basic)\++(?P<secret>[A-Za-z0-9._~/=-][A-Za-z0-9._~+/=-]{7,})"
        ),
        _looks_long,
        hint=re.compile(r"(?ai:bearer|basic)\+"),
    ),
    SecretPattern(
        "TOKEN",
        re.compile(r"(?ai:token|apikey)\s+(?P<secret>[A-Za-z0-9~+=-]{20,})(?!\w)"),
        _looks_long,
        ends=("token", "apikey"),
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(
            "(?ai:(?:(?<=-)|(?<=-api))key|(?<=-)(?:secret|token|passw(?:or)?d|passphrase))"
            r"""\s+["']?(?P<secret>[^\s"'&,;<>\\{}()\[\]-][^\s"'&,;<>\\{}()\[\]]{7,})"""
        ),
        looks_random,
        ends=("key", "secret", "token", "password", "passwd", "passphrase"),
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(r"(?ai:passw(?:or)?d|passphrase|secret)>(?P<secret>[^<>\s\"\\]+)</"),
        ends=("password", "passwd", "passphrase", "secret"),
    ),
    SecretPattern(
        "KEY",
        re.compile(
            r"(?:hooks\.slack\.com/(?:services|workflows)/(?:[A-Z0-9]+/)*"
            r"|discord(?:app)?\.com/api/webhooks/[0-9]+/|/bot[0-9]{6,12}:)"
            rf"(?P<secret>[{_TAIL}]{{16,}})"
        ),
        hint=re.compile(
            r"hooks\.slack\.com/|discord(?:app)?\.com/api/w|/bot[0-9]{6,12}"
        ),
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(r"""(?<=:)//(?P<secret>[^\s/@:"'\\]*:[^\s/@"'\\]+)@"""),
        hint=re.compile("//"),
    ),
    SecretPattern(
        "TOKEN",
        re.compile(
            rf"[?&]{_OF_QUERIES}"
            r"""=(?P<secret>[^&\s"'#\\]+)"""
        ),
        hint=re.compile("[?&](?ai:ke|si|au|x-|ac|ap|cl|id|re|se|to|pa|pw)"),
    ),
    SecretPattern(
        "EMAIL",
        re.compile(
            r"(?<![A-Za-z0-9._%+-])(?!git@)(?P<secret>[A-Za-z0-9._%+-]{1,64}+@"
            r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24})"
        ),
        hint=re.compile("(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]++@"),
    ),
    SecretPattern(
        "HOME",
        re.compile(r"(?P<secret>/(?:home|Users)/[A-Za-z0-9._-]+)"),
        hint=re.compile("/(?:home|Users)/"),
    ),
    SecretPattern(
        "HOME",
        re.compile(
            r"(?P<secret>(?:[A-Za-z]:[\\/]{1,8}Users|(?<![A-Za-z])[A-Za-z]:[\\/]{1,8}users)"
            r"[\\/]{1,8}[A-Za-z0-9._-]+)"
        ),
        hint=re.compile("[Uu]sers"),
        before=tuple(range(3, 11)),
    ),
    SecretPattern(  # as coding agents name the folder of a project
        "HOME",
        re.compile(
            r"(?<=[/\\\n])(?P<secret>(?:[A-Za-z]-)?-(?:home|Users)-[A-Za-z0-9]+)(?=-|/)"
        ),
        hint=re.compile("-(?:home|Users)-"),
        before=(0, 2),
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(rf'{_NAMES}"[\s+]*:[\s+]*"(?P<secret>(?:[^"\\]|\\.)+)"'),
        ends=_NAME_ENDS,
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(rf'{_NAMES}"[\s+]*:[\s+]*(?P<secret>-?[0-9][0-9.]*)'),
        bare=True,
        ends=_NAME_ENDS,
    ),
    SecretPattern(
        "TOKEN",
        re.compile(r'(?ai:token)"[\s+]*:[\s+]*"(?P<secret>(?:[^"\\]|\\.)+)"'),
        _looks_long,
        ends=("token",),
    ),
    SecretPattern(
        "PASSWORD",
        re.compile(
            rf"(?:{_NAMES}|(?ai:token))[\"']?[\s+]*[=:][\s+]*[\"']?"
            r"(?P<secret>[^\s\"'&,;<>\\{}()\[\]]{8,})"
        ),
        looks_random,
        ends=_NAME_ENDS,
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
