"""The reference is made from the product, and says all that there is to say."""

import importlib
import re
from dataclasses import fields

import httpx2
import openai
import pytest

from agentsim.cli.app import COMMANDS
from agentsim.core import EVENT_KINDS, Env
from agentsim.faults import CATALOGUE
from agentsim.invariants import NUMBERED_RULES
from agentsim.plain_yaml import field_names, nested_shapes
from agentsim.simulation import EXPECTED, RUNS_INDEPENDENT, ScenarioFile
from agentsim.simulation.verdict import LOST_ERRORS
from agentsim.world import (
    SPECS,
    CannedAnswer,
    CannedTool,
    Case,
    Human,
    Letter,
    Process,
    PullRequest,
    Service,
)
from tests.docs.docstrings import told
from tests.docs.python_page import CONTENTS, public_path
from tests.docs.reference_pages import FOLDER, PAGES
from tests.docs.refusals_page import RAW, WIRES, OnWire, exception_of
from tests.support.command import agentsim

DOCS = FOLDER.parent

NUMBER = re.compile(r"\b[A-Z][0-9]{1,2}(?:\.[0-9]{1,2})?\b")
"""What the number of a rule looks like."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_the_product_makes_it(name: str) -> None:
    """The page that is kept is the one made today; `make docs` writes it anew."""
    assert (FOLDER / name).read_text("utf-8") == PAGES[name]()


def test_every_page_of_the_reference_is_made() -> None:
    """No page of the reference is written by hand: it would soon be false."""
    assert sorted(file.name for file in FOLDER.glob("*.md")) == sorted(PAGES)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_on_the_page(command: str) -> None:
    """What `--help` names as an option of a command stands in that command's section."""
    told = agentsim(*command.split(), "--help").out
    options = set(re.findall(r"--[a-z][a-z-]+", told)) - {"--help"}
    _, _, section = PAGES["command-line.md"]().partition(f"## agentsim {command}\n")
    section = section.partition("\n## ")[0]
    assert [name for name in sorted(options) if f"`{name}" not in section] == []
    assert options


def test_every_fault_and_event_has_its_row() -> None:
    """Each fault and each kind of event is named on its page, and described."""
    faults, events = PAGES["faults.md"](), PAGES["events.md"]()
    for name, fault in CATALOGUE.own.items():
        assert f"| `{name}` | {fault.sentence} |" in faults
    for kind in EVENT_KINDS:
        assert f"\n## `{kind}`\n\n" in events


def test_the_how_to_names_every_field_of_a_scenario() -> None:
    """What a scenario file takes stands on the page about scenario files."""
    page = (DOCS / "how-to" / "write-a-scenario.md").read_text("utf-8")
    shapes: list[type] = [ScenarioFile, *nested_shapes(ScenarioFile)]
    names = {name for shape in shapes for name in field_names(shape)}
    names |= {*Human.__dataclass_fields__, *SPECS}
    parts = (Process, Service, Case, Letter, PullRequest, CannedTool, CannedAnswer)
    for spec in (*SPECS.values(), *parts):
        names |= {field.name for field in fields(spec)}
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


def test_the_how_to_names_all_that_an_agent_is_given() -> None:
    """What `env` offers stands on the page about testing an agent."""
    page = (DOCS / "how-to" / "test-my-agent.md").read_text("utf-8")
    offered = [name for name in vars(Env) if not name.startswith("_")]
    assert [name for name in offered if not re.search(rf"`{name}[`(]", page)] == []
    assert "client" in offered


def test_every_number_that_a_reader_meets_is_explained() -> None:
    """Pages and lists cite no rule that its own page lacks, and it has none besides."""
    explained = [number for group in NUMBERED_RULES for number in group.rules]
    pages = [file for file in DOCS.rglob("*.md") if file.name != "rules.md"]
    told_words = (
        "".join(file.read_text("utf-8") for file in pages) + agentsim("list").out
    )
    cited = {*NUMBER.findall(told_words)}
    assert sorted(cited - {*explained}) == []
    assert sorted({*explained} - cited) == []
    assert len(explained) == len(set(explained))
    assert "(design" not in told_words


def test_what_is_judged_beside_the_invariants_has_a_place() -> None:
    """The lines of a verdict that no invariant stands for are explained too."""
    page = PAGES["invariants.md"]()
    for name in (EXPECTED, LOST_ERRORS, RUNS_INDEPENDENT):
        assert f"- **`{name}`**: " in page


def test_every_public_entry_point_is_on_the_page() -> None:
    """All that the root exports has a place on the page about Python."""
    told_names = {
        name
        for packages in CONTENTS.values()
        for ns in packages.values()
        for name in ns
    }
    assert sorted({*importlib.import_module("agentsim").__all__} - told_names) == []


@pytest.mark.parametrize(
    ("package", "name"),
    [
        (package, name)
        for packages in CONTENTS.values()
        for package, names in packages.items()
        for name in names
    ],
)
def test_a_name_is_told_with_all_that_it_has(package: str, name: str) -> None:
    """Its import is one that works, and each public field and method of it is there."""
    assert name in importlib.import_module(package).__all__
    thing = getattr(importlib.import_module(package), name)
    _, _, section = PAGES["python.md"]().partition(f"`{public_path(package, name)}`\n")
    section = re.split(r"^##", section, maxsplit=1, flags=re.MULTILINE)[0]
    assert told(thing).sentence in section
    if isinstance(thing, type) and thing.__module__.startswith("agentsim."):
        of_events = ("kind", "at_ns", "life", "who") if name == "Outcome" else ()
        members = [entry for entry in vars(thing) if entry[0] != "_"]
        lacking = [
            m for m in members if not re.search(rf"`(await )?\.?{m}[`(]", section)
        ]
        assert sorted({*lacking} - {*of_events}) == []


def test_a_docstring_is_told_in_parts() -> None:
    """Words, arguments and errors come apart, and the numbers of rules are left out."""

    def function() -> None:
        """Do it twice (R4.1, R4.2), as of R1.9.

        Then look
        (design 2.7).

        Args:
            way: How, in two
                lines (spec R5).
            *more: More.

        Raises:
            KeyError: never.
        """

    found = told(function)
    assert found.words == ("Do it twice, as.", "Then look.")
    assert found.entries == {"way": "How, in two lines.", "*more": "More."}
    assert found.errors == {"KeyError": "never."}


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.title)
def test_every_rule_of_a_wire_has_a_request_that_breaks_it(wire: OnWire) -> None:
    """No rule is only said; and no test names a rule that there is not."""
    tested = {bad.rule for bad in wire.bad}
    assert sorted(set(wire.rules) ^ tested) == list(RAW)


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.title)
def test_the_exception_of_a_refusal_is_that_of_the_sdk(wire: OnWire) -> None:
    """The page names the class that the SDK itself makes of a status."""
    for status in {bad.status for bad in wire.bad}:
        client = wire.sdk.OpenAI if wire.sdk is openai else wire.sdk.Anthropic
        request = httpx2.Request("POST", "https://api.example/v1")
        answer = httpx2.Response(status, json={"error": {}}, request=request)
        made = client(api_key="none")._make_status_error_from_response(answer)
        assert type(made).__name__ == exception_of(wire.sdk, status)
