"""The forge of the reviewers: its tools as people describe them, and what happens there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentsim.providers import call, say, together
from agentsim.simulation import Scenario
from agentsim.world import Human
from tests.support.scenarios import scenario

PROMPT = (
    "You review pull requests. Look at what changes and at the files around it, comment, "
    "and merge what is right."
)


def _schema(**texts: str) -> dict[str, Any]:
    kinds = {"number": "integer"}
    return {
        "type": "object",
        "properties": {
            name: {"type": kinds.get(name, "string"), "description": text}
            for name, text in texts.items()
        },
        "required": [*texts],
        "additionalProperties": False,
    }


NUMBER = "Number of the pull request."

TOOLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("get_diff", "Show what a pull request changes.", _schema(number=NUMBER)),
    ("read_file", "Read a file of the main branch.", _schema(path="Its path.")),
    (
        "comment",
        "Comment on a pull request.",
        _schema(number=NUMBER, text="What to say."),
    ),
    ("merge_pr", "Merge a pull request.", _schema(number=NUMBER)),
)
"""Name, description and schema of each; every wire has its own form of them."""

REVIEW = scenario("review_pr")
"""Diff and file are read at once, then a comment, the merge, and a look at the file."""

DECLINED = replace(
    REVIEW,
    name="declined_merge",
    human=Human(approves=False, reason="the release is frozen"),
    script=[
        together(call("get_diff", number=7), call("read_file", path="total.py")),
        call("merge_pr", number=7).but(text="This looks right."),
        call("comment", number=7, text="Right, but the release is frozen."),
        say("Pull request 7 is right, and waits for the end of the freeze."),
    ],
    expect={"status": "done", "iterations": 4, "effects": {"comment": 1}},
)
"""The person declines the merge."""

MISSING = replace(
    REVIEW,
    name="missing_file",
    script=[
        together(call("get_diff", number=7), call("read_file", path="sum.py")),
        call("comment", number=7, text="There is no sum.py."),
        say("Pull request 7 has to wait."),
    ],
    expect={"status": "done", "iterations": 3, "effects": {"comment": 1}},
)
"""One of two reads fails for good."""

_THOUGHTS = (
    {"type": "thinking", "thinking": "Both at once.", "signature": "c2lnbmVk"},
    {"type": "reasoning", "summary": []},
)

THOUGHTFUL = replace(
    REVIEW,
    name="thoughtful",
    script=[
        together(call("get_diff", number=7), call("read_file", path="total.py")).but(
            blocks=_THOUGHTS
        ),
        call("merge_pr", number=7),
        say("Pull request 7 is merged."),
    ],
    expect={"status": "done", "iterations": 3, "effects": {"merge_pr": 1}},
)
"""The model thinks before it calls: each wire that has such blocks carries its own."""

STORIES = {story.name: story for story in (REVIEW, DECLINED, MISSING, THOUGHTFUL)}


def story(name: str) -> Scenario:
    """A story by its name."""
    return STORIES[name]
