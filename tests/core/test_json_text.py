import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    InvalidArguments,
    canonical_arguments,
    canonical_json,
    find_fault,
    parse_arguments,
    parse_json,
)
from tests.core.json_texts import (
    anything,
    mutated_texts,
    nested,
    random_texts,
    standard,
    texts,
    values,
)
from tests.support.examples import FEWER


@FEWER
@given(text=texts())
def test_json_is_read_as_the_standard_parser_reads_it(text: str) -> None:
    """What is strict JSON has the value that everyone gives it."""
    assert repr(parse_json(text)) == repr(standard(text))


@given(text=mutated_texts() | random_texts)
def test_any_text_is_read_or_its_fault_is_told(text: str) -> None:
    """Reading gives a value, or raises the fault that the scanner finds."""
    fault = find_fault(text)
    if fault is None:
        assert repr(parse_json(text)) == repr(standard(text))
    else:
        with pytest.raises(InvalidArguments) as caught:
            parse_json(text)
        assert str(caught.value) == fault


@FEWER
@given(value=values)
def test_canonical_text_is_read_back(value: object) -> None:
    """Writing and reading again gives the value, to the last bit of a float."""
    assert repr(sort(parse_json(canonical_json(value)))) == repr(sort(value))


def sort(value: object) -> object:
    """The value with the keys of its objects sorted."""
    if isinstance(value, dict):
        return {key: sort(value[key]) for key in sorted(value)}
    return [sort(one) for one in value] if isinstance(value, list) else value


@FEWER
@given(value=values)
def test_canonical_text_is_stable_ascii(value: object) -> None:
    """Canonical text is ASCII, has no white space to spare, and is its own canon."""
    text = canonical_json(value)
    assert text.isascii()
    assert canonical_json(parse_json(text)) == text
    assert json.dumps(parse_json(text), separators=(",", ":")) == text


@FEWER
@given(
    deep=st.integers(90, 110),
    kinds=st.lists(st.booleans(), min_size=1, max_size=3),
    beside=st.lists(st.text('[]{}"\\\u00e9 a'), max_size=3),
)
def test_only_what_is_too_deep_is_refused(
    deep: int, kinds: list[bool], beside: list[str]
) -> None:
    """Brackets that stand side by side or in texts count for nothing, however many."""
    value: object = [[{}, {}], *beside] * 20
    for level in range(deep - 3):
        value = [value, "]"] if kinds[level % len(kinds)] else {'"[': value, "b": "\\"}
    text = json.dumps(value)
    assert (find_fault(text) is None) == (deep <= 100)
    if deep <= 100:
        assert parse_json(text) == value
    else:
        with pytest.raises(InvalidArguments, match="nested deeper than 100 levels"):
            parse_json(text)


@given(items=st.dictionaries(anything, st.integers(), max_size=5), data=st.data())
def test_order_of_keys_does_not_matter(
    items: dict[str, int], data: st.DataObject
) -> None:
    """Equal objects have one text, in whatever order their keys were put in."""
    shuffled = dict(data.draw(st.permutations(list(items.items()))))
    assert canonical_json(shuffled) == canonical_json(items)


@given(left=values, right=values)
def test_different_values_have_different_texts(left: object, right: object) -> None:
    """Texts are equal exactly when the values are, type by type."""
    same = repr(sort(left)) == repr(sort(right))
    assert (canonical_json(left) == canonical_json(right)) == same


def test_big_integers_stay_apart() -> None:
    """No number goes through a float: 2^53 and its successor differ."""
    written = [canonical_arguments(f'{{"n": {2**53 + n}}}') for n in range(3)]
    assert len(set(written)) == 3
    assert parse_arguments('{"n": 9007199254740993}') == {"n": 9007199254740993}


def test_lone_surrogates_are_carried() -> None:
    """Half of a character, as a cut stream leaves it, is kept and not repaired."""
    text = canonical_json({"\udc00": "\ud83d"})
    assert text == '{"\\udc00":"\\ud83d"}'
    assert parse_json(text) == {"\udc00": "\ud83d"}


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        [math.inf],
        {"a": -math.inf},
        json.loads(nested(101)),
        {"n": 10**4300},
    ],
    ids=["nan", "infinity", "minus infinity", "depth", "digits"],
)
def test_value_that_json_cannot_carry_is_refused(value: object) -> None:
    """What could not be read back is not written."""
    with pytest.raises(ValueError, match="JSON can't carry NaN, infinity, a number of"):
        canonical_json(value)


