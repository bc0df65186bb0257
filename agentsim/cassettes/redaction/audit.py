"""Looks for secrets that are left in a cassette, by other means than the redactor's.

Texts are read as an attacker would: streams put together field by field whatever stands
beside them, JSON parsed, escapes of URLs undone, Base64 decoded. What has the form of a
key, an address or a password is `certain`; what only looks random is `possible`.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any, Literal
from urllib.parse import unquote

from agentsim.cassettes.records import Cassette, RecordedExchange, RecordedTool
from agentsim.cassettes.redaction.patterns import PLACEHOLDER

__all__ = ["AuditFinding", "audit_cassette"]

Surety = Literal["certain", "possible"]

Entry = RecordedExchange | RecordedTool


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A secret that seems to be left.

    Attributes:
        entry: Which exchange or call of a tool it is in, such as `exchange 3`.
        field: Where in it, such as `answer.chunks`.
        what: What it looks like.
        shown: How it begins, never more.
    """

    entry: str
    field: str
    what: str
    shown: str
    sure: Surety


_CERTAIN = {
    "a key": re.compile(
        r"\b(?:(?:sk|glpat|xox[a-z]|xapp|xai|pypi|nvapi|tvly|pplx)-|(?:sk|pk|rk|gh[oprsu]"
        r"|github_pat|hf|gsk|npm|r8|lsv2)_)(?=[\w-]*\d)[\w-]{12,}|\bA[KS]IA[A-Z0-9]{12,}\b"
        r"|\bAIza[\w-]{20,}|\bya29\.[\w-]+|\bSG\.[\w-]{10,}\.[\w-]{10,}|\bhf_[A-Za-z]{30,}"
        r"|\bsk-[A-Za-z]{32,}|\b(?:GOCSPX-|whsec_|hv[bsr]\.|shp(?:at|ca|pa|ss)_|lin_api_"
        r"|figd_|ntn_|e2b_|pul-|dop_v1_|AGE-SECRET-KEY-|dapi(?=[0-9a-f]{32}))"
        r"(?=[\w+/-]*\d)[\w+/-]{16,}|\bSK[0-9a-f]{32}\b|\bfw_[A-Za-z0-9]{20,}|\bdp\.(?:ct|pt|sa|st)\.\w{16,}"
    ),
    "a secret address": re.compile(
        r"hooks\.slack\.com/(?:services|workflows)/(?!\s)[\w/-]*\w{16}"
        r"|discord(?:app)?\.com/api/webhooks/\d+/[\w-]+|/bot\d{6,12}:[\w-]{16,}"
    ),
    "a private key": re.compile("BEGIN[A-Z ]*PRIVATE KEY"),
    "a signed token": re.compile(r"\bey[A-Z][\w-]{8,}\.ey[\w-]{4,}"),
    "an authorization": re.compile(
        r"(?i:\b(?:bearer|basic) +)(?!\w?[a-z]+(?:[-./][a-z]+)*[.]*(?![\w~+/=-]))[\w.~+/=-]{8,}"
    ),
    "a token": re.compile(
        r"(?i:\btoken +)(?=[\w~+=-]*\d)(?=[\w~+=-]*[A-Za-z])[A-Za-z0-9~+=-]{20,}(?!\w)"
    ),
    "an e-mail address": re.compile(
        r"(?<![\w.+%\\-])(?!git@)[\w.+%-]{1,80}+@[\w-]{1,63}\.[\w.-]*[A-Za-z]{2}"
    ),
    "a home directory": re.compile(
        r"(?:/home|/Users|\b[A-Za-z]:[\\/]+[Uu]sers)[\\/]+[\w.-]+"
    ),
    "a password in a URL": re.compile(r"://[^/\s\"'@:]*:[^/\s\"'@]+@"),
    "a secret in a URL": re.compile(
        r"(?i)[?&](?:(?:access|api|auth|client|id|refresh|session)[_-]?)?"
        r"(?:key|secret|token|password|sig|signature)=[^\s&\"'#\\]{3,}"
    ),
}

_NAMED = re.compile(
    r"(?i)passw(or)?d|passphrase|secret|api.?key|access.?key|private.?key|authorization"
    r"|credential|cookie|(access|refresh|session|auth|id).?token"
)

_SET = re.compile(r"[:=]\s*[\"']?([^\s\"'&,;<>\\{}()\[\]]{8,})")
"""What stands behind a name and a sign, and may be a password."""

_SETS = re.compile(
    r"(?i)(?:(?:api|access|account|private|secret)[ _-]?key|passw(?:or)?d|passphrase|pwd"
    r"|secret|(?:access|auth|id|refresh|session)[_-]?token)[\"']?\s*\Z"
)
"""The end of what stands before it, where it is one."""

_NAME_MAX = 30

_RUN = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")

_URL = re.compile(r"://[^\s\"'<>]+")

_OPAQUE = re.compile(
    r"(call|chatcmpl|fc|file|item|msg|req|resp|rs|srvtoolu|(?:mcp)?toolu|fp|ctc|mcp|ws|ci|cntr|cmp"
    r"|container)[-_]\w+|[0-9a-f-]{36}"
)
"""Ids that services give, and uuids: random, and no secret."""

_OPAQUE_FIELDS = (
    "signature",
    "encrypted_content",
    "encrypted_index",
    "data",
    "obfuscation",
    "bytes",
    "id",
)

ENTROPY_MIN = 4.2
"""Bits per character from which a long run of characters looks random."""

DEPTH_MAX = 4


