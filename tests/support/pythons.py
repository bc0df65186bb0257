"""The supported interpreters of this machine, and environments to run agentsim in.

Traces must not depend on the Python version, so some tests run child processes under
another one. `make venvs` (a part of `make test`) makes `.venv-3.x` beside `.venv` for
each supported version that it finds; a version that is not there skips its tests.

    @pytest.mark.parametrize("minor", OTHERS)
    def test_trace_is_the_same_on_another_python(minor: str) -> None:
        python = environment(minor)          # skips, with the reason, if there is none
        subprocess.run([python, "-m", "agentsim.cli", ...], check=True, cwd=ROOT)
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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

    python = _python_in(_home(minor))
    if minor not in interpreters():
        pytest.skip(f"no Python {minor} on this machine")
    if not python.exists():
        pytest.skip(f"no environment for Python {minor}: run `make venvs`")
    return python


def make_environments() -> None:
    """Make or renew the environment of every other supported version found here."""
    for minor in OTHERS:
        interpreter = interpreters().get(minor)
        if interpreter is None:
            print(f"No Python {minor} here: its tests will be skipped")
        else:
            _make(minor, interpreter)


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


def _make(minor: str, interpreter: Path) -> None:
    home = _home(minor)
    ready = home / ".ready"
    wanted = _digest()
    if ready.exists() and ready.read_text() == wanted:
        return
    print(f"Making {home.name}", flush=True)
    subprocess.run([interpreter, "-m", "venv", "--clear", home], check=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [_python_in(home), *install, "-c", "constraints.txt", "-e", ".[test]"],
        check=True,
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )
    ready.write_text(wanted)


def _home(minor: str) -> Path:
    return ROOT / f".venv-{minor}"


def _python_in(home: Path) -> Path:
    return home / "bin" / "python"


def _digest() -> str:
    texts = b"".join((ROOT / name).read_bytes() for name in _INPUTS)
    return hashlib.sha256(texts).hexdigest()


if __name__ == "__main__":
    make_environments()
