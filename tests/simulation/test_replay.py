"""A token repeats a run, and says so where it does not belong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import Env, TokenError
from agentsim.engine import Seeded, Token
from agentsim.providers import call, say
from agentsim.runtime import reference
from agentsim.simulation import EXPLORING, Menu, replay, run
from tests.simulation.fakes import obedient, reading, writing
from tests.support.scenarios import NAMES, scenario

EVERYTHING = Menu(EXPLORING.policy, EXPLORING.faults, cancel=True, crash=True)


@settings(max_examples=15)
@given(
    name=st.sampled_from(NAMES),
    seed=st.integers(0, 2**32),
    probability=st.sampled_from([0.02, 0.1, 0.3, 0.6, 1.0]),
    policy=st.sampled_from(["timed", "any_order"]),
    crash=st.booleans(),
)
def test_a_token_repeats_its_run(
    name: str, seed: int, probability: float, policy: str, crash: bool
) -> None:
    """Same trace, words, verdict and token, whatever was chosen in whichever menu."""
    menu = Menu(policy, EXPLORING.faults, cancel=True, crash=crash)  # type: ignore[arg-type]
    made = run(scenario(name), menu=menu, choices=Seeded(seed, probability))
    again = replay(scenario(name), made.token, menu=menu)
    assert again.trace.digest() == made.trace.digest()
    assert (again.words, again.token) == (made.words, made.token)
    assert again.verdict.judgements == made.verdict.judgements


def some_token() -> str:
    """A token with deviations, of the scenario `reading`."""
    made = run(reading(), menu=EVERYTHING, choices=Seeded(3, 0.5))
    assert made.words
    return made.token


def test_a_token_may_be_given_parsed() -> None:
    """A `Token` is as good as its text."""
    token = Token.parse(some_token())
    assert replay(reading(), token, menu=EVERYTHING).token == str(token)


async def reads_twice(env: Env) -> None:
    """Ask for nothing, and read the disk twice."""
    tool = next(tool for tool in env.tools if tool.name == "check_disk")
    for _ in range(2):
        await tool.run({})


def test_a_token_of_another_scenario_or_menu_says_so() -> None:
    """The fingerprint covers the scenario's content and the menu."""
    calm = run(reading()).token
    for other in (reading(seed=1), reading(task="Other."), writing()):
        with pytest.raises(TokenError, match="another scenario, agent or menu"):
            replay(other, calm)
    with pytest.raises(TokenError, match="here it is 'policy=any_order faults=none'"):
        replay(reading(), calm, menu=Menu("any_order"))


def test_a_token_of_another_agent_says_so() -> None:
    """An agent that meets other choices can't be told to make these."""
    token = some_token()
    with pytest.raises(TokenError, match="does not fit"):
        replay(reading(), token, reads_twice, menu=EVERYTHING)


def test_a_deviation_that_the_run_does_not_reach_is_told() -> None:
    """A position behind the last choice is refused, with how many there are."""
    mark = some_token().partition("~")[2]
    with pytest.raises(TokenError, match="it deviates at choice 999"):
        replay(reading(), f"999:1~{mark}", menu=EVERYTHING)


def test_a_value_that_the_choice_does_not_have_is_told() -> None:
    """A value behind the last option is refused, with the choice."""
    mark = some_token().partition("~")[2]
    with pytest.raises(TokenError, match="can't take the value 99"):
        replay(reading(), f"0:99~{mark}", menu=EVERYTHING)


def test_agents_that_meet_the_same_choices_share_tokens() -> None:
    """The token of a mended agent is that of the broken one, so that it can be tried."""
    scenario_of_both = reading(script=[call("check_disk"), say("Half full.")])
    tokens = [run(scenario_of_both, agent).token for agent in (reference, obedient)]
    assert tokens[0] == tokens[1]
