"""Sizes stay within the hard limits of docs/style.md: a ratchet.

What is over a limit may stay only if it is listed in `EXCEPTIONS` with its size, and
the list may only shrink: an entry must be the exact size, so that it is lowered with
each improvement and removed with the last one.
"""

import ast
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.source import Module, modules, parse

FUNCTION_LINES_MAX = 70
MODULE_LINES_MAX = 500
TEST_MODULE_LINES_MAX = 600
PACKAGE_MODULES_MAX = 14
POSITIONAL_MAX = 5

# What is too large -> its size today.
EXCEPTIONS: dict[str, int] = {}


def functions(
    node: ast.AST, prefix: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield each function with its qualified name, methods and inner ones included."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}.{child.name}", child
            yield from functions(child, f"{prefix}.{child.name}")
        elif isinstance(child, ast.ClassDef):
            yield from functions(child, f"{prefix}.{child.name}")
        elif not isinstance(child, ast.expr):  # which holds no statements
            yield from functions(child, prefix)


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a body, its docstring left out."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    if not body:
        return 0
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1


def positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the parameters that may be passed by position, `self` left out."""
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def too_large(module: Module) -> dict[str, int]:
    """Map what is over a limit in a module to its size."""
    limit = MODULE_LINES_MAX if module.path.startswith("agentsim/") else None
    found = {}
    lines = module.text.count("\n")
    if lines > (limit or TEST_MODULE_LINES_MAX):
        found[f"{module.path} (lines)"] = lines
    for name, function in functions(module.tree, module.name):
        if (size := body_lines(function)) > FUNCTION_LINES_MAX:
            found[f"{name} (body lines)"] = size
        if limit and (count := positional(function)) > POSITIONAL_MAX:
            found[f"{name} (positional parameters)"] = count
    return found


def crowded() -> dict[str, int]:
    """Map each package with too many modules to their number."""
    counts = Counter(
        m.path.rpartition("/")[0] for m in modules() if m.package and not m.is_init
    )
    return {
        f"{package} (modules)": count
        for package, count in counts.items()
        if count > PACKAGE_MODULES_MAX
    }


@pytest.mark.slow
def test_nothing_outgrows_its_limit() -> None:
    """What is too large is exactly what is listed, at exactly the listed size."""
    found = crowded()
    for module in (*modules(), *modules("tests")):
        found |= too_large(module)
    assert found == EXCEPTIONS


@pytest.mark.parametrize(
    ("lines", "docstring", "large"),
    [(70, "", False), (71, "", True), (70, "'d'", False)],
)
def test_a_long_function_is_found(lines: int, docstring: str, large: bool) -> None:
    """The limit is on the body's lines; the docstring does not count."""
    body = [*([docstring] if docstring else []), *["pass"] * lines]
    text = "class A:\n def f(self):\n" + "".join(f"  {line}\n" for line in body)
    found = too_large(parse("agentsim/core/sample.py", text))
    assert (found == {"agentsim.core.sample.A.f (body lines)": lines}) is large


def test_too_many_positional_parameters_are_found() -> None:
    """Keyword-only parameters and `self` are free, positional ones are counted."""
    text = "class A:\n def f(self, a, b, c, d, e, f, *, g): ...\n"
    found = too_large(parse("agentsim/core/sample.py", text))
    assert found == {"agentsim.core.sample.A.f (positional parameters)": 6}


def test_a_long_module_is_found() -> None:
    """A module over the limit is found with its number of lines."""
    found = too_large(parse("agentsim/core/sample.py", "x = 1\n" * 501))
    assert found == {"agentsim/core/sample.py (lines)": 501}
