"""YAML comes as plain data with its lines, or as one sentence with its place."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import ScenarioError
from agentsim.plain_yaml import load_yaml, load_yaml_file
from agentsim.plain_yaml.nodes import VALUES_MAX

STORY = """\
# A story
task: Pay invoice 17.
script:
  - call: create_payment
    with: {invoice: 17, amount: "40.00"}
  - say: |
      Paid.
      Twice?
limits:

  deadline_s: 40.00
tools: [read, write,
        mail]
"""


def refusal(text: str) -> str:
    """The sentence with which a text is refused."""
    with pytest.raises(ScenarioError) as caught:
        load_yaml(text, "a.yaml")
    return str(caught.value)


def test_document_is_plain_data() -> None:
    """A file's values are dicts, lists, text and numbers, nothing of PyYAML's."""
    assert load_yaml(STORY, "a.yaml").value == {
        "task": "Pay invoice 17.",
        "script": [
            {"call": "create_payment", "with": {"invoice": 17, "amount": "40.00"}},
            {"say": "Paid.\nTwice?\n"},
        ],
        "limits": {"deadline_s": 40.0},
        "tools": ["read", "write", "mail"],
    }


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("task",), 2),
        (("script",), 3),
        (("script", 0), 4),
        (("script", 0, "with", "amount"), 5),
        (("script", 1, "say"), 6),
        (("limits", "deadline_s"), 11),
        (("tools", 1), 12),
        (("tools", 2), 13),
        # What does not exist has the line of what would hold it.
        (("prompt",), 2),
        (("script", 7), 3),
        (("script", 0, "with", "currency"), 5),
        (("script", 0, "call", "deeper", 1), 4),
        (("script", "call"), 3),
        (("limits", 0), 9),
    ],
)
def test_line_is_that_of_the_key_or_entry(path: Sequence[str | int], line: int) -> None:
    """Each path leads to a line, a missing one to that of its nearest ancestor."""
    document = load_yaml(STORY, "a.yaml")
    assert document.name == "a.yaml"
    assert document.line(path) == line


def test_line_of_an_alias_is_where_it_stands() -> None:
    """An entry by alias has the alias's line, what is inside that of the anchor."""
    document = load_yaml("a: &it\n  b: 1\nc:\n  - *it\n", "a.yaml")
    assert document.value == {"a": {"b": 1}, "c": [{"b": 1}]}
    assert document.line(["c", 0]) == 4
    assert document.line(["c", 0, "b"]) == 2


def test_aliased_values_are_copies() -> None:
    """What comes by alias can be changed without changing what it was copied from."""
    value = load_yaml("a: &it [1]\nb: *it\nc: &it {d: 3}\ne: *it\n", "a.yaml").value
    value["b"].append(2)
    assert value == {"a": [1], "b": [1, 2], "c": {"d": 3}, "e": {"d": 3}}


TEXT = [
    *("on", "off", "yes", "No", "y", "tRue", "none", "nil", "12:30", "190:20:30"),
    *("2024-01-01", "2001-12-14t21:59:43.10-05:00", "1_000", "1,000", "0b11", "007"),
    *("-01", "1.2.3", "0x", "0o8", "1e", ".", "+", "=", "5 %", "-x", ".Nan", "what?"),
]
PLAIN: dict[str, object] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **{text: text for text in TEXT},
    **dict(zip(("0", "-0", "17", "+17", "-17"), (0, 0, 17, 17, -17), strict=True)),
    **dict(zip(("0x1F", "0o17", "1e3", "1."), (31, 15, 1000.0, 1.0), strict=True)),
    **dict(zip(("40.00", "-1.5E-3", ".5"), (40.0, -0.0015, 0.5), strict=True)),
}


@pytest.mark.parametrize("text", PLAIN)
def test_text_without_quotes_means_what_yaml_1_2_says(text: str) -> None:
    """Only true, false, null and numbers are not text (no `on`, no `12:30`)."""
    value = load_yaml(f"a: {text}", "a.yaml").value["a"]
    assert (type(value), value) == (type(PLAIN[text]), PLAIN[text])


