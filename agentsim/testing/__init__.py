"""Property tests of agents with Hypothesis: drawn simulations, and sessions of turns.

Hypothesis draws what the model says, the world, the faults and the choices of a run;
what it finds shrinks to a short script with few deviations, and is printed as a test.
"""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.testing.choices import Drawn as Drawn
    from agentsim.testing.choices import schedules as schedules
    from agentsim.testing.plans import any_faults as any_faults
    from agentsim.testing.plans import fault_plans as fault_plans
    from agentsim.testing.scripts import scripts as scripts
    from agentsim.testing.sessions import SessionMachine as SessionMachine
    from agentsim.testing.sessions import session_machine as session_machine
    from agentsim.testing.simulation import DrawnRun as DrawnRun
    from agentsim.testing.simulation import Simulation as Simulation
    from agentsim.testing.simulations import simulations as simulations
    from agentsim.testing.worlds import devops as devops
    from agentsim.testing.worlds import worlds as worlds
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Drawn": "choices",
            "DrawnRun": "simulation",
            "SessionMachine": "sessions",
            "Simulation": "simulation",
            "any_faults": "plans",
            "devops": "worlds",
            "fault_plans": "plans",
            "schedules": "choices",
            "scripts": "scripts",
            "session_machine": "sessions",
            "simulations": "simulations",
            "worlds": "worlds",
        },
    )
