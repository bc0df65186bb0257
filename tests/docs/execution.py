"""Runs the examples of a page, in order, as a reader would who follows it.

What a block is, is said by its language:

- `python`: runs in the page's one namespace. With `# file: name.py` in its first line
  it is a module of that name, and is imported. Functions named `test_...` are called
  once, but those with parameters: a module of such tests alone is left to pytest, and so
  are the tests of one that a command below gives to pytest. With
  `# needs framework` in its first line it is compiled here, and tests/frameworks runs it
  in the environment of that framework.
- `yaml`: a whole scenario, or, with `# fields of name.yaml` in its first line, some fields
  laid over that scenario of the page. It is run with the reference agent and must hold,
  unless its first line has a comment such as `# exit code 1`.
- `console`: lines that begin with `$` are commands of `agentsim`, or of `pytest`, and
  `python` in them is this one; the lines below one are its output. `...` stands for lines left out.
- `json`, `jsonl`: must be that; with `title="name.json"` after the language, a file.
- `sh`: each `make TARGET` must exist. `toml`: must be that. `text`: anything.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from agentsim.core import Registry
from agentsim.faults import CATALOGUE
from agentsim.invariants import INVARIANTS
from agentsim.plain_yaml import field_names
from agentsim.simulation import ScenarioFile
from agentsim.world import SPECS
from tests.docs.markdown import Block, blocks
from tests.support.command import Done, agentsim
from tests.support.inner import run_as_usual
from tests.support.source import ROOT

__all__ = ["Command", "Page", "commands"]

REGISTRIES: tuple[tuple[Registry[Any], frozenset[str]], ...] = tuple(
    (registry, frozenset(registry)) for registry in (CATALOGUE, INVARIANTS, SPECS)
)
"""What can be added to, with the names that are there before a page adds its own."""

LEFT_OUT = "..."

MASKS = (
    (re.compile(r"\d+ runs/s"), "N runs/s"),
    (re.compile(r"in \d+\.\d+s"), "in N s"),
)
"""What differs from one time to the next."""

_ANY_LINES = r"(?:.*\n)*?"

_TARGET = re.compile(r"make ([a-z]+)")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a console block, with what the page says of it."""

    words: tuple[str, ...]
    exit_code: int
    output: tuple[str, ...]


class Page:
    """A page in a folder of its own, which must be the current one.

    Args:
        name: How failures call it.
    """

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._namespace = ModuleType("example")
        self._scenarios: dict[str, dict[str, Any]] = {}
        self._files = 0
        self._called: list[object] = []

    def run(self) -> None:
        """Run every block.

        Raises:
            AssertionError: naming page and line, where one is not as the page says.
        """
        try:
            for block in blocks(self._text):
                try:
                    self._run(block)
                except BaseException as error:
                    error.add_note(f"in the example at {self._name}:{block.line}")
                    raise
        finally:
            _forget_modules()

    def _run(self, block: Block) -> None:
        match block.language:
            case "python":
                self._python(block)
            case "yaml" if (block.file or "").startswith(".github/"):
                _check_workflow(block.text)
            case "yaml":
                self._yaml(block)
            case "console":
                for command in commands(block.text):
                    _check(command)
            case "json" | "jsonl":
                self._json(block)
            case "sh":
                _check_targets(block.text)
            case "toml":
                tomllib.loads(block.text)
                if block.file is not None:
                    Path(block.file).write_text(block.text, "utf-8")
            case language:
                assert language == "text", f"no language that is known: {language!r}"

    def _python(self, block: Block) -> None:
        if block.needs is not None:
            compile(block.text, f"{self._name}:{block.line}", "exec")
            return
        if block.file is None:
            module = self._namespace
            code = compile(block.text, f"{self._name}:{block.line}", "exec")
            exec(code, vars(module))  # the page's own code is the subject
        else:
            Path(block.file).write_text(block.text, "utf-8")
            _forget_modules()
            if _is_for_pytest(block.text):
                return
            module = importlib.import_module(block.file.removesuffix(".py"))
            if self._pytest_is_given(block):
                return
        for name, value in list(vars(module).items()):
            ours = inspect.isfunction(value) and value.__module__ == module.__name__
            wanted = ours and name.startswith("test_") and not _wants_fixtures(value)
            if wanted and value not in self._called:
                self._called.append(value)
                value()

    def _pytest_is_given(self, module: Block) -> bool:
        """Whether a command below runs pytest on a module as this block has it."""
        below = (block for block in blocks(self._text) if block.line > module.line)
        for block in below:
            if block.file == module.file:
                return False
            if block.language == "console":
                for program, *arguments in (c.words for c in commands(block.text)):
                    if program.endswith("pytest") and module.file in arguments:
                        return True
        return False

    def _yaml(self, block: Block) -> None:
        value = yaml.safe_load(block.text)
        unknown = [name for name in value if name not in field_names(ScenarioFile)]
        assert unknown == [], "neither a scenario nor fields of one"
        if block.fields_of is None:
            assert "task" in value, "no whole scenario, and not told as fields of one"
            assert "script" in value, "no whole scenario, and not told as fields of one"
        else:
            assert block.fields_of in self._scenarios, "fields of no scenario above"
            value = {**self._scenarios[block.fields_of], **value}
        self._files += 1
        file = Path(block.file or f"example-{self._files}.yaml")
        self._scenarios[file.name] = value
        text = block.text if block.fields_of is None else json.dumps(value)
        file.write_text(text, "utf-8")
        done = agentsim("run", str(file))
        assert done.code == block.exit_code, done.out + done.err

    def _json(self, block: Block) -> None:
        lines = block.text.splitlines() if block.language == "jsonl" else [block.text]
        for line in lines:
            json.loads(line)
        if block.file is not None:
            Path(block.file).write_text(block.text, "utf-8")


