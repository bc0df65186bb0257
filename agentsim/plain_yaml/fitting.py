"""Plain data as dataclasses, by the annotations of their fields.

Known are the types that data of a file has: texts, numbers, truth values, `None`,
`Literal`, lists, tuples of any length, mappings with text keys, alternatives of these,
and dataclasses of all of them. Nothing is converted on the quiet: `"5"` is no number, and
`5` as a float is `5.0`. pydantic would take a tenth of a second to load for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, InitVar, dataclass, fields, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

__all__ = ["Between", "MisfitError", "can_fit", "field_names", "fit", "nested_shapes"]

Value = TypeVar("Value")

Path = tuple[str | int, ...]

Finding = Mapping[str, Any]

Reader = Callable[[object, Path, list[Finding]], Any]

NAME = "name"
"""Key of a field's metadata: what files call it, where that is a word of Python."""


class MisfitError(Exception):
    """Data does not fit.

    Attributes:
        findings: All that is wrong, as pydantic tells it: `type`, `loc`, `input`, `ctx`.
            Where alternatives were possible, why the data is none of them.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(f"{len(findings)} findings")
        self.findings = findings


class _Beyond(Exception):
    """An annotation is not one of those that are known here."""


@dataclass(frozen=True, slots=True)
class Between:
    """The bounds of a number, or of how many entries a list has, in an annotation."""

    least: float
    most: float = float("inf")

    def __get_pydantic_json_schema__(
        self,
        core_schema: Any,
        handler: Callable[[Any], dict[str, Any]],
    ) -> dict[str, Any]:
        """Say in a JSON Schema what pydantic itself does not check."""
        schema = handler(core_schema)
        of_list = schema.get("type") == "array"
        schema["minItems" if of_list else "minimum"] = self.least
        if self.most != float("inf"):
            schema["maxItems" if of_list else "maximum"] = self.most
        return schema


def fit(kind: type[Value], data: object) -> Value:
    """Make a dataclass of a mapping, and those in its fields.

    Raises:
        MisfitError: with all that does not fit.
    """
    found: list[Finding] = []
    value = _read_dataclass(kind, data, (), found)
    if found:
        raise MisfitError(found)
    assert isinstance(value, kind)
    return value


def can_fit(kind: type[Any]) -> bool:
    """Whether all annotations of a dataclass, and of those in its fields, are known."""
    if kind not in _known:
        try:
            _known[kind] = all(map(_is_known, (kind, *nested_shapes(kind))))
        except (_Beyond, NameError, TypeError):  # the last for `InitVar` as text
            _known[kind] = False
    return _known[kind]


_known: dict[type[Any], bool] = {}


def nested_shapes(kind: type[Any]) -> list[type[Any]]:
    """The dataclasses in the fields of a dataclass, at any depth."""
    found: dict[type[Any], None] = {}
    waiting: list[Any] = [kind]
    while waiting:
        annotation = waiting.pop(0)
        if isinstance(annotation, type) and is_dataclass(annotation):
            if annotation not in found:
                found[annotation] = None
                waiting += field_names(annotation).values()
        elif get_origin(annotation) is not Literal:
            waiting += get_args(annotation)
    return list(found)[1:]


def field_names(kind: type[Any]) -> dict[str, Any]:
    """The fields of a dataclass as a file calls them, each with its annotation."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.metadata.get(NAME, one.name): hints[one.name] for one in fields(kind)}


_OF_PYDANTIC = ("__pydantic_config__", "__get_pydantic_core_schema__")
"""What tells pydantic to read a class in a way of its own."""


def _is_known(kind: type[Any]) -> bool:
    """Whether the constructor of a dataclass takes its fields, and nothing else."""
    parameters = vars(kind).get("__dataclass_params__")
    return (
        parameters is not None
        and parameters.init
        and all(one.init for one in fields(kind))
        and not any(isinstance(one, InitVar) for one in get_type_hints(kind).values())
        and not any(hasattr(kind, name) for name in _OF_PYDANTIC)
        and len(_readers_of(kind)) == len(fields(kind))  # or an annotation is beyond
    )


_readers: dict[type[Any], dict[str, tuple[str, Reader, bool]]] = {}


def _readers_of(kind: type[Any]) -> dict[str, tuple[str, Reader, bool]]:
    """Name in a file -> field, what reads it, and whether it must be given."""
    if kind not in _readers:
        annotations = field_names(kind)
        _readers[kind] = {
            name: (
                one.name,
                _reader(annotations[name]),
                one.default is MISSING and one.default_factory is MISSING,
            )
            for name, one in zip(annotations, fields(kind), strict=True)
        }
    return _readers[kind]


