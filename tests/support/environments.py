"""Environments beside `.venv` that tests run child processes in, made once.

`make venvs` makes them: one for each other supported Python that is found
(tests/support/pythons.py), and one for each framework whose agents are tried
(tests/support/frameworks.py). Each remembers what it was made of, and is made anew when
that changes. `make test` makes them beside the tests, of which those that need one wait
for it: half of the work is waiting for downloads.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Environment:
    """One environment.

    Attributes:
        name: What stands behind `.venv-`.
        interpreter: The Python that it is made with.
        install: What `scripts/install.sh` gets, from the root of the project.
        inputs: The files that decide what is in it, from the root of the project.
    """

    name: str
    interpreter: Path
    install: tuple[str, ...]
    inputs: tuple[str, ...]

    @property
    def home(self) -> Path:
        """Its folder."""
        return ROOT / f".venv-{self.name}"

    @property
    def python(self) -> Path:
        """Its Python."""
        return self.home / "bin" / "python"

    def awaited(self) -> Path | None:
        """Its Python, as soon as nobody makes it any more; None where it is not there."""
        with self._locked(fcntl.LOCK_SH):
            return self.python if self.python.exists() else None

    @contextmanager
    def reserved(self) -> Iterator[None]:
        """Let those wait who ask for it, until it is made."""
        with self._locked(fcntl.LOCK_EX):
            yield

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        # Beside its folder, which is cleared; let go when the process ends, whatever
        # ends it.
        with (ROOT / f".venv-{self.name}.lock").open("w") as file:
            fcntl.flock(file, how)
            yield

    def make(self) -> None:
        """Make it, unless it is there and its inputs are as they were."""
        ready = self.home / ".ready"
        wanted = self._digest()
        if ready.exists() and ready.read_text() == wanted:
            return
        print(f"Making {self.home.name}", flush=True)
        venv = ["-m", "venv", "--clear", "--without-pip"]
        subprocess.run([self.interpreter, *venv, self.home], check=True)
        subprocess.run(
            [ROOT / "scripts" / "install.sh", self.python, *self.install],
            check=True,
            cwd=ROOT,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        )
        ready.write_text(wanted)

    def _digest(self) -> str:
        texts = b"".join((ROOT / name).read_bytes() for name in self.inputs)
        told = "\0".join((*self.install, str(self.interpreter))).encode()
        return hashlib.sha256(texts + told).hexdigest()


def make_all(environments: Sequence[Environment]) -> None:
    """Make several, two at a time: half of the work is waiting for downloads."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        for made in [pool.submit(one.make) for one in environments]:
            made.result()


def make_beside(environments: Sequence[Environment], command: Sequence[str]) -> int:
    """Make several while a command runs, and give its exit code."""
    with ExitStack() as all_reserved:
        ends = [ExitStack() for _ in environments]
        for environment, end in zip(environments, ends, strict=True):
            all_reserved.enter_context(end)
            end.enter_context(environment.reserved())

        def make(environment: Environment, end: ExitStack) -> None:
            with end:
                environment.make()

        with (
            subprocess.Popen(command) as process,
            ThreadPoolExecutor(max_workers=2) as pool,
        ):
            for made in [*map(pool.submit, [make] * len(ends), environments, ends)]:
                made.result()
            return process.wait()


if __name__ == "__main__":
    from tests.support import frameworks, pythons

    wanted = [*pythons.environments(), *frameworks.environments()]
    if sys.argv[1:]:
        sys.exit(make_beside(wanted, sys.argv[1:]))
    make_all(wanted)