def audit_cassette(cassette: Cassette) -> tuple[AuditFinding, ...]:
    """What seems to be secret in a cassette, in the order of the file."""
    found: dict[AuditFinding, None] = {}
    for entry in cassette.entries:
        kind = "exchange" if isinstance(entry, RecordedExchange) else "tool"
        for field, text in _texts(entry):
            for what, shown, sure in _look(text, 0):
                place = f"{kind} {entry.number}"
                found[AuditFinding(place, field, what, shown, sure)] = None
    return tuple(found)


def _texts(entry: Entry) -> Iterator[tuple[str, str]]:
    if isinstance(entry, RecordedTool):
        yield "arguments", entry.arguments
        yield "result", entry.result
        yield "error", entry.error or ""
        return
    request, answer = entry.request, entry.answer
    yield "request.url", request.url
    yield "request.body", request.body
    for headers, of in ((request.headers, "request"), (answer.headers, "answer")):
        for name, value in headers.items():
            yield f"{of}.headers", json.dumps({name: value})
            yield f"{of}.headers", value
    yield "answer.error", answer.error
    if answer.chunks is None:
        yield "answer.body", answer.body
    else:
        yield from (("answer.chunks", text) for text in _together(answer.text))
    if entry.message is not None:
        yield "message", entry.message.content
        yield "message", entry.message.refusal
        yield from (("message", call.arguments) for call in entry.message.tool_calls)


def _together(stream: str) -> Iterator[str]:
    """A stream whole, and what its events carry under each name, one after the other."""
    yield stream
    named: dict[str, list[str]] = {}
    for line in stream.splitlines():
        _before, colon, data = line.partition("data:")
        if colon and (value := _parsed(data)) is not None:
            for name, text in _strings(value, ""):
                # By the name alone, and by its place with what tells texts apart.
                named.setdefault(name, []).append(text)
                marked = f"{name} {_indexes(value)}"
                named.setdefault(marked, []).append(text)
    for name, texts in named.items():
        if len(texts) > 1:
            yield json.dumps(
                {name.partition(" ")[0].rpartition(".")[2]: "".join(texts)}
            )


def _indexes(value: Any) -> str:  # noqa: ANN401 - a JSON value
    if isinstance(value, dict):
        own = [f"{k}{v}" for k, v in value.items() if isinstance(v, int)]
        return " ".join((*own, *map(_indexes, value.values())))
    return " ".join(map(_indexes, value)) if isinstance(value, list) else ""


def _strings(value: Any, name: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _strings(part, f"{name}.{key}")
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part, name)


def _parsed(text: str) -> Any:  # noqa: ANN401 - a JSON value
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _look(text: str, depth: int, name: str = "") -> Iterator[tuple[str, str, Surety]]:
    """Look at a text, and at all that it can be read as."""
    text = PLACEHOLDER.sub(" ", text)
    if not text.strip():
        return
    for what, pattern in _CERTAIN.items():
        for match in pattern.finditer(text):
            yield what, _shown(match[0]), "certain"
    for match in _SET.finditer(text):
        before = text[max(0, match.start() - _NAME_MAX) : match.start()]
        mixed = re.search("[0-9]", match[1]) and re.search("[A-Za-z]", match[1])
        if mixed and _SETS.search(before):
            yield "a password", _shown(match[1]), "certain"
    value = _parsed(text) if text.lstrip()[:1] in ("{", "[", '"') else None
    # Runs in JSON and in streams are looked at field by field.
    if value is None and name not in _OPAQUE_FIELDS and "data:" not in text:
        yield from _random(text)
    if depth == DEPTH_MAX:
        return
    if value is not None:
        yield from _in_json(value, depth + 1)
    if "%" in text and (plain := unquote(text)) != text:
        yield from _look(plain, depth + 1, name)
    if "&" in text and (plain := unescape(text)) != text:
        yield from _look(plain, depth + 1, name)
    if "\\" in text:
        plain = re.sub(r"\\[bfnrt]", " ", text)
        plain = plain.replace("\\/", "/").replace('\\"', '"')
        plain = re.sub(r"\\u00([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), plain)
        if plain != text:
            # Of JSON the runs are looked at field by field, above.
            of = name if value is None else "data"
            yield from _look(plain, depth + 1, of)
    for run in _RUN.findall(text):
        plain = _decoded(run)
        if plain:
            yield from _look(plain, DEPTH_MAX, name)


def _in_json(value: Any, depth: int) -> Iterator[tuple[str, str, Surety]]:  # noqa: ANN401
    if isinstance(value, dict):
        for key, part in value.items():
            secret = isinstance(part, (str, int, float)) and not isinstance(part, bool)
            if secret and _NAMED.search(key) and PLACEHOLDER.sub("", str(part)).strip():
                yield f"a value named {key}"[:60], _shown(str(part)), "certain"
            if isinstance(part, str):
                yield from _look(part, depth, key)
            else:
                yield from _in_json(part, depth)
    elif isinstance(value, list):
        for part in value:
            yield from _in_json(part, depth)
    elif isinstance(value, str):
        yield from _look(value, depth)


def _random(text: str) -> Iterator[tuple[str, str, Surety]]:
    # The path of an address is no run: its parts are looked at one by one.
    for run in _RUN.findall(_URL.sub(lambda url: url[0].replace("/", " "), text)):
        mixed = all(re.search(of, run) for of in ("[a-z]", "[A-Z]", "[0-9]"))
        if mixed and not _OPAQUE.fullmatch(run) and _entropy(run) >= ENTROPY_MIN:
            yield "characters that look random", _shown(run), "possible"


def _entropy(text: str) -> float:
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def _decoded(run: str) -> str:
    raw = run.strip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(raw[: len(raw) // 4 * 4]).decode("utf-8")
    except ValueError:
        return ""


def _shown(secret: str) -> str:
    """How a secret begins: enough to find it, and too little to use it."""
    return f"{ascii(secret[:4])[1:-1]}..."
