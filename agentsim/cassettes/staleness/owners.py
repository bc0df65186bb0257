"""Whether the test that a cassette was recorded for is still there, without importing it.

An owner is the file of a test, seen from a folder above the cassette, and the place in
it: `tests/test_pay.py::TestPay::test_once[openai]`. Python is read as a syntax tree. What
that can't decide, such as a method of a base class in another file, counts as there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Owner", "find_owner"]

ROOTS = (".git", ".hg", ".agentsim")
"""What stands at the top of a project: above it nobody looks for a test."""

_Definition = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Owner:
    """The test that a cassette was recorded for.

    Attributes:
        file: Its file; None when that is gone.
        inside: The place in the file, as in the id of a test.
        gone: What is not there any more, in words; empty: nothing.
        unsure: Why that can't be told, in words; empty: it can.
    """

    file: Path | None
    inside: str
    gone: str = ""
    unsure: str = ""


def find_owner(cassette: Path, owner: str) -> Owner:
    """Look for the owner of a cassette.

    Args:
        cassette: The file of the cassette, by an absolute path.
        owner: As its header tells it.
    """
    name, _, inside = owner.partition("::")
    file = next((one for one in _places(cassette, name) if one.is_file()), None)
    if file is None:
        return Owner(None, inside, gone=f"there is no {name} above it any more")
    if file.suffix != ".py" or not inside:
        return Owner(file, inside)
    names = inside.partition("[")[0].split("::")
    try:
        missing = _missing(ast.parse(file.read_bytes()).body, names)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return Owner(file, inside, unsure=f"{name} is no Python that can be read")
    return Owner(file, inside, gone=f"{name} has no {missing} any more" * bool(missing))


def _places(cassette: Path, name: str) -> Iterator[Path]:
    for folder in cassette.parents:
        yield folder / name
        if any((folder / root).exists() for root in ROOTS):
            return


def _missing(body: Sequence[ast.stmt], names: Sequence[str]) -> str:
    """The first of the nested names that is not there; empty when all may be."""
    place: list[str] = []
    members: list[ast.stmt] | None = list(body)
    for name in names:
        if members is None:
            return ""  # some come from elsewhere
        place.append(name)
        found = _find(members, name)
        if found is None:
            return ".".join(place)
        if not isinstance(found, _Definition):
            return ""
        members = _members(found, body) if isinstance(found, ast.ClassDef) else []
    return ""


def _find(body: Sequence[ast.stmt], name: str) -> ast.stmt | None:
    """The statement that binds a name, or that may: what imports everything."""
    maybe = None
    for statement in _flat(body):
        if isinstance(statement, _Definition) and statement.name == name:
            return statement
        if name in _bound(statement) or "*" in _bound(statement):
            maybe = statement
    return maybe


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, with those inside of `if`, `try`, `with`, loops and `match`."""
    for statement in body:
        yield statement
        if not isinstance(statement, _Definition):
            handlers = getattr(statement, "handlers", ())
            for part in (statement, *handlers, *getattr(statement, "cases", ())):
                for field in ("body", "orelse", "finalbody"):
                    found = getattr(part, field, None)
                    if isinstance(found, list):
                        yield from _flat(found)


def _bound(statement: ast.stmt) -> tuple[str, ...]:
    """Names that a statement binds without defining them."""
    match statement:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return tuple(one.asname or one.name for one in names)
        case ast.Assign(targets=targets):
            return tuple(
                node.id
                for target in targets
                for node in ast.walk(target)
                if isinstance(node, ast.Name)
            )
        case ast.AnnAssign(target=ast.Name(id=name)):
            return (name,)
    return ()


def _members(found: ast.ClassDef, module: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """What stands in a class and in its bases; None when some is not in this file."""
    members: list[ast.stmt] = []
    waiting, seen = [found], [found.name]
    while waiting:
        one = waiting.pop()
        if one.keywords or one.decorator_list:
            return None
        members += one.body
        for base in one.bases:
            name = base.id if isinstance(base, ast.Name) else ""
            if name == "object" or name in seen:
                continue
            known = _find(module, name)
            if not isinstance(known, ast.ClassDef):
                return None
            seen.append(name)
            waiting.append(known)
    return members
