"""Nothing secret gets into a cassette, and nothing else is changed."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentsim.cassettes import (
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
)
from agentsim.cassettes.redaction import RedactionRules, Redactor
from agentsim.cassettes.redaction.patterns import STANDARD, SecretPattern, own_patterns
from agentsim.cassettes.redaction.spans import Finder
from agentsim.cassettes.redaction.views import (
    unescaped,
    unescaped_view,
    unquoted,
    unquoted_view,
)
from agentsim.cassettes.redaction.words import Words
from agentsim.cassettes.writing import document_text
from agentsim.core import CassetteError
from benchmarks.rounds import seconds
from tests.cassettes.drawing import AWKWARD, texts
from tests.cassettes.planted import HOMES, PLACES, SECRETS, Entry, answered, events
from tests.support.examples import FEWER
from tests.support.source import ROOT

RULES = RedactionRules(patterns=["ACME-[0-9]+"], values=["corge grault 17"])

EXCHANGES = ROOT.parent / "shared" / "real-exchanges" / "exchanges.jsonl"

TRIES = 20
"""A busy machine may take its time, but not always: one try has to be undisturbed."""

MARK = re.compile(r"__REDACTED_[A-Z]+_\d+__")


def redacted(entry: Entry, redactor: Redactor | None = None) -> Entry:
    """An entry as a recording keeps it."""
    redactor = redactor or Redactor(RULES)
    if isinstance(entry, RecordedTool):
        return redactor.tool(entry)
    return redactor.exchange(entry)


def hidden_texts(entry: Entry) -> str:
    """All that a searcher can make of an entry, by other means than the redactor's."""
    found = document_text(entry)
    if isinstance(entry, RecordedExchange):
        found += entry.answer.text
    for _ in range(3):
        found += unquote(found) + re.sub(
            r"\\u([0-9a-f]{4})|\\(.)", lambda m: m[2] or chr(int(m[1], 16)), found
        )
    strings = re.findall(
        r'"(?:content|arguments|partial_json|delta)": "([^"\\]*)"', found
    )
    found += "".join(strings)
    for run in re.findall("[A-Za-z0-9+/]{16,}={0,2}", found):
        found += base64.b64decode(run[: len(run) // 4 * 4]).decode("utf-8", "replace")
    return found


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_left_in_any_place(place: str) -> None:
    """In every kind of place each kind of secret is found, whatever it is coded in."""
    for secret in SECRETS.values():
        before = PLACES[place](secret)
        if place != "header that is not kept":
            assert secret in hidden_texts(before), "the search must be able to find it"
            assert MARK.search(document_text(redacted(before)))
        assert secret not in hidden_texts(redacted(before)), secret


@pytest.mark.parametrize("wire", ["chat", "arguments", "responses", "anthropic"])
def test_a_secret_that_is_cut_anywhere_is_found(wire: str) -> None:
    """Cut over two events, and the stream over two chunks, at every position."""
    for secret in SECRETS.values():
        for at in range(1, len(secret)):
            stream = events("See ", secret[:at], secret[at:], ".", wire=wire)
            cut = stream.index(json.dumps(secret[at:])[1:-1]) - (at % 9)
            chunks = (RecordedChunk(1, stream[:cut]), RecordedChunk(2, stream[cut:]))
            found = redacted(answered(chunks=chunks))
            assert isinstance(found, RecordedExchange)
            assert secret not in hidden_texts(found)
            assert len(MARK.findall(found.answer.text)) == 1
            for line in found.answer.text.split("\n\n")[:-1]:
                json.loads(line.removeprefix("data: "))


def test_a_secret_in_one_event_is_found_whatever_chunks_cut_it() -> None:
    """Chunks cut at every byte of a stream, in the middle of a character too."""
    secret = SECRETS["key of OpenAI"]
    stream = events(f"Caf\u00e9 {secret}.").encode()
    stream = stream.replace(b"\\u00e9", "\u00e9".encode())
    redactor = Redactor()
    for at in range(len(stream)):
        pieces = (stream[:at], stream[at:])
        chunks = [
            RecordedChunk(0, p.decode("utf-8", "surrogateescape")) for p in pieces
        ]
        found = [
            one.text.encode("utf-8", "surrogateescape")
            for one in redactor.chunks(chunks)
        ]
        whole = b"".join(found)
        assert whole == stream.replace(secret.encode(), b"__REDACTED_KEY_1__")
        assert found[0] == whole[: len(found[0])]


def test_equal_secrets_have_equal_placeholders() -> None:
    """Over a whole cassette a secret keeps its placeholder, which does not tell its length."""
    redactor = Redactor()
    one, two = SECRETS["key of OpenAI"], SECRETS["key of Anthropic"]
    assert redactor.text(f"{one} {two} {one}") == (
        "__REDACTED_KEY_1__ __REDACTED_KEY_2__ __REDACTED_KEY_1__"
    )
    tool = redactor.tool(RecordedTool(1, "t", arguments=json.dumps({"key": two})))
    assert tool.arguments == '{"key": "__REDACTED_KEY_2__"}'
    chunks = [RecordedChunk(1, events(one[:9], one[9:]))]
    assert "__REDACTED_KEY_1__" in redactor.chunks(chunks)[0].text


def test_what_was_redacted_is_left_alone() -> None:
    """Redacting twice is redacting once, and numbers in a text are not given again."""
    secret = SECRETS["key of OpenAI"]
    once = Redactor().text(f"{secret} a@b.example")
    assert Redactor().text(once) == once
    assert (
        Redactor().text(f"{once} {SECRETS['key of AWS']}")
        == f"{once} __REDACTED_KEY_2__"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"password": "a\\"b"}', '{"password": "__REDACTED_PASSWORD_1__"}'),
        ('{"dbPassword":1234}', '{"dbPassword":"__REDACTED_PASSWORD_1__"}'),
        (
            '{"a": "{\\"password\\": 12}"}',
            '{"a": "{\\"password\\": \\"__REDACTED_PASSWORD_1__\\"}"}',
        ),
        ("OPENAI_API_KEY=abc12345x ok", "OPENAI_API_KEY=__REDACTED_PASSWORD_1__ ok"),
        ("https://me:pw1@localhost/", "https://__REDACTED_PASSWORD_1__@localhost/"),
        (f"{HOMES}jane/x.py", "__REDACTED_HOME_1__/x.py"),
        ("C:\\Users\\jane\\x", "__REDACTED_HOME_1__\\x"),
        ('{"max_tokens": 12}', '{"max_tokens": 12}'),
        ('{"token": "Paris"}', '{"token": "Paris"}'),
        ("the password: ask the user", "the password: ask the user"),
        ("basic understanding, Basic authentication.",) * 2,
        ("a bearer well-mannered enough",) * 2,
        ("Basic dXNlcjpwYXNz", "Basic __REDACTED_TOKEN_1__"),
        ("bearer abcdefgh1", "bearer __REDACTED_TOKEN_1__"),
        ("redis://:pw1@cache/0", "redis://__REDACTED_PASSWORD_1__@cache/0"),
        (
            "/a?token=abc&api_key=d",
            "/a?token=__REDACTED_TOKEN_1__&api_key=__REDACTED_TOKEN_2__",
        ),
        ("/a?page=2&page_token=abc&keys=1", "/a?page=2&page_token=abc&keys=1"),
        ("Bearer " + "abcdefg" * 4, "Bearer __REDACTED_TOKEN_1__"),
        (
            "Authorization: token " + "abc12" * 4,
            "Authorization: token __REDACTED_TOKEN_1__",
        ),
        ("git clone git@github.com:a/b.git",) * 2,
        ("the token sequence_number_2024_value",) * 2,
        ("the token chatcmpl is counted", "the token chatcmpl is counted"),
        ("x --api-key abcd1234 -v", "x --api-key __REDACTED_PASSWORD_1__ -v"),
        ("x --password --host abcd1234", "x --password --host abcd1234"),
        ("AccountKey=abcd1234==;x", "AccountKey=__REDACTED_PASSWORD_1__;x"),
        ("<Password>a1</Password>", "<Password>__REDACTED_PASSWORD_1__</Password>"),
        ("c:\\users\\jane\\x", "__REDACTED_HOME_1__\\x"),
        ("http://users/jane", "http://users/jane"),
        ("projects/-home-jane-app/x", "projects/__REDACTED_HOME_1__-app/x"),
        ("an at-home-office, -home-page", "an at-home-office, -home-page"),
        (
            f"hooks.slack.com/services/T0/B0/{'aB3d' * 6}",
            "hooks.slack.com/services/T0/B0/__REDACTED_KEY_1__",
        ),
        (f"/bot1234567:{'aB3d' * 8}/getMe", "/bot1234567:__REDACTED_KEY_1__/getMe"),
        (
            "a=-----BEGIN+PRIVATE+KEY-----%0Ax%0A-----END+PRIVATE+KEY-----",
            "a=__REDACTED_KEY_1__",
        ),
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----.",
            "__REDACTED_KEY_1__.",
        ),
        (
            "p=%7B%22password%22%3A+%22hunter2%22%2C+%22pin%22%3A+1%7D",
            "p=%7B%22password%22%3A+%22__REDACTED_PASSWORD_1__%22%2C+%22pin%22%3A+1%7D",
        ),
        (
            "{&quot;password&quot;: &quot;hunter2&quot;, &#34;a&#34;: 1}",
            "{&quot;password&quot;: &quot;__REDACTED_PASSWORD_1__&quot;, &#34;a&#34;: 1}",
        ),
        ("/x?a=1&amp;sig=ab%3D&amp;b=2", "/x?a=1&amp;sig=__REDACTED_TOKEN_1__&amp;b=2"),
        ("h=Bearer+" + "ab12" * 4, "h=Bearer+__REDACTED_TOKEN_1__"),
        ("sk-" + "aBcD" * 8, "__REDACTED_KEY_1__"),
        ("a task-force of skills, 3 @ 4 km", "a task-force of skills, 3 @ 4 km"),
        ('{ "a" :\t1 }', '{ "a" :\t1 }'),
    ],
)
def test_texts_are_redacted_as_people_expect(before: str, after: str) -> None:
    """What is secret by its name or form goes, in place; all else stays byte for byte."""
    assert Redactor().text(before) == after


