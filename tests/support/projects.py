"""Projects of users, whose tests pytest runs in a process of its own.

The plugin is found as it is in an installed package: by the entry point that
`pyproject.toml` declares, from metadata made of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.command import Done
from tests.support.source import ROOT

__all__ = ["OTHERS", "metadata", "run_pytest", "without_others"]

OTHERS = ("anyio", "hypothesispytest", "syrupy", "xdist", "xdist.looponfail")
"""Plugins that are installed beside ours: 0.3 s of the 0.5 s in which pytest starts."""

_NOT_INHERITED = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "PYTEST_")
"""Beginnings of variables that would tell a project's pytest of ours and its workers."""


def metadata(folder: Path) -> Path:
    """Write the metadata of the distribution into a folder for `PYTHONPATH`."""
    project = _project()
    info = folder / f"{project['name'].replace('-', '_')}-0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    points = project["entry-points"]
    text = "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in of.items())
        for group, of in points.items()
    )
    (info / "entry_points.txt").write_text(text, "utf-8")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0\n", "utf-8"
    )
    modules = sorted((ROOT / "agentsim").rglob("*.py"))
    record = "".join(f"{file.relative_to(ROOT).as_posix()},,\n" for file in modules)
    (info / "RECORD").write_text(record, "utf-8")
    return folder


def run_pytest(
    folder: Path,
    *arguments: str,
    installed: Path | None = None,
    env: Mapping[str, str] | None = None,
    beside: Collection[str] = (),
) -> Done:
    """Run `pytest ARGUMENTS` in a folder, as a user would.

    Args:
        beside: Plugins of others that the project's tests need; xdist comes with `-n`.
        installed: A folder that `metadata` wrote; None: as it is installed here.
        env: More variables for it.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_NOT_INHERITED)
    }
    paths = [str(ROOT)] if installed is None else [str(installed), str(ROOT)]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *without_others(arguments, beside),
            *arguments,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "PYTHONPATH": os.pathsep.join(paths), **(env or {})},
    )
    return Done(done.returncode, done.stdout, done.stderr)


def without_others(arguments: Sequence[str], beside: Collection[str] = ()) -> list[str]:
    """Options that keep plugins away which nobody needs.

    Args:
        arguments: Those of pytest: with `-n` among them xdist stays.
        beside: What stays besides.
    """
    kept = {*beside, *(("xdist", "xdist.looponfail") if "-n" in arguments else ())}
    return [f"-pno:{name}" for name in OTHERS if name not in kept]


@cache
def _project() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project
