"""Pull requests over the `Files` of the same world (spec T4).

Files are read with the tools of `Files`, so that a world has one `read_file`; merging
writes there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Annotated, ClassVar

from agentsim.core import ToolFailed, UsageError
from agentsim.world.parts.files import FilesSystem
from agentsim.world.subsystem import Subsystem, Surroundings, unknown
from agentsim.world.tools import world_tool

__all__ = ["PullRequest", "PullRequests", "PullRequestsSystem"]

Number = Annotated[int, "Number of the pull request"]


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A change that somebody proposes.

    Attributes:
        files: Path to the new content of each file that it changes.
    """

    number: int
    title: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PullRequests:
    """Which pull requests are open.

    Raises:
        UsageError: when two have one number.
    """

    kind: ClassVar[str] = "pull_requests"
    open: tuple[PullRequest, ...] = ()

    def __post_init__(self) -> None:
        numbers = [request.number for request in self.open]
        for number in numbers:
            if numbers.count(number) > 1:
                raise UsageError(f"open: two pull requests have the number {number}")

    def build(self, world: Surroundings) -> PullRequestsSystem:
        """Make the pull requests for one run."""
        return PullRequestsSystem(self, world)


class PullRequestsSystem(Subsystem):
    """Pull requests in one run.

    Attributes:
        merged: Numbers of those that were merged, in order.
        comments: Number of a pull request, as text, to its comments.
    """

    STATE = ("comments", "merged")

    def __init__(self, spec: PullRequests, world: Surroundings) -> None:
        super().__init__(world)
        self._requests = {request.number: request for request in spec.open}
        self._base: dict[str, str] = {}
        self.merged: list[int] = []
        self.comments: dict[str, list[str]] = {}

    def connect(self) -> None:
        """Look at the files that the pull requests were made of."""
        self._base = dict(self._files().contents)

    @world_tool(latency_s=0.5)
    def get_diff(self, number: Number) -> str:
        """Show what a pull request changes."""
        request = self._request(number)
        lines = [f"#{number}: {request.title}"]
        for path, content in request.files.items():
            before = self._base.get(path, "").splitlines()
            names = (path if path in self._base else "/dev/null", path)
            lines += unified_diff(before, content.splitlines(), *names, lineterm="")
        return "\n".join(lines)

    @world_tool("mutating", confirm=False, latency_s=0.5)
    def comment(
        self, number: Number, text: Annotated[str, "Text of the comment"]
    ) -> str:
        """Comment on a pull request."""
        self._request(number)
        if not text.strip():
            raise ToolFailed("a comment needs a text")
        comments = self.comments.setdefault(str(number), [])
        comments.append(text)
        return f"comment {len(comments)} on #{number}"

    @world_tool("mutating", latency_s=2.0)
    def merge_pr(self, number: Number) -> str:
        """Merge a pull request."""
        request, files = self._request(number), self._files()
        if number in self.merged:
            raise ToolFailed(f"#{number} is merged already")
        for path in request.files:
            if files.contents.get(path) != self._base.get(path):
                raise ToolFailed(f"#{number} conflicts with a newer {path}")
        files.contents.update(request.files)
        self.merged.append(number)
        return f"merged #{number}"

    def _request(self, number: int) -> PullRequest:
        if number not in self._requests:
            known = [str(one) for one in self._requests]
            raise unknown("pull request", str(number), known)
        return self._requests[number]

    def _files(self) -> FilesSystem:
        files = self.world.find(FilesSystem)
        if files is None:
            raise UsageError(
                "pull requests change files: put `files` beside them in the world"
            )
        return files
