"""Runs agents deterministically: choices, loop, virtual clock, gates and crashes."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.engine.choices import Choices as Choices
    from agentsim.engine.choices import Replay as Replay
    from agentsim.engine.choices import Seeded as Seeded
    from agentsim.engine.endings import Ending as Ending
    from agentsim.engine.engine import Engine as Engine
    from agentsim.engine.engine import Policy as Policy
    from agentsim.engine.exhaustive import Exhaustive as Exhaustive
    from agentsim.engine.gates import Fenced as Fenced
    from agentsim.engine.life import Life as Life
    from agentsim.engine.loop import SimLoop as SimLoop
    from agentsim.engine.refusals import Refused as Refused
    from agentsim.engine.scheduler import Told as Told
    from agentsim.engine.seals.epoch import EPOCH_NS as EPOCH_NS
    from agentsim.engine.seals.hook import ask_guards as ask_guards
    from agentsim.engine.seals.no_network import NoNetwork as NoNetwork
    from agentsim.engine.seals.sealed import Series as Series
    from agentsim.engine.seals.strays import unseen_clients as unseen_clients
    from agentsim.engine.self_test import self_test as self_test
    from agentsim.engine.threads.baton import Baton as Baton
    from agentsim.engine.threads.turns import in_turn as in_turn
    from agentsim.engine.threads.watchdog import watching_threads as watching_threads
    from agentsim.engine.token import Token as Token
    from agentsim.engine.token import fingerprint as fingerprint
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Baton": "threads.baton",
            "Choices": "choices",
            "EPOCH_NS": "seals.epoch",
            "Ending": "endings",
            "Engine": "engine",
            "Exhaustive": "exhaustive",
            "Fenced": "gates",
            "Life": "life",
            "NoNetwork": "seals.no_network",
            "Policy": "engine",
            "Refused": "refusals",
            "Replay": "choices",
            "Seeded": "choices",
            "Series": "seals.sealed",
            "SimLoop": "loop",
            "Token": "token",
            "Told": "scheduler",
            "ask_guards": "seals.hook",
            "fingerprint": "token",
            "in_turn": "threads.turns",
            "self_test": "self_test",
            "unseen_clients": "seals.strays",
            "watching_threads": "threads.watchdog",
        },
    )