def _read_dataclass(
    kind: type[Any], value: object, path: Path, found: list[Finding]
) -> Any:
    if not isinstance(value, Mapping):
        return _misfit("dataclass_type", value, path, found)
    before = len(found)
    given: dict[str, Any] = {}
    readers = _readers_of(kind)
    for name, (field, reader, needed) in readers.items():
        if name in value:
            given[field] = reader(value[name], (*path, name), found)
        elif needed:
            _misfit("missing", value, (*path, name), found)
    for name in value:
        if name not in readers:
            _misfit("unexpected_keyword_argument", value[name], (*path, name), found)
    if len(found) > before:
        return None
    try:
        return kind(**given)
    except (ValueError, AssertionError):  # by a check of the dataclass itself
        return _misfit("value_error", value, path, found)


def _misfit(
    kind: str, value: object, path: Path, found: list[Finding], **context: object
) -> Any:
    found.append({"type": kind, "loc": path, "input": value, "ctx": context})
    return None


def _reader(annotation: Any) -> Reader:
    if annotation is Any:
        return _read_anything
    if annotation in _SCALARS:
        return partial(_read_scalar, *_SCALARS[annotation])
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return _of_alternatives(parts)
    if origin is Annotated and all(isinstance(one, Between) for one in parts[1:]):
        return partial(_read_bounded, _reader(parts[0]), parts[1:])
    if origin is Literal and all(isinstance(one, str) for one in parts):
        return partial(_read_literal, parts)
    if origin is list or (origin is tuple and parts[1:] == (...,)):
        return partial(_read_list, origin, _reader(parts[0]))
    if origin in (dict, Mapping) and parts[0] is str:
        return partial(_read_mapping, _reader(parts[1]))
    if isinstance(annotation, type) and is_dataclass(annotation):
        return partial(_read_dataclass, annotation)
    raise _Beyond


def _of_alternatives(parts: Sequence[Any]) -> Reader:
    others = [part for part in parts if part is not NoneType]
    if sum(isinstance(part, type) and is_dataclass(part) for part in others) > 1:
        raise _Beyond
    # A whole number is one, where it could be a float as well.
    readers = [_reader(part) for part in sorted(others, key=lambda one: one is float)]
    return partial(_read_alternatives, readers, len(others) < len(parts))


def _read_anything(value: object, _path: Path, _found: list[Finding]) -> object:
    return value


_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    str: ("string_type", (str,)),
    bool: ("bool_type", (bool,)),
    int: ("int_type", (int,)),
    float: ("float_type", (float, int)),
}
"""Annotation -> what is wrong where a value is none, and the types of those that are."""


def _read_scalar(
    kind: str,
    types: tuple[type, ...],
    value: object,
    path: Path,
    found: list[Finding],
) -> object:
    if type(value) not in types:
        return _misfit(kind, value, path, found)
    if kind != "float_type":
        return value
    assert isinstance(value, float | int)
    try:
        return float(value)
    except OverflowError:
        return _misfit(kind, value, path, found)


def _read_literal(
    known: Sequence[str], value: object, path: Path, found: list[Finding]
) -> object:
    if isinstance(value, str) and value in known:
        return value
    *most, last = map(repr, known)
    expected = f"{', '.join(most)} or {last}" if most else last
    return _misfit("literal_error", value, path, found, expected=expected)


def _read_list(
    make: Callable[[list[Any]], Sequence[Any]],
    reader: Reader,
    value: object,
    path: Path,
    found: list[Finding],
) -> object:
    if not isinstance(value, list):
        kind = "list_type" if make is list else "tuple_type"
        return _misfit(kind, value, path, found)
    return make([reader(one, (*path, n), found) for n, one in enumerate(value)])


def _read_mapping(
    reader: Reader, value: object, path: Path, found: list[Finding]
) -> object:
    if not isinstance(value, Mapping):
        return _misfit("dict_type", value, path, found)
    return {key: reader(one, (*path, key), found) for key, one in value.items()}


def _read_bounded(
    reader: Reader,
    bounds: Sequence[Between],
    value: object,
    path: Path,
    found: list[Finding],
) -> object:
    before = len(found)
    read = reader(value, path, found)
    if len(found) > before:
        return None
    for bound in bounds:
        size = len(read) if isinstance(read, list) else read
        if size < bound.least:
            kind = "too_short" if isinstance(read, list) else "greater_than_equal"
            _misfit(kind, value, path, found, ge=bound.least)
        elif size > bound.most:
            kind = "too_long" if isinstance(read, list) else "less_than_equal"
            _misfit(kind, value, path, found, le=bound.most)
    return read


def _read_alternatives(
    readers: Sequence[Reader],
    none: bool,  # noqa: FBT001 - bound, never called by people
    value: object,
    path: Path,
    found: list[Finding],
) -> object:
    if none and value is None:
        return None
    told: list[Finding] = []
    for reader in readers:
        own: list[Finding] = []
        read = reader(value, path, own)
        if not own:
            return read
        told += own
    found += told
    return None