@given(texts)
def test_any_text_can_be_redacted(text: str) -> None:
    """No text breaks the redactor, and what it gives can be redacted no further."""
    once = Redactor(RULES).text(text)
    assert Redactor(RULES).text(once) == once


NEAR = (
    *(
        "\n",
        '"',
        "\\",
        "\\\\",
        "\u00e9",
        "\u2028",
        "/",
        " ",
        ":",
        "=",
        "n",
        "u00e9",
        "@",
    ),
    *("password", "token", "{", "}", "-----BEGIN PRIVATE KEY-----", "Users", "C:"),
    *SECRETS.values(),
)
"""What may stand beside a secret, and the secrets."""


HINTS = (
    *("Bearer ", "basic ", "client_secret", "Access-Key-ID", "credentials", "api", "_"),
    *(
        "token",
        "key",
        ": ",
        "= ",
        "'",
        "://",
        "user:",
        "pw1",
        "@host.org",
        "?sig=",
        "&",
    ),
    *("%40", "%22", "\\u0040", "\\u005c", "\\/", HOMES, "Users\\\\", "sk-", "AKIA"),
    *("eyJ", "a1b2c3d4e5f6", "x", ".", "*", "\u017f", "\ud83d", "}, {", "12.5"),
    base64.b64encode(SECRETS["token of GitHub"].encode()).decode(),
)
"""Pieces of what tells secrets."""

