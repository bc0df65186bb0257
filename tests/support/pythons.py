"""The supported interpreters of this machine, and environments to run agentsim in.

Traces must not depend on the Python version, so some tests run child processes under
another one. `make venvs` (a part of `make test`) makes `.venv-3.x` beside `.venv` for
each supported version that it finds; a version that is not there skips its tests.

    @pytest.mark.parametrize("minor", OTHERS)
    def test_trace_is_the_same_on_another_python(minor: str) -> None:
        python = environment(minor)          # skips, with the reason, if there is none
        subprocess.run([python, "-m", "agentsim.cli", ...], check=True, cwd=ROOT)
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.support.environments import Environment

SUPPORTED = ("3.11", "3.12", "3.13")
CURRENT = f"{sys.version_info.major}.{sys.version_info.minor}"
OTHERS = tuple(minor for minor in SUPPORTED if minor != CURRENT)

_INPUTS = ("pyproject.toml", "constraints.txt")


@cache
def interpreters() -> dict[str, Path]:
    """Find one interpreter per supported version, the running one first."""
    found = {CURRENT: Path(sys.executable)} if CURRENT in SUPPORTED else {}
    for minor in OTHERS:
        for candidate in _candidates(minor):
            if _version(candidate) == minor:
                found[minor] = candidate
                break
    return {minor: found[minor] for minor in SUPPORTED if minor in found}


def environment(minor: str) -> Path:
    """Return a Python of this version that can import agentsim, or skip the test."""
    if minor == CURRENT:
        return Path(sys.executable)
    # Only tests need pytest; `make venvs` runs this file as well.
    import pytest

    interpreter = interpreters().get(minor)
    if interpreter is None:
        pytest.skip(f"no Python {minor} on this machine")
    python = _environment(minor, interpreter).awaited()
    if python is None:
        pytest.skip(f"no environment for Python {minor}: run `make venvs`")
    return python


@contextmanager
def another(minor: str) -> Iterator[Path]:
    """A Python of this version; the running one where there is none.

    What else differs between two processes is compared then; and the test is skipped at
    the block's end, with the reason.
    """
    import pytest

    missing: BaseException | None = None
    try:
        python = environment(minor)
    except pytest.skip.Exception as reason:
        missing, python = reason, Path(sys.executable)
    yield python
    if missing is not None:
        raise missing


def environments() -> Iterator[Environment]:
    """The environment of every other supported version found here."""
    for minor in OTHERS:
        interpreter = interpreters().get(minor)
        if interpreter is None:
            print(f"No Python {minor} here: its tests will be skipped")
        else:
            yield _environment(minor, interpreter)


def _candidates(minor: str) -> Iterator[Path]:
    on_path = shutil.which(f"python{minor}")
    if on_path:
        yield Path(on_path)
    versions = Path.home() / ".pyenv" / "versions"
    for folder in sorted(versions.glob(f"{minor}.*"), reverse=True):
        yield folder / "bin" / "python3"


def _version(python: Path) -> str:
    """Ask an interpreter for its version; a shim that leads nowhere has none."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run(
            [python, "-c", code], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip()


def _environment(minor: str, interpreter: Path) -> Environment:
    install = ("-c", "constraints.txt", "-e", ".[test]")
    return Environment(minor, interpreter, install, _INPUTS)
