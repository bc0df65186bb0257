"""What is no JSON is told in the same words, at the same place, on every Python."""

import json
import subprocess
from collections.abc import Callable
from typing import SupportsIndex

import pytest
from hypothesis import given

from agentsim.core import DEPTH_MAX, DIGITS_MAX, find_fault
from tests.core.json_texts import mutated_texts, nested, random_texts, standard, texts
from tests.support.effort import calls_made
from tests.support.environments import ROOT
from tests.support.examples import FEWER
from tests.support.pythons import OTHERS, environment

# A text and what is wrong with it; the place is that of the fault, not of its notice.
FAULTS = {
    "": "the text ends where a value is expected at line 1, column 1",
    " \n ": "the text ends where a value is expected at line 2, column 2",
    "{": "the text ends inside an object at line 1, column 2",
    "[": "the text ends where a value is expected at line 1, column 2",
    "[1": "the text ends inside an array at line 1, column 3",
    '{"a"': "expected ':' after a key at line 1, column 5",
    '{"a":': "the text ends where a value is expected at line 1, column 6",
    '{"a":1': "the text ends inside an object at line 1, column 7",
    '{"a":1,': "the text ends inside an object at line 1, column 8",
    '{"a":1,}': "expected a key in double quotes at line 1, column 8",
    "[1,]": "expected a value at line 1, column 4",
    "[1 2]": "expected ',' or ']' at line 1, column 4",
    '{"a":1 "b":2}': "expected ',' or '}' at line 1, column 8",
    "{a:1}": "expected a key in double quotes at line 1, column 2",
    "{1:1}": "expected a key in double quotes at line 1, column 2",
    "'a'": "a string needs double quotes at line 1, column 1",
    '"a': "the text ends inside a string at line 1, column 3",
    '"a\\': "the text ends inside a string at line 1, column 4",
    '"a\nb"': "a control character inside a string must be escaped at line 1, column 3",
    '"\\x"': "an unknown escape inside a string at line 1, column 2",
    '"\\u12g4"': "\\u needs four hexadecimal digits at line 1, column 2",
    "tru": "expected a value at line 1, column 1",
    "True": "expected a value at line 1, column 1",
    "truex": "unexpected text after the value at line 1, column 5",
    "NaN": "NaN and Infinity are not JSON at line 1, column 1",
    "[\n -Infinity]": "NaN and Infinity are not JSON at line 2, column 2",
    "-": "expected digits at line 1, column 1",
    "+1": "expected a value at line 1, column 1",
    ".5": "expected a value at line 1, column 1",
    "1.": "unexpected text after the value at line 1, column 2",
    "01": "unexpected text after the value at line 1, column 2",
    "1e999": "a number out of range at line 1, column 1",
    "[0,-1e999]": "a number out of range at line 1, column 4",
    '{"a":1,\n"a":2}': 'the key "a" stands twice at line 2, column 1',
    '{"é":1,"\\u00e9":2}': 'the key "\\u00e9" stands twice at line 1, column 8',
    '{"a":{"b":1,"b":2}}': 'the key "b" stands twice at line 1, column 13',
    "{} {}": "unexpected text after the value at line 1, column 4",
    "\ufeff{}": "expected a value at line 1, column 1",
    "\xa01": "expected a value at line 1, column 1",
    nested(101): "nested deeper than 100 levels at line 1, column 101",
    nested(20_000): "nested deeper than 100 levels at line 1, column 101",
    nested(101, kind="{"): "nested deeper than 100 levels at line 1, column 501",
    "[" * 20_000: "nested deeper than 100 levels at line 1, column 101",
    "[-" + "7" * 4_301 + "]": "a number of more than 4300 digits at line 1, column 2",
}
SOUND = [
    *("0", "-0", "1.5e-7", "true", "false", "null", '""', "[]", "{}", " [ 1 , 2 ] "),
    *('{"a":{"a":1}}', '[{"a":1},{"a":1}]', '"\\ud800"', '"\ud800"', '"/\\/\x7f"'),
    *("1e-999", "7" * 4_300, "0." + "7" * 5_000, nested(100), nested(100, kind="{")),
]


