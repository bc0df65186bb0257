"""A place in a JSON text is found at its line, whatever surrounds it."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentsim.providers.transcripts import source
from tests.providers.transcripts.conversations import FEW

KEYS = st.text('a\\"{[ ', max_size=2)

ANY = st.recursive(
    st.none() | st.integers() | KEYS,
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)


def places(value: Any) -> Iterator[tuple[str | int, ...]]:  # noqa: ANN401 - any JSON
    """All paths into a value."""
    yield ()
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield from ((key, *rest) for rest in places(inner))


def marked(value: Any, path: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - any JSON
    """A copy of a value with `@` in one place."""
    if not path:
        return "@"
    copy = value.copy()
    copy[path[0]] = marked(value[path[0]], path[1:])
    return copy


@FEW
@given(value=ANY, indent=st.sampled_from([None, 0, 1, "\t"]))
def test_lines_of_any_place(value: object, indent: int | str | None) -> None:
    """The line of a place is the line where its value starts."""
    document = source.Document(value, json.dumps(value, indent=indent), 1)
    for path in places(value):
        before = json.dumps(marked(value, path), indent=indent).partition('"@"')[0]
        line = before.count("\n") + 1
        assert document.line_of(path) == line
        assert document.line_of((*path, "no such key")) == line
