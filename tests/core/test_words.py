from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import did_you_mean, named_error, shown_path

NAMES = st.lists(st.text(max_size=6), max_size=6)


def test_near_name_is_proposed() -> None:
    """A misspelt name leads to the one that was meant."""
    known = ["clean_logs", "check_disk", "check_cpu"]
    assert did_you_mean("chek_disk", known) == "; did you mean 'check_disk'?"


def test_other_case_is_near() -> None:
    """A name that differs in case only is proposed, however short it is."""
    assert did_you_mean("TRUE", ["false", "true"]) == "; did you mean 'true'?"


def test_far_name_is_not_proposed() -> None:
    """Where nothing is near, nothing is said."""
    assert did_you_mean("qqq", ["check_disk"]) == ""
    assert did_you_mean("qqq", []) == ""


@given(word=st.text(max_size=6), known=NAMES)
def test_order_of_names_does_not_matter(word: str, known: list[str]) -> None:
    """The same names in another order give the same sentence."""
    assert did_you_mean(word, known) == did_you_mean(word, reversed(known))


@given(known=NAMES.filter(len))
def test_known_name_is_nearest_to_itself(known: list[str]) -> None:
    """A name that exists is itself the answer, or one that differs in case only."""
    for word in known:
        said = did_you_mean(word, known)
        assert any(
            repr(name) in said for name in known if name.casefold() == word.casefold()
        )


def test_a_path_is_shown_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is elsewhere is shown whole, and so is all once that directory is gone."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    inside, outside = here / "a/b.yaml", tmp_path / "c.yaml"
    assert shown_path(inside) == "a/b.yaml"
    assert shown_path(outside) == str(outside)
    assert shown_path(Path("../c.yaml")) == "../c.yaml"
    here.rmdir()
    assert shown_path(inside) == str(inside)


class Mute(Exception):
    """An error that can't say what it is."""

    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no\n  such place"), "ValueError: no such place"),
        (KeyError(), "KeyError"),
        (Mute(), "Mute"),
    ],
)
def test_an_error_is_named_in_one_line(error: Exception, words: str) -> None:
    """Its class and what it says stand in a sentence of ours, or its class alone."""
    assert named_error(error) == words
