"""Deterministic simulation and testing for agent loops.

The names below are the public entry points; everything else is imported from the
package that owns it (`from agentsim.faults import answer_lost`). Importing agentsim
loads nothing and changes nothing: each name is resolved on first use.

To add a name: one line under `TYPE_CHECKING` and one in the table. The value in the
table is the package that exports it (`"Scenario": "simulation"`). At most 50 names.
"""

from agentsim._lazy import attach

__version__ = "0.1.0"

# Tools take this name for true. Importing `typing` for it would be most of the time that
# `import agentsim` costs; the packages below use it anyway and import it as usual.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from agentsim.cassettes.deck import use_cassette as use_cassette
    from agentsim.core import AgentsimError as AgentsimError
    from agentsim.core import Env as Env
    from agentsim.core import Finished as Finished
    from agentsim.core import Limits as Limits
    from agentsim.core import LoopRules as LoopRules
    from agentsim.core import RunResult as RunResult
    from agentsim.providers import by as by
    from agentsim.providers import call as call
    from agentsim.providers import forever as forever
    from agentsim.providers import pick as pick
    from agentsim.providers import say as say
    from agentsim.providers import together as together
    from agentsim.runtime import reference as reference
    from agentsim.simulation import Exploration as Exploration
    from agentsim.simulation import Menu as Menu
    from agentsim.simulation import Run as Run
    from agentsim.simulation import Scenario as Scenario
    from agentsim.simulation import explore as explore
    from agentsim.simulation import load_scenario as load_scenario
    from agentsim.simulation import replay as replay
    from agentsim.simulation import run as run
    from agentsim.world import tool as tool
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "AgentsimError": "core",
            "Env": "core",
            "Exploration": "simulation",
            "Finished": "core",
            "Limits": "core",
            "LoopRules": "core",
            "Menu": "simulation",
            "Run": "simulation",
            "RunResult": "core",
            "Scenario": "simulation",
            "by": "providers",
            "call": "providers",
            "explore": "simulation",
            "forever": "providers",
            "load_scenario": "simulation",
            "pick": "providers",
            "reference": "runtime",
            "replay": "simulation",
            "run": "simulation",
            "say": "providers",
            "together": "providers",
            "tool": "world",
            "use_cassette": "cassettes.deck",
        },
    )