near = st.lists(st.sampled_from((*NEAR, *HINTS)), max_size=9).map("".join)


def searched_through(*rules: SecretPattern) -> Finder:
    """A finder that goes by no hints: it searches each text for each pattern."""
    blunt = tuple(replace(one, hint=None, ends=()) for one in rules)
    finder = Finder(blunt)
    finder._words = Words(blunt, lambda _word: True)
    return finder


@FEWER
@given(st.lists(near, max_size=3))
def test_what_is_known_of_words_changes_no_result(parts: list[str]) -> None:
    """A history that grows is redacted as if each text was searched through anew."""
    rules = (*own_patterns(["ACME-[0-9]+"], ["corge"]), *STANDARD)
    known = Finder(rules)
    for count in range(1, len(parts) + 1):
        text = json.dumps({"a": parts[:count]}, ensure_ascii=False)
        assert known.spans(text) == searched_through(*rules).spans(text)
    for text in parts:
        assert known.spans(text) == searched_through(*rules).spans(text)


BEGINNINGS = (
    *(
        "sk-",
        "sk_live_",
        "pk_test_",
        "rk_live_",
        "gho_",
        "ghp_",
        "ghr_",
        "ghs_",
        "ghu_",
    ),
    *(
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "xapp-",
        "AKIA",
        "ASIA",
        "AROA",
        "AIDA",
    ),
    *(
        "AIza",
        "ya29.",
        "hf_",
        "gsk_",
        "xai-",
        "r8_",
        "npm_",
        "pypi-",
        "nvapi-",
        "tvly-",
    ),
    *("pplx-", "dop_v1_", "lsv2_", "SG.Q3EGRZ7XPLM2.", "xoxc-", "xoxd-", "GOCSPX-"),
    *("whsec_", "hvs.", "shpat_", "lin_api_", "figd_", "ntn_", "e2b_", "fw_", "pul-"),
    *("dapi", "dp.pt.", "AGE-SECRET-KEY-1", "SK"),
)

