"""How strict a simulated service is, wire by wire, as files and code say it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from agentsim.core import Env, RequestFailed, ScenarioError, UsageError
from agentsim.plain_yaml import load_yaml
from agentsim.providers import say
from agentsim.providers.dialects import DIALECTS, dialect_named
from agentsim.providers.openai_chat import LENIENT, STRICT, ChatProfile
from agentsim.providers.wires import plain_profile, profile_of
from agentsim.providers.wires.reference import profile_section
from agentsim.simulation import Scenario, run
from agentsim.simulation.files.scenario_file import build_scenario
from agentsim.simulation.files.writing import scenario_yaml

CHAT = "openai-chat"

MESSAGES = "anthropic-messages"


@pytest.mark.parametrize(
    ("told", "profile"),
    [
        ("strict", STRICT),
        ("lenient", LENIENT),
        ({}, STRICT),
        ({"like": "lenient"}, LENIENT),
        ({"unsupported": ["max_tokens"]}, ChatProfile(unsupported=("max_tokens",))),
        (
            {"like": "lenient", "context_tokens": 100},
            ChatProfile(off=LENIENT.off, context_tokens=100),
        ),
        (ChatProfile(models=("gpt",)), ChatProfile(models=("gpt",))),
    ],
)
def test_a_profile_is_told_by_its_name_or_by_what_differs(
    told: object, profile: ChatProfile
) -> None:
    """A mapping changes strict, or the profile that it names; and reads back."""
    assert profile_of(CHAT, told) == profile
    assert profile_of(CHAT, plain_profile(CHAT, profile)) == profile


@pytest.mark.parametrize(
    ("wire", "told", "words"),
    [
        ("openai", "strict", "'openai' is no wire, which are openai-chat"),
        (CHAT, "lenent", "expected strict or lenient, got 'lenent'; did you mean"),
        (CHAT, 3, "expected strict, lenient, a mapping or a ChatProfile, got a value"),
        (CHAT, {"like": 3}, "expected strict or lenient, got 3"),
        (CHAT, {"of": ["x"]}, "'of' is no field of it, which has off, unsupported"),
        (CHAT, {"off": ["orfan"]}, "off: 'orfan' is no rule of Chat Completions; did"),
        (CHAT, {"off": ["no-json"]}, "off: 'no-json' can't be switched off"),
        (CHAT, {"off": "orphan"}, "off: expected a list of texts, got 'orphan'"),
        (CHAT, {"context_tokens": "9"}, "expected a whole number or null, got '9'"),
        (CHAT, {"context_tokens": {1}}, "or null, got a value of type set"),
        (MESSAGES, {"prefill": 1}, "prefill: expected true or false or null, got 1"),
        (MESSAGES, {"signatures": "all"}, "expected any or own, got 'all'"),
        (MESSAGES, {"on": [3]}, "on: expected a list of texts, got [3]"),
    ],
)
def test_what_is_no_profile_is_told(wire: str, told: object, words: str) -> None:
    """In one sentence, with the field, where code and where a file says it."""
    with pytest.raises(UsageError) as caught:
        profile_of(wire, told)
    assert words in str(caught.value)
    with pytest.raises(ScenarioError) as told_by_scenario:
        Scenario(task="Go.", script=[say("Done.")], profiles={wire: told})
    assert words in str(told_by_scenario.value)
    assert f"profiles.{wire}: " in str(told_by_scenario.value)


FILE = """\
task: Go on.
script:
- say: Done.
profiles:
  openai-chat:
    like: lenient
    unsupported: [max_tokens]
"""


def refusals(scenario: Scenario) -> list[str | None]:
    """The rules that an agent's requests break: null content, and max_tokens."""

    async def agent(env: Env) -> None:
        client = env.http_client()
        for sent in (
            {"messages": [{"role": "user", "content": None}]},
            {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 5},
        ):
            url = "https://api.openai.com/v1/chat/completions"
            await client.post(url, json={"model": "gpt", **sent})

    made = run(scenario, agent)
    return [e.rule for e in made.trace.events if isinstance(e, RequestFailed)]


def test_a_scenario_says_how_strict_its_services_are() -> None:
    """Strict unless it says otherwise; what it says is judged by, and digested."""
    usual = Scenario(task="Go on.", script=[say("Done.")], name="scenario")
    changed = build_scenario(load_yaml(FILE, "scenario"), "scenario")
    assert refusals(usual) == ["null-content"]
    assert refusals(changed) == ["unsupported-parameter"]
    assert usual.digest != changed.digest
    strict = Scenario(
        task="Go on.", script=[say("Done.")], name="scenario", profiles={}
    )
    assert strict.digest == usual.digest


def test_profiles_read_back_from_a_file() -> None:
    """A scenario that is written as a file is the same scenario."""
    told: dict[str, Any] = {CHAT: {"like": "lenient", "unsupported": ["max_tokens"]}}
    scenario = Scenario(task="Go on.", script=[say("Done.")], profiles=told)
    again = build_scenario(load_yaml(scenario_yaml(scenario), "scenario"), "scenario")
    assert again == scenario


def test_a_bad_profile_in_a_file_is_told_with_its_line() -> None:
    """File, line and field, as for every other part of a scenario."""
    text = FILE.replace("max_tokens", "3").replace("[3]", "{a: 1}")
    with pytest.raises(ScenarioError) as caught:
        build_scenario(load_yaml(text, "scenario"), "scenario")
    assert str(caught.value).startswith("scenario:7: profiles.openai-chat.unsupported")


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_each_field_of_a_profile_is_told_on_the_page_of_its_wire(name: str) -> None:
    """With what it takes, its value in strict, and what it means, in words of a file."""
    dialect = dialect_named(name)
    section = profile_section(dialect.wire, dialect.strict)
    assert f"`profiles: {{{dialect.wire}: lenient}}`" in section
    for field in fields(dialect.strict):
        (row,) = (row for row in section.splitlines() if f"| `{field.name}` |" in row)
        assert all(cell.strip() for cell in row.strip("|").split(" | "))
    assert "None" not in section