def _wants_fixtures(test: Callable[..., object]) -> bool:
    return bool(inspect.signature(test).parameters)


def _is_for_pytest(text: str) -> bool:
    """Whether all tests of a module want fixtures, which pytest alone gives."""
    functions = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
    tests = [function for function in functions if function.name.startswith("test_")]
    return bool(tests) and all(test.args.args for test in tests)


def commands(text: str) -> Iterator[Command]:
    """Yield the commands of a console block."""
    lines = text.replace("\\\n", " ").splitlines()
    assert lines, "the block is empty"
    assert lines[0].startswith("$ "), "a console block begins with a command"
    starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        line = lines[start].removeprefix("$ ")
        code = Block(0, "console", "", line).exit_code
        words = tuple(shlex.split(line, comments=True))
        yield Command(words, code, tuple(lines[start + 1 : end]))


def _check(command: Command) -> None:
    program, *arguments = command.words
    match program.rpartition("/")[2]:
        case "agentsim":
            _forget_modules()
            done = agentsim(*map(_this_python, arguments))
        case "pytest":
            done = _pytest(arguments)
        case other:
            raise AssertionError(f"no program that is known: {other}")
    printed = done.out + done.err
    assert done.code == command.exit_code, printed
    if command.output:
        _compare(list(command.output), printed)


def _this_python(word: str) -> str:
    """A command that a page gives may be of the Python that runs the page."""
    return sys.executable if word == "python" else word


def _check_workflow(text: str) -> None:
    """Run the steps of a job that are pytest's."""
    jobs = yaml.safe_load(text)["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    lines = [line for step in steps for line in step.get("run", "").splitlines()]
    tests = [line for line in lines if line.startswith("pytest ")]
    assert tests, "a job that runs no tests"
    for line in tests:
        done = _pytest(shlex.split(line)[1:])
        assert done.code == 0, done.out + done.err


def _pytest(arguments: list[str]) -> Done:
    """Run pytest as a reader would, with the modules of the folder imported anew."""
    _forget_modules()
    plain = ["-p", "no:cacheprovider", "--rootdir", "."]
    return run_as_usual(*plain, *arguments, COLUMNS=os.environ["COLUMNS"])


def _compare(expected: Sequence[str], printed: str) -> None:
    """Hold the lines of a page against what was printed, all of it and in order."""
    found = "".join(_masked(line) + "\n" for line in printed.strip("\n").splitlines())
    for count in range(1, len(expected) + 1):
        shown = count == len(expected)
        rest = "" if shown else _ANY_LINES
        pattern = "".join(map(_pattern, expected[:count])) + rest
        assert re.fullmatch(pattern, found), (
            f"not in the output, or not there: {expected[count - 1]!r}"
            f"{' (or there is more after it)' if shown else ''}; "
            f"the output is:\n{printed}"
        )


def _pattern(line: str) -> str:
    return _ANY_LINES if line == LEFT_OUT else re.escape(_masked(line)) + "\n"


def _masked(line: str) -> str:
    for pattern, mask in MASKS:
        line = pattern.sub(mask, line)
    return line.rstrip()


def _check_targets(text: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in _TARGET.findall(text):
        assert f"\n{target}:" in makefile, f"make knows no target {target}"


def _forget_modules() -> None:
    """Let the modules of the page's folder be imported anew, as by a new process."""
    here = str(Path.cwd())
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(here):
            del sys.modules[name]
    importlib.invalidate_caches()
    for registry, known in REGISTRIES:
        for name in [name for name in registry if name not in known]:
            registry.discard(name)
