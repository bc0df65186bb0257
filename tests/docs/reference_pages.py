"""The pages of `docs/reference/`, each made from what the product declares.

`make docs` runs this file, which writes them all; `test_reference.py` compares.
"""

from collections.abc import Callable

from agentsim.cassettes import cassette_page
from agentsim.cassettes.importing import recordings_page
from agentsim.cli.reference import command_line_page
from agentsim.faults import faults_page
from agentsim.invariants import reference_page, rules_page
from agentsim.mutants import mutants_page
from agentsim.providers.anthropic import messages_rules_page
from agentsim.providers.openai_chat import chat_rules_page
from agentsim.providers.openai_responses import responses_rules_page
from agentsim.pytest_plugin import pytest_page
from agentsim.server import server_page
from agentsim.server.recording import proxy_page
from agentsim.simulation import scenario_page
from agentsim.trace import events_page
from agentsim.world import world_tools_page
from tests.docs.python_page import python_page
from tests.docs.refusals_page import refusals_page
from tests.mutants.matrix import matrix_page
from tests.support.source import ROOT

FOLDER = ROOT / "docs" / "reference"

PAGES: dict[str, Callable[[], str]] = {
    "anthropic.md": messages_rules_page,
    "cassette-format.md": cassette_page,
    "command-line.md": command_line_page,
    "events.md": events_page,
    "faults.md": faults_page,
    "invariants.md": reference_page,
    "mutant-matrix.md": matrix_page,
    "mutants.md": mutants_page,
    "openai-chat.md": chat_rules_page,
    "openai-responses.md": responses_rules_page,
    "proxy.md": proxy_page,
    "pytest.md": pytest_page,
    "python.md": python_page,
    "recordings.md": recordings_page,
    "rule-tests.md": refusals_page,
    "rules.md": rules_page,
    "scenario-file.md": scenario_page,
    "server.md": server_page,
    "world-tools.md": world_tools_page,
}
"""File -> the function that gives its text."""


def write() -> None:
    """Write every page anew."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), "utf-8", newline="\n")


if __name__ == "__main__":
    write()