@pytest.mark.parametrize(("text", "words"), FAULTS.items(), ids=range(len(FAULTS)))
def test_fault_is_told_in_our_words(text: str, words: str) -> None:
    """Each kind of fault has its sentence and its place."""
    assert find_fault(text) == words


@pytest.mark.parametrize("text", SOUND, ids=range(len(SOUND)))
def test_sound_text_has_no_fault(text: str) -> None:
    """What is strict JSON has no fault, up to the very limits."""
    assert find_fault(text) is None


def refused(text: str) -> bool:
    """Whether the standard parser refuses a text, or reads what R1.11 refuses."""
    try:
        standard(text)
    except ValueError:
        return True
    return False


@FEWER
@given(text=texts())
def test_json_has_no_fault(text: str) -> None:
    """In what the standard library writes, nothing is found."""
    assert find_fault(text) is None


@given(text=mutated_texts())
def test_fault_is_found_exactly_in_what_the_parser_refuses(text: str) -> None:
    """A damaged text has a fault exactly when the standard parser refuses it."""
    assert (find_fault(text) is not None) == refused(text)


@given(text=random_texts)
def test_scanner_agrees_with_the_parser_on_any_text(text: str) -> None:
    """The two agree on texts that were never JSON."""
    assert (find_fault(text) is not None) == refused(text)


def test_repeated_keys_may_be_allowed() -> None:
    """Recorded texts may repeat a key; their other faults are found still."""
    assert find_fault('{"a":1,"a":2}', unique_keys=False) is None
    words = find_fault('{"a":1,"a":}', unique_keys=False)
    assert words == "expected a value at line 1, column 12"


CHILD = """
import json, sys
from agentsim.core import find_fault
print(json.dumps([find_fault(text) for text in json.load(sys.stdin)]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("minor", OTHERS)
def test_faults_are_the_same_on_another_python(minor: str) -> None:
    """Words and places do not depend on the interpreter."""
    child = subprocess.run(
        [environment(minor), "-c", CHILD],
        input=json.dumps([*FAULTS, *SOUND]),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert json.loads(child.stdout) == [*FAULTS.values(), *[None] * len(SOUND)]


class Counted(str):
    """A text that counts the characters that are cut out of it."""

    __slots__ = ()
    cut = 0

    def __getitem__(self, index: SupportsIndex | slice) -> str:
        piece = super().__getitem__(index)
        Counted.cut += len(piece)
        return piece


def effort(text: str) -> int:
    """Calls made and characters copied while a text is searched for its fault."""
    Counted.cut = 0
    calls = calls_made(lambda: find_fault(Counted(text)))
    return calls + Counted.cut


SHAPES: dict[str, Callable[[int], str]] = {
    "array": lambda n: "[" + "1," * n + "1]",
    "object": lambda n: "{" + ",".join(f'"{k:04}":0' for k in range(n)) + "}",
    "arrays": lambda n: "[" + '[{"a":[]}],' * n + "0]",
    "long string": lambda n: '"' + "a" * n + '"',
    "escapes": lambda n: '"' + "\\n\\u0041" * n + '"',
    "unfinished string": lambda n: '"' + "\\n" * n,
    "white space": lambda n: " " * n + "1" + "\n" * n + "x",
    "digits": lambda n: "[" + "1" * n,
    "float": lambda n: "1." + "1" * n,
    "brackets": lambda n: "[" * n,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_search_is_linear(shape: str) -> None:
    """Twice the text takes at most twice the effort, and each character a few steps."""
    once, twice = (effort(SHAPES[shape](size)) for size in (500, 1_000))
    assert twice <= 2 * once + 50
    assert twice <= 20 * len(SHAPES[shape](1_000)) + 50


def test_limits_are_those_of_the_texts_above() -> None:
    """The table above stands at the limits that the package names."""
    assert (DEPTH_MAX, DIGITS_MAX) == (100, 4_300)