_OF_HEX = ("dop_v1_", "e2b_", "pul-")
_OF_32 = ("dapi", "SK")

NAMED = (
    *("api_key", "apikey", "API-Key", "access_key", "AccessKeyId", "access-key-id"),
    *(
        "secret",
        "client_secret",
        "secretKey",
        "secret_access_key",
        "passwd",
        "password",
    ),
    *("passphrase", "pwd", "Authorization", "credential", "credentials", "private_key"),
    *("access_token", "authToken", "bearer-token", "csrf_token", "id_token", "cookie"),
    *("refresh_token", "session_token", "db_password", "x-api-key", "set-cookie"),
)


def test_every_beginning_and_name_is_known_by_its_words() -> None:
    """No key is passed because its beginning is no hint, and no password for its name."""
    blunt = searched_through(*STANDARD)
    for first in BEGINNINGS:
        rest = "0123456789abcdef" * (3 if first in _OF_HEX else 2)
        key = first + (rest if first in (*_OF_HEX, *_OF_32) else "Q3EGRZ7XPLM2" * 3)
        assert Redactor().text(f"a {key}.") == "a __REDACTED_KEY_1__."
        assert Finder(STANDARD).spans(key) == blunt.spans(key)
    for name in NAMED:
        for text in (f'{{"{name}": "x"}}', f'{{"{name}":12}}', f"{name}=abcdef1234"):
            assert "__REDACTED_PASSWORD_1__" in Redactor().text(text), text
            assert Finder(STANDARD).spans(text) == blunt.spans(text)


@given(st.lists(st.sampled_from((*AWKWARD, *HINTS, "\\", "\\\\")), max_size=9))
def test_escapes_are_undone_the_same_with_and_without_the_way_back(
    parts: list[str],
) -> None:
    """The fast way gives the text of the view."""
    text = "".join(parts)
    assert unescaped(text) == unescaped_view(text).text
    assert unquoted(text) == unquoted_view(text).text


@pytest.mark.parametrize(
    "end", ['"password":', '"password" : ', "password%22:", '"key":']
)
def test_a_name_at_the_end_of_a_text_takes_nothing_that_follows(end: str) -> None:
    """Quotes of a text and quotes of the JSON about it are not those of one value."""
    body = json.dumps({"messages": [{"content": f"say {end}"}, {"content": "x"}]})
    for text in (body, json.dumps({"a": body})):
        assert Redactor().text(text) == text


