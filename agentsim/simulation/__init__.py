"""One run, one verdict, and many: the only place where acting and judging meet."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.simulation.agents import Agent as Agent
    from agentsim.simulation.agents import agent_name as agent_name
    from agentsim.simulation.agents import import_agent as import_agent
    from agentsim.simulation.agents import import_target as import_target
    from agentsim.simulation.agents import to_write as to_write
    from agentsim.simulation.expectation import EXPECTED as EXPECTED
    from agentsim.simulation.expectation import Expectation as Expectation
    from agentsim.simulation.exploring.capture import with_output as with_output
    from agentsim.simulation.exploring.explore import RUNS as RUNS
    from agentsim.simulation.exploring.explore import explore as explore
    from agentsim.simulation.exploring.findings import Exploration as Exploration
    from agentsim.simulation.exploring.findings import (
        ExplorationStopped as ExplorationStopped,
    )
    from agentsim.simulation.exploring.findings import Failure as Failure
    from agentsim.simulation.exploring.known import KNOWN_FOLDER as KNOWN_FOLDER
    from agentsim.simulation.exploring.known import Known as Known
    from agentsim.simulation.exploring.known import KnownFailure as KnownFailure
    from agentsim.simulation.exploring.known import KnownFailures as KnownFailures
    from agentsim.simulation.exploring.sampling import Sampled as Sampled
    from agentsim.simulation.exploring.warming import warm_up as warm_up
    from agentsim.simulation.files.entries import ScenarioFile as ScenarioFile
    from agentsim.simulation.files.reference import scenario_page as scenario_page
    from agentsim.simulation.files.reference import scenario_schema as scenario_schema
    from agentsim.simulation.files.scenario_file import load_scenario as load_scenario
    from agentsim.simulation.files.writing import scenario_yaml as scenario_yaml
    from agentsim.simulation.judging import judge_cut_off as judge_cut_off
    from agentsim.simulation.judging import judge_whole as judge_whole
    from agentsim.simulation.judging import met_in as met_in
    from agentsim.simulation.judging import verdict_on as verdict_on
    from agentsim.simulation.menu import EXPLORING as EXPLORING
    from agentsim.simulation.menu import SCRIPTED as SCRIPTED
    from agentsim.simulation.menu import Menu as Menu
    from agentsim.simulation.outside.model import scripted_client as scripted_client
    from agentsim.simulation.outside.scene import Scene as Scene
    from agentsim.simulation.recorded.stories import RecordedStory as RecordedStory
    from agentsim.simulation.recorded.stories import listed_stories as listed_stories
    from agentsim.simulation.recorded.stories import scenario_of as scenario_of
    from agentsim.simulation.recorded.stories import stories_of as stories_of
    from agentsim.simulation.run import Run as Run
    from agentsim.simulation.run import replay as replay
    from agentsim.simulation.run import run as run
    from agentsim.simulation.scenario import Scenario as Scenario
    from agentsim.simulation.source.regression import expression_of as expression_of
    from agentsim.simulation.source.regression import (
        regression_test as regression_test,
    )
    from agentsim.simulation.source.regression import source_of as source_of
    from agentsim.simulation.verdict import RUNS_INDEPENDENT as RUNS_INDEPENDENT
    from agentsim.simulation.verdict import Verdict as Verdict
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Agent": "agents",
            "EXPECTED": "expectation",
            "EXPLORING": "menu",
            "Expectation": "expectation",
            "Exploration": "exploring.findings",
            "ExplorationStopped": "exploring.findings",
            "Failure": "exploring.findings",
            "KNOWN_FOLDER": "exploring.known",
            "Known": "exploring.known",
            "KnownFailure": "exploring.known",
            "KnownFailures": "exploring.known",
            "Menu": "menu",
            "RUNS": "exploring.explore",
            "RUNS_INDEPENDENT": "verdict",
            "RecordedStory": "recorded.stories",
            "Run": "run",
            "SCRIPTED": "menu",
            "Sampled": "exploring.sampling",
            "Scenario": "scenario",
            "ScenarioFile": "files.entries",
            "Scene": "outside.scene",
            "Verdict": "verdict",
            "agent_name": "agents",
            "explore": "exploring.explore",
            "expression_of": "source.regression",
            "import_agent": "agents",
            "import_target": "agents",
            "judge_cut_off": "judging",
            "judge_whole": "judging",
            "listed_stories": "recorded.stories",
            "load_scenario": "files.scenario_file",
            "met_in": "judging",
            "regression_test": "source.regression",
            "replay": "run",
            "run": "run",
            "scenario_of": "recorded.stories",
            "scenario_page": "files.reference",
            "scenario_schema": "files.reference",
            "scenario_yaml": "files.writing",
            "scripted_client": "outside.model",
            "source_of": "source.regression",
            "stories_of": "recorded.stories",
            "to_write": "agents",
            "verdict_on": "judging",
            "warm_up": "exploring.warming",
            "with_output": "exploring.capture",
        },
    )
