"""The project's own source, parsed once, for the tests that hold the house together."""

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "agentsim"

PACKAGES = ("", *sorted(p.parent.name for p in (ROOT / PACKAGE).glob("*/__init__.py")))
"""Names of those right below the root, and '' for the root's own files.

By package what is asked of all modules makes few tests, and none parses at collection.
"""


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: where it is, what it is called, and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The dotted name under which the module is imported."""
        return self.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")

    @property
    def package(self) -> str:
        """The package right below the root that owns it; the root's own files: ''."""
        parts = self.path.split("/")
        return parts[1] if len(parts) > 2 else ""

    @property
    def is_init(self) -> bool:
        """Whether this is the file of a package itself."""
        return self.path.endswith("/__init__.py")


def parse(path: str, text: str) -> Module:
    """Parse one file, given where it would stand (`agentsim/core/x.py`)."""
    return Module(path=path, text=text, tree=ast.parse(text, path))


@cache
def modules(folder: str = PACKAGE) -> tuple[Module, ...]:
    """Parse every Python file under a folder of the project, in order of path."""
    # Millions of nodes that live as long as the tests: no collection need walk them, and
    # those while they are made take four times what the parsing takes.
    gc.disable()
    try:
        return tuple(map(_read, sorted((ROOT / folder).rglob("*.py"))))
    finally:
        gc.freeze()
        gc.enable()


def modules_of(package: str) -> list[Module]:
    """Those of one of `PACKAGES`."""
    return [module for module in modules() if module.package == package]


def inits() -> list[Module]:
    """The files of packages themselves, parsed without all the others."""
    return [*map(_read, sorted((ROOT / PACKAGE).rglob("__init__.py")))]


def _read(file: Path) -> Module:
    return parse(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all below a node but expressions, which hold no statements: a tenth of it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            yield from statements(child)


def imports(module: Module) -> Iterator[tuple[ast.stmt, str, str]]:
    """Yield each absolute import as statement, module and name ('' for `import x`)."""
    for node in statements(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name, ""
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield node, node.module or "", alias.name