@FEWER
@given(
    st.lists(st.sampled_from(NEAR), max_size=6).map("".join),
    st.lists(st.sampled_from(NEAR), max_size=6).map("".join),
    st.booleans(),
)
@example(one="", two=f"\n{SECRETS['address']}", ascii_only=False)
@example(one="", two=f"\u00e9{HOMES}jane", ascii_only=True)
def test_json_stays_json(one: str, two: str, ascii_only: bool) -> None:
    """Whatever stands beside a secret, what was JSON can be read, at every depth."""
    inner = json.dumps({one: two, "password": two}, ensure_ascii=ascii_only)
    body = json.dumps({"arguments": inner}, ensure_ascii=ascii_only)
    redactor = Redactor(RULES)
    for text in (body, redactor.text(body), Redactor(RULES).text(body)):
        json.loads(json.loads(text)["arguments"])
    stream = f"data: {json.dumps({'a': one, 'b': two})}\n\ndata: {body}\n\n"
    (chunk,) = redactor.chunks([RecordedChunk(1, stream)])
    for line in chunk.text.split("\n\n")[:-1]:
        json.loads(line.removeprefix("data: "))


@given(st.lists(st.binary(max_size=9), max_size=5), st.integers(0, 3))
def test_any_stream_can_be_redacted(pieces: list[bytes], times: int) -> None:
    """Chunks of any bytes stay as many, and what is not secret comes back as it was."""
    chunks = [
        RecordedChunk(n, one.decode("utf-8", "surrogateescape"))
        for n, one in enumerate(pieces * times)
    ]
    found = Redactor().chunks(chunks)
    assert [one.at_ms for one in found] == [one.at_ms for one in chunks]
    if not any(MARK.search(one.text) for one in found):
        assert list(found) == chunks


@pytest.mark.parametrize(
    "piece", ["sk-", "a@", "password=", "://a", '\\"', "C:\\Users\\"]
)
def test_no_text_takes_long(piece: str) -> None:
    """What seems to begin a secret everywhere is gone through in the time of its length.

    Eight times the text takes 8 times as long, not 64 times.
    """

    def gone_through(count: int) -> Callable[[], object]:
        return lambda: Redactor().text(piece * count)

    times = [inf]
    while min(times) > 30 and len(times) <= TRIES:
        short_s, long_s = seconds(
            gone_through(400), gone_through(3_200), times=1, rounds=1
        )
        times.append(long_s / short_s)
    assert min(times) < 30


def test_a_pattern_that_is_none_is_told() -> None:
    """A wrong pattern of one's own is one sentence that shows it."""
    with pytest.raises(CassetteError, match="no regular expression: mend it"):
        Redactor(RedactionRules(patterns=["("]))


@pytest.mark.slow
@pytest.mark.skipif(
    not EXCHANGES.exists(), reason="../shared/real-exchanges is missing"
)
def test_real_exchanges_stay_as_they_are() -> None:
    """Of real answers nothing changes but addresses, and JSON stays JSON."""
    changed = []
    for line in Path(EXCHANGES).read_text("utf-8").splitlines()[::3]:
        row = json.loads(line)
        redactor = Redactor()
        body = json.dumps(row["request"])
        answer = row["response"]
        text = answer if isinstance(answer, str) else json.dumps(answer)
        found = redactor.exchange(
            RecordedExchange(
                1,
                RecordedRequest(body=body),
                RecordedAnswer(chunks=(RecordedChunk(1, text),)),
            )
        )
        json.loads(found.request.body)
        for event in re.findall("^data: ({.*)$", found.answer.text, re.MULTILINE):
            json.loads(event)
        if (found.request.body, found.answer.text) != (body, text):
            changed.append(
                (row["id"], MARK.findall(found.request.body + found.answer.text))
            )
    assert {mark for _, marks in changed for mark in marks} <= {
        "__REDACTED_EMAIL_1__",
        "__REDACTED_EMAIL_2__",
    }
    assert len(changed) <= 2, changed