@pytest.mark.parametrize("text", PLAIN)
def test_text_in_quotes_is_text(text: str) -> None:
    """Quotes, a block and the tag !!str keep a text from meaning anything else."""
    written = [f'"{text}"', f"'{text}'", f"!!str {text}", f"! {text}"]
    values = load_yaml(
        "".join(f"- {one}\n" for one in written).join(["a:\n", ""]), "a"
    ).value
    assert values == {"a": [text] * 4}
    if text:
        assert load_yaml(f"a: |-\n  {text}\n", "a").value == {"a": text}


# A text and how it is refused: the place, and words that must be in the sentence.
REFUSED = {
    # the file as a whole
    "": ("a.yaml", "the file is empty"),
    "# only a comment\n": ("a.yaml", "the file is empty"),
    "---\n": ("a.yaml", "the file is empty"),
    "\ufeff": ("a.yaml", "the file is empty"),
    "- a\n": ("a.yaml:1:1", "expected fields such as `task: ...`, got a list"),
    "\nhello\n": ("a.yaml:2:1", "got a single value"),
    "a: 1\n---\nb: 2\n": ("a.yaml:2:1", "a second document begins here"),
    # keys
    "a: 1\nb: 2\na: 3\n": ("a.yaml:3:1", "the key 'a' stands twice, first at line 1"),
    "x: {a: 1, 'a': 2}": ("a.yaml:1:11", "the key 'a' stands twice, first at line 1"),
    "1: a": ("a.yaml:1:1", "a key must be text, got '1': put it into quotes"),
    "x:\n  true: a": ("a.yaml:2:3", "a key must be text, got 'true'"),
    "a: 1\n? \n: b": ("a.yaml:2:2", "a key must be text, got nothing"),
    "? [a]\n: b": ("a.yaml:1:3", "a key must be text"),
    "a: &k k\n*k : b": ("a.yaml:2:1", "a key must be text"),
    "a: &b {c: 1}\nd:\n  <<: *b": ("a.yaml:3:3", "merge keys are not read"),
    # values
    "a: !!python/object:os.system x": ("a.yaml:1:4", "the tag !!python/object:os.sys"),
    "a: !!python/object/apply:os.getcwd []": ("a.yaml:1:4", "the tag !!python/object/"),
    "a: !mine {}": ("a.yaml:1:4", "the tag !mine is not read"),
    "a: !!int '5'": ("a.yaml:1:4", "the tag !!int is not read"),
    "a: .nan": ("a.yaml:1:4", ".nan can't be used as a number"),
    "a: -.INF": ("a.yaml:1:4", "-.INF can't be used as a number"),
    "a: 1e999": ("a.yaml:1:4", "a number out of range: put it into quotes"),
    "a: " + "7" * 4_301: ("a.yaml:1:4", "a number of more than 4300 digits"),
    "a: 0x" + "f" * 4_000: ("a.yaml:1:4", "a number of more than 4300 digits"),
    "a: *b": ("a.yaml:1:4", "the alias *b has no anchor &b before it"),
    "a: &b [*b]": ("a.yaml:1:8", "the alias *b stands inside of its own anchor"),
    "a: \x00": ("a.yaml:1:4", "the character U+0000 can't stand in YAML"),
    "a: 1\nb: \ud800": ("a.yaml:2:4", "the character U+D800 can't stand in YAML"),
    "a: \x1b[0m": ("a.yaml:1:4", "the character U+001B can't stand in YAML"),
    # tabs
    "a:\n\tb: 1": ("a.yaml:2:1", "a tab stands here: indent with spaces"),
    "a:\n  \tb: 1": ("a.yaml:2:3", "a tab stands here: indent with spaces"),
    "a: |\n  b\n \tc": ("a.yaml:3:2", "a tab stands here: indent with spaces"),
    # structure
    "a: b: c": ("a.yaml:1:5", "a ':' can't stand here: put a text that contains ': '"),
    "a\nb: 1": ("a.yaml:2:2", "a ':' can't stand here"),
    "a: 1\n  b: 2": ("a.yaml:2:4", "a ':' can't stand here"),
    "a: 1\nb\nc: 1": ("a.yaml:2:1", "this line has no ':' behind its key"),
    "a: 'x": ("a.yaml:1:4", "the quoted text that begins here has no end"),
    'a: 1\nb: "x\n': ("a.yaml:2:4", "the quoted text that begins here has no end"),
    'a: "\\q"': ("a.yaml:1:5", "an unknown escape"),
    'a: "\\ud800"': ("a.yaml:1:7", "an unknown escape"),
    "a: {b:?": ("a.yaml:1:6", "a ':' can't stand here: put a text that contains ':'"),
    "a: !e!b c": ("a.yaml:1:4", "a text can't begin with '!'"),
    "a: [1, 2\nb: 3": (
        "a.yaml:1:4",
        "the list that begins here lacks a ',' or its ']'",
    ),
    "a: {b: 1\nc: 2": ("a.yaml:1:4", "the mapping that begins here lacks a ',' or its"),
    "a: @b": (
        "a.yaml:1:4",
        "a text can't begin with this character: put it into quotes",
    ),
    "a: `b`": ("a.yaml:1:4", "a text can't begin with this character"),
    "a: % b": ("a.yaml:1:4", "a text can't begin with this character"),
    "a: *": ("a.yaml:1:4", "a text can't begin with '*' or '&'"),
    "a: &": ("a.yaml:1:4", "a text can't begin with '*' or '&'"),
    "a: !<b": ("a.yaml:1:4", "a text can't begin with '!'"),
    "%YAML x\n---\na: 1": ("a.yaml:1:1", "a text can't begin with '%'"),
    "a: |3x\n b": ("a.yaml:1:6", "behind '|' or '>' the line must end"),
    "a: ]": ("a.yaml:1:4", "a value was expected here"),
    "[a] b": ("a.yaml:1:5", "a second value stands behind the end of the first"),
    "a:\n    b: 1\n  c: 2": ("a.yaml:3:3", "expected a key here: mend the indentation"),
    'a: "b" c': ("a.yaml:1:8", "expected a key here"),
    "a: b\n- c": ("a.yaml:2:1", "expected a key here"),
    "- a\nb: 1": ("a.yaml:2:1", "expected a '- ' here: mend the indentation"),
    "a: - b": ("a.yaml:1:4", "a '-' or '?' can't stand here"),
    "%YAML 2.0\n---\na: 1": ("a.yaml:1:1", "this is YAML of another version"),
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_fault_is_told_in_one_sentence_with_its_place(text: str) -> None:
    """Each refusal begins with file, line and column, and says what to do."""
    place, words = REFUSED[text]
    sentence = refusal(text)
    assert sentence.startswith(f"{place}: ")
    assert words in sentence
    assert "\n" not in sentence
    assert sentence.isprintable()


# What the reader in Python takes, or refuses elsewhere.
OTHERWISE = ['a: "\\ud800"', 'a: "\\q"', "a: {b:?"]


@pytest.mark.parametrize("text", [text for text in REFUSED if text not in OTHERWISE])
def test_fault_is_the_same_without_libyaml(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where PyYAML comes without its C part, the same is refused in the same words."""
    sentence = refusal(text)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert refusal(text) == sentence


def test_escape_beyond_unicode_is_refused_without_libyaml(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A number that is no character does not leave the reader in Python as it is."""
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    for digits in ("FFFFFFFF", "00110000"):
        sentence = refusal(f'a: 1\nb: "\\U{digits}"')
        assert sentence == "a.yaml:2:7: an escape that is no character"


def test_story_is_the_same_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML comes without its C part, the same is read, with the same lines."""
    fast = load_yaml(STORY, "a.yaml")
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    slow = load_yaml(STORY, "a.yaml")
    assert slow.value == fast.value
    for path in [("script", 1, "say"), ("limits", "deadline_s"), ("tools", 2)]:
        assert slow.line(path) == fast.line(path)


def test_aliases_can_not_blow_up() -> None:
    """A billion laughs are refused where the values get too many, in no time."""
    lines = [f"a0: &a0 [{', '.join('x' * 10)}]"]
    lines += [f"a{n}: &a{n} [{f'*a{n - 1}, ' * 10}]" for n in range(1, 30)]
    assert refusal("\n".join(lines)).startswith("a.yaml:5:")
    assert f"may hold {VALUES_MAX} values" in refusal("\n".join(lines))


def test_aliases_can_not_nest_without_end() -> None:
    """A chain of aliases nests no deeper than brackets may."""
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200)]
    assert refusal("\n".join(lines)) == "a.yaml:100:12: nested deeper than 100 levels"


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 20_000,
        "a: " + "{a: " * 20_000,
        "a:\n" + "- " * 20_000,
        "".join(f"{' ' * n}a:\n" for n in range(1_000)),
    ],
    ids=["lists", "mappings", "entries", "fields"],
)
def test_depth_is_bounded(text: str) -> None:
    """However a text nests, it is refused for it, and not by a limit of Python."""
    assert "nested deeper than 100 levels" in refusal(text)


def test_depth_of_a_hundred_is_read() -> None:
    """The bound is exact: the mapping and 99 lists in it are read, one more is not."""
    inside = load_yaml("a: " + "[" * 99 + "]" * 99, "a.yaml").value["a"]
    assert json.dumps(inside) == "[" * 99 + "]" * 99
    assert "nested deeper" in refusal("a: " + "[" * 100 + "]" * 100)


def test_byte_order_mark_and_line_ends_of_windows_are_taken() -> None:
    """A file that an editor on Windows saved is read, and its lines are right."""
    document = load_yaml("\ufeff" + STORY.replace("\n", "\r\n"), "a.yaml")
    assert document.value == load_yaml(STORY, "a.yaml").value
    assert document.line(["tools", 2]) == 13


def test_tabs_are_fine_where_they_do_not_indent() -> None:
    """A tab inside of a text is kept, and between two values it is space."""
    value = load_yaml('a: "x\ty"\nb: |\n  x\ty\nc: x\ty\nd:\t[1,\t2]\n', "a.yaml").value
    assert value == {"a": "x\ty", "b": "x\ty\n", "c": "x\ty", "d": [1, 2]}


KEYS = st.text(st.characters(), max_size=3)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=6,
)


@given(value=st.dictionaries(KEYS, VALUES, min_size=1, max_size=3))
def test_json_in_ascii_is_read_as_it_is(value: dict[str, object]) -> None:
    """JSON is YAML: a file of it gives the same data."""
    text = json.dumps(value, indent=1)
    if re.search(r"\\ud[89a-f]", text):
        return  # YAML joins no two escapes into one character
    assert load_yaml(text, "a.yaml").value == value


@given(value=st.dictionaries(KEYS, st.lists(st.integers(), max_size=3), max_size=4))
def test_line_of_each_entry_is_found(value: dict[str, list[int]]) -> None:
    """In a file with an entry a line, each path leads to the line it was written on."""
    lines = ["first: 0"]
    wanted = {}
    for number, (key, items) in enumerate(value.items()):
        name = f"{number}{key.encode('unicode_escape')!r}"
        lines += [f"{json.dumps(name)}:", *(f"  - {item}" for item in items)]
        wanted[name] = len(lines) - len(items)
    document = load_yaml("\n".join(lines), "a.yaml")
    for (name, line), items in zip(wanted.items(), value.values(), strict=True):
        assert document.line([name]) == line
        assert [document.line([name, n]) for n in range(len(items))] == list(
            range(line + 1, line + 1 + len(items))
        )


def outcome(text: str) -> str:
    """What becomes of a text; anything but data and a scenario error comes out."""
    try:
        value = load_yaml(text, "a.yaml").value
    except ScenarioError as error:
        sentence = str(error)
        assert sentence.startswith("a.yaml:")
        assert "\n" not in sentence
        return sentence
    return repr(value)


PIECES = st.sampled_from(
    [
        *":-?[]{},&*!|>'\"%@`#\\~ \n\t",
        *("\r\n", "a", "b: ", "- ", "---", "...", "<<", "*a", "&a ", "!!str ", "!x "),
        *("\x00", "\x85", "\u2028", "\ufeff", "\ud800", "7", '"\\U', "FFFFFFFF"),
    ]
)


@given(text=st.lists(PIECES, max_size=15).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever is written, data comes out or one sentence, and so without libyaml."""
    fast = outcome(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", False)
        slow = outcome(text)
    assert fast == slow or "a.yaml:" in fast + slow


@given(data=st.data())
def test_damaged_story_is_read_or_refused(data: st.DataObject) -> None:
    """A good file with a piece exchanged is read, or refused in one sentence."""
    start = data.draw(st.integers(0, len(STORY)))
    end = data.draw(st.integers(start, min(len(STORY), start + 20)))
    outcome(STORY[:start] + data.draw(PIECES) + STORY[end:])


@given(content=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file of any bytes gives data or a scenario error, never another one."""
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(content)
    with suppress(ScenarioError):
        assert isinstance(load_yaml_file(path).value, dict)


def file_refusal(path: Path) -> str:
    """The sentence with which a file is refused, without its folder."""
    with pytest.raises(ScenarioError) as caught:
        load_yaml_file(path)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_file_is_read(tmp_path: Path) -> None:
    """A file gives what its text gives, under the name it was asked for by."""
    path = tmp_path / "story.yaml"
    path.write_text(STORY, encoding="utf-8")
    document = load_yaml_file(path)
    assert document.value == load_yaml(STORY, "a.yaml").value
    assert document.name == str(path)


def test_missing_file_is_told_with_its_neighbour(tmp_path: Path) -> None:
    """A misspelt name leads to the file that was meant, if there is one."""
    (tmp_path / "story.yaml").write_text(STORY, encoding="utf-8")
    sentence = file_refusal(tmp_path / "stroy.yaml")
    assert sentence == ("stroy.yaml: there is no such file; did you mean 'story.yaml'?")
    assert file_refusal(tmp_path / "no" / "a.yaml") == "a.yaml: there is no such file"


def test_directory_is_no_file(tmp_path: Path) -> None:
    """A directory is refused as one."""
    (tmp_path / "folder").mkdir()
    assert file_refusal(tmp_path / "folder") == (
        "folder: this is a directory: name one file in it"
    )


class Unreadable(type(Path())):  # type: ignore[misc]  # the class of this system's paths
    """A path whose file can't be read, for a reason that a test chooses."""

    reason: OSError

    def read_bytes(self) -> bytes:
        raise self.reason


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (PermissionError(13, "x"), "this file may not be read: check its permissions"),
        (OSError(5, "x"), "this file can't be read (EIO)"),
        (OSError("x"), "this file can't be read (not a path)"),
    ],
)
def test_unreadable_file_is_told_in_our_words(reason: OSError, words: str) -> None:
    """Why a file can't be read is said without the system's own text."""
    path = Unreadable("a.yaml")
    path.reason = reason
    with pytest.raises(ScenarioError) as caught:
        load_yaml_file(path)
    assert str(caught.value) == f"a.yaml: {words}"


def test_impossible_path_is_refused() -> None:
    """A name that no file can have is a scenario error too."""
    with pytest.raises(ScenarioError):
        load_yaml_file(Path("a\x00.yaml"))
    with pytest.raises(ScenarioError, match="ENAMETOOLONG"):
        load_yaml_file(Path("a" * 5_000))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"task: caf\xe9", "1:10"),
        (b"a: 1\nb: \xff\xfe", "2:4"),
        ("a: 1".encode("utf-16"), "1:1"),
        (b"a: \xed\xa0\x80", "1:4"),
    ],
)
def test_file_that_is_not_utf_8_is_refused(
    tmp_path: Path, content: bytes, place: str
) -> None:
    """A file in another encoding is told with the place of its first foreign byte."""
    path = tmp_path / "a.yaml"
    path.write_bytes(content)
    assert file_refusal(path) == (
        f"a.yaml:{place}: this is not UTF-8: save the file as UTF-8 text"
    )


def test_binary_file_is_refused(tmp_path: Path) -> None:
    """A file with zero bytes is no YAML."""
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\x7fELF\x00\x00")
    assert "the character U+007F can't stand in YAML" in file_refusal(path)
