"""Replay tokens: one text per run, and a sentence for every text that is none."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentsim.core import TokenError
from agentsim.engine import Replay, Seeded, Token, fingerprint

deviations = st.dictionaries(
    st.integers(0, 999_999_999), st.integers(1, 999_999_999), max_size=8
).map(lambda made: dict(sorted(made.items())))
marks = st.text("0123456789abcdef", min_size=4, max_size=4)


@given(deviations, marks)
@example({17: 2, 31: 1}, "a9f3")
@example({}, "a9f3")
def test_a_token_reads_back(made: dict[int, int], mark: str) -> None:
    """What is written as a token is parsed to the same token."""
    token = Token(made, mark)
    assert Token.parse(str(token)) == token


def test_the_form_is_as_documented() -> None:
    """Deviations, a tilde and the fingerprint; without deviations that alone."""
    assert str(Token({17: 2, 31: 1}, "a9f3")) == "17:2,31:1~a9f3"
    assert str(Token({}, "a9f3")) == "~a9f3"


@given(st.one_of(st.text(max_size=30), st.text("0123456789:,~af ", max_size=20)))
@example("17:2,31:1~a9f3")
def test_a_text_is_a_token_or_a_sentence(text: str) -> None:
    """Any text is either exactly one token's form or a one-line TokenError."""
    try:
        token = Token.parse(text)
    except TokenError as error:
        assert "is not a replay token" in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert str(token) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no '~'"),
        ("17:2", "no '~'"),
        ("17:2~", "four digits"),
        ("17:2~A9F3", "four digits"),
        ("17:2~a9f3\n", "four digits"),
        ("17:2~a9f3~a9f3", "four digits"),
        ("17~a9f3", "'17' is not 'position:value'"),
        ("17:0~a9f3", "'17:0' is not"),
        ("017:1~a9f3", "'017:1' is not"),
        ("17:2,~a9f3", "'' is not"),
        ("٣:1~a9f3", "is not 'position:value'"),
        ("1:" + "9" * 5000 + "~a9f3", "is not 'position:value'"),
        ("31:1,17:2~a9f3", "position 17 comes after 31"),
        ("17:1,17:2~a9f3", "position 17 comes after 17"),
    ],
)
def test_a_malformed_token_says_why(text: str, why: str) -> None:
    """The sentence names the fault, and stays short whatever the text."""
    with pytest.raises(TokenError) as caught:
        Token.parse(text)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 250


def test_the_fingerprint_is_fixed() -> None:
    """The digits are the same on every Python version and hash seed."""
    assert fingerprint("digest", "menu", []) == "be3b"
    assert fingerprint("digest", "menu", [("next a", 2), ("näxt", 3)]) == "e4e0"


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
def test_the_fingerprint_tells_its_parts_apart(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    """Digest and menu can't be shifted into each other unseen (but for a collision)."""
    logs = [[("a", place)] for place in range(4)]
    same = [fingerprint(*one, log) == fingerprint(*other, log) for log in logs]
    assert all(same) == (one == other)


def test_a_token_checks_its_run() -> None:
    """A token fits the run it was made of, and no other scenario, menu or log."""
    first = Seeded(8, 0.6)
    for label in "abcdef":
        first.choose(label, 3)
    token = Token.of(first, scenario_digest="s", menu="m")
    assert token.deviations == first.deviations
    again = Replay(token.deviations)
    for label in "abcdefgh":
        again.choose(label, 3)
    token.check(again, scenario_digest="s", menu="m")
    for digest, menu in (("t", "m"), ("s", "n")):
        with pytest.raises(TokenError, match="another scenario or with other options"):
            token.check(again, scenario_digest=digest, menu=menu)
    other = Replay(token.deviations)
    for label in "xbcdef":
        other.choose(label, 3)
    with pytest.raises(TokenError, match="does not fit"):
        token.check(other, scenario_digest="s", menu="m")