@pytest.mark.parametrize(
    "value", [json.loads(nested(100)), 10**4300 - 1, "7" * 9_000, [[]] * 500]
)
def test_value_at_the_limit_is_written_and_read(value: object) -> None:
    """What is just within the limits goes both ways."""
    assert parse_json(canonical_json(value)) == value


def test_value_that_contains_itself_is_refused() -> None:
    """A circle is refused in our words."""
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="contains itself"):
        canonical_json(circle)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({1, 2}, "JSON can't carry a value of type set"),
        ({"a": b"x"}, "JSON can't carry a value of type bytes"),
        ({(1, 2): 3}, "the keys of a JSON object must be texts"),
        ({"a": 1, 2: 3}, "the keys of a JSON object must be texts"),
    ],
)
def test_foreign_value_is_named(value: object, words: str) -> None:
    """What has no form in JSON is refused with its type, in our words."""
    with pytest.raises(TypeError) as caught:
        canonical_json(value)
    assert str(caught.value) == words


@pytest.mark.parametrize("text", ["", " ", "\t\r\n", "{}", " { } "])
def test_empty_arguments_are_an_empty_object(text: str) -> None:
    """A model that writes nothing asks for no arguments."""
    assert parse_arguments(text) == {}
    assert canonical_arguments(text) == "{}"


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("null", "null"),
        ("true", "a boolean"),
        ("1", "a number"),
        ("1.5", "a number"),
        ('"x"', "a string"),
        ("[]", "an array"),
    ],
)
def test_arguments_must_be_an_object(text: str, got: str) -> None:
    """Other JSON than an object is refused, and stays as it is in its canon."""
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments(text)
    assert str(caught.value) == f"expected a JSON object, got {got}"
    assert canonical_arguments(text) == text


@given(text=mutated_texts() | random_texts)
def test_canonical_arguments_are_stable(text: str) -> None:
    """Canonical arguments are their own canon; what is invalid is not repaired."""
    canon = canonical_arguments(text)
    assert canonical_arguments(canon) == canon
    try:
        parse_arguments(text)
    except InvalidArguments:
        assert canon == text


def test_repeated_key_is_refused_unless_recorded() -> None:
    """Of a key that stands twice a recording's reader takes the last value."""
    with pytest.raises(InvalidArguments, match='the key "a" stands twice'):
        parse_json('{"a":1,"a":2}')
    assert parse_json('{"a":1,"a":2}', unique_keys=False) == {"a": 2}
    with pytest.raises(InvalidArguments, match="out of range"):
        parse_json('{"a":1,"a":1e999}', unique_keys=False)


def test_brackets_in_strings_are_no_depth() -> None:
    """Only brackets that nest count against the depth, however many there are."""
    text = json.dumps(["[" * 500, '\\"[{' * 500, [{"{": []}] * 500])
    assert parse_json(text) == json.loads(text)


@contextmanager
def digits_allowed(digits: int) -> Iterator[None]:
    """Let the interpreter read integers of so many digits; 0 is any number."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(digits)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def test_setting_of_the_interpreter_does_not_widen_the_limit() -> None:
    """An interpreter that reads longer integers refuses the same texts."""
    text = "[" + "7" * 4_301 + "]"
    with digits_allowed(0), pytest.raises(InvalidArguments, match="4300 digits"):
        parse_json(text)


@pytest.mark.parametrize("before", [0, 1, 2_150, 4_299, 4_300, 4_301, 9_000])
def test_too_long_a_number_is_found_wherever_it_stands(before: int) -> None:
    """The first digit too many is one, whatever comes before and behind it."""
    for digits in (4_300, 4_301):
        text = "[" + " " * before + "7" * digits + ", 1]"
        with digits_allowed(0):
            if digits == 4_300:
                assert len(parse_json(text)) == 2
            else:
                with pytest.raises(InvalidArguments, match="4300 digits"):
                    parse_json(text)


def test_narrower_setting_of_the_interpreter_is_told() -> None:
    """An interpreter set to read less than is allowed says so, and does not crash."""
    with digits_allowed(640), pytest.raises(InvalidArguments) as caught:
        parse_json("7" * 641)
    assert str(caught.value) == "more than this interpreter can read"


def test_arguments_read_twice_are_two_values() -> None:
    """What one reader changes in the arguments it got, no other reader sees."""
    parse_arguments('{"a": 1}')["a"] = 2
    assert parse_arguments('{"a": 1}') == {"a": 1}
    parse_arguments('{"a": [1]}')["a"].append(2)
    assert parse_arguments('{"a": [1]}') == {"a": [1]}
