"""Text files by path, and a test suite whose cases look at what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from agentsim.core import ToolFailed, UsageError, count_words
from agentsim.world.parts.disk import DiskSystem
from agentsim.world.subsystem import Subsystem, Surroundings, unknown
from agentsim.world.tools import world_tool

__all__ = ["Case", "Files", "FilesSystem", "Suite", "SuiteSystem"]

Path = Annotated[str, "Path of the file"]


@dataclass(frozen=True, slots=True)
class Files:
    """Which files there are, as path -> content."""

    kind: ClassVar[str] = "files"
    contents: Mapping[str, str] = field(default_factory=dict)

    def build(self, world: Surroundings) -> FilesSystem:
        """Make the files for one run."""
        return FilesSystem(self, world)


class FilesSystem(Subsystem):
    """Files in one run.

    Attributes:
        contents: Path -> content.
    """

    STATE = ("contents",)

    def __init__(self, spec: Files, world: Surroundings) -> None:
        super().__init__(world)
        self.contents = dict(spec.contents)

    @world_tool(latency_s=0.05)
    def read_file(self, path: Path) -> str:
        """Show the content of a file."""
        if path not in self.contents:
            raise unknown("file", path, sorted(self.contents))
        return self.contents[path]

    @world_tool("mutating", confirm=False, latency_s=0.1)
    def write_file(
        self, path: Path, content: Annotated[str, "All of the new content"]
    ) -> str:
        """Write a file, in place of what it contained."""
        if not path or path.endswith("/"):
            raise ToolFailed(f"{path!r} is not the path of a file")
        disk = self.world.find(DiskSystem)
        if disk is not None and disk.full:
            raise ToolFailed("no space left on the disk: free some space first")
        self.contents[path] = content
        lines = content.count("\n") + (not content.endswith("\n") and content != "")
        return f"Wrote {path} ({count_words(lines, 'line')})"

    @world_tool(latency_s=0.05)
    def list_files(
        self, folder: Annotated[str, "Path of the folder; empty for all files"] = ""
    ) -> str:
        """List the files of a folder and of the folders in it."""
        prefix = folder.rstrip("/") + "/" if folder not in ("", ".", "/") else ""
        found = [path for path in sorted(self.contents) if path.startswith(prefix)]
        if prefix and not found:
            folders = {path[: path.rfind("/")] for path in self.contents if "/" in path}
            raise unknown("folder", folder, sorted(folders))
        return "\n".join(found) or "no files"


@dataclass(frozen=True, slots=True)
class Case:
    """One test: it passes while the file contains the text."""

    name: str
    file: str
    contains: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A test suite over the `Files` of the same world."""

    kind: ClassVar[str] = "suite"
    cases: tuple[Case, ...] = ()

    def build(self, world: Surroundings) -> SuiteSystem:
        """Make the suite for one run."""
        return SuiteSystem(self, world)


class SuiteSystem(Subsystem):
    """A test suite in one run; it has no state of its own."""

    def __init__(self, spec: Suite, world: Surroundings) -> None:
        super().__init__(world)
        self._cases = spec.cases

    def connect(self) -> None:
        """Check that there are files to test."""
        if self.world.find(FilesSystem) is None:
            raise UsageError("a suite tests files: add Files to the world")

    @world_tool(latency_s=20.0, parallel=False)
    def run_tests(self) -> str:
        """Run all tests and show which failed."""
        files = self.world.find(FilesSystem)
        contents = files.contents if files is not None else {}
        failed = [c for c in self._cases if c.contains not in contents.get(c.file, "")]
        passed = len(self._cases) - len(failed)
        rows = [f"{passed} passed, {len(failed)} failed"]
        rows += [f"FAILED {case.name} ({case.file})" for case in failed]
        return "\n".join(rows)
