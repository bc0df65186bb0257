"""No module of agentsim reads the clock, draws chance or reaches outside."""

import pytest

from tests.house.bans import ALLOWED, BY_NAME, offences
from tests.support.source import PACKAGES, modules, modules_of, parse


@pytest.mark.parametrize("package", PACKAGES, ids=lambda name: name or "root")
def test_nothing_banned_is_used(package: str) -> None:
    """Each banned use is in the list of allowed places, or not there at all."""
    assert [
        str(offence)
        for module in modules_of(package)
        for offence in offences(module)
        if not any(entry.covers(module.path, offence.ban.name) for entry in ALLOWED)
    ] == []


@pytest.mark.slow
def test_every_allowance_is_needed() -> None:
    """An entry for code that is there, but needs it no more, has to go."""
    paths = [module.path for module in modules() if not module.is_init]
    named = [m for m in modules() if any(e.covers(m.path, e.ban) for e in ALLOWED)]
    used = {
        entry
        for module in named
        for offence in offences(module)
        for entry in ALLOWED
        if entry.covers(module.path, offence.ban.name)
    }
    there = [e for e in ALLOWED if any(e.covers(path, e.ban) for path in paths)]
    assert [str(entry) for entry in there if entry not in used] == []


def test_every_allowance_names_a_ban_and_a_reason() -> None:
    """The list of allowed places is about bans that exist, and explains itself."""
    assert all(entry.ban in BY_NAME and entry.reason for entry in ALLOWED)


@pytest.mark.parametrize(
    ("code", "ban"),
    [
        ("import time\ntime.time()", "wall-clock"),
        ("import time as t\nt.perf_counter()", "wall-clock"),
        ("from time import monotonic as now\nnow()", "wall-clock"),
        ("import datetime\ndatetime.datetime.now()", "wall-clock"),
        ("from datetime import datetime\ndatetime.utcnow()", "wall-clock"),
        ("from datetime import date as d\nread = d.today", "wall-clock"),
        ("import time\ntime.sleep(1)", "sleep"),
        ("import random\nrandom.random()", "chance"),
        ("from random import shuffle\nshuffle([])", "chance"),
        ("from random import Random\nRandom(1)", "chance"),
        ("from uuid import uuid4\nuuid4()", "chance"),
        ("import os\nos.urandom(8)", "chance"),
        ("import secrets\nsecrets.token_hex()", "chance"),
        ("import socket\nsocket.socket()", "network"),
        ("import urllib.request\nurllib.request.urlopen('u')", "network"),
        ("import asyncio\nasyncio.open_connection('h', 1)", "network"),
        ("import subprocess\nsubprocess.run(['ls'])", "processes"),
        ("import os\nos.system('ls')", "processes"),
        ("id(object())", "addresses"),
        ("sorted([], key=id)", "addresses"),
        ("hash('a')", "addresses"),
        ("import asyncio\nasyncio.events._set_running_loop(None)", "private-asyncio"),
        ("from asyncio import _enter_task\n_enter_task", "private-asyncio"),
        ("for x in {1, 2}: pass", "set-order"),
        ("for x in set([2, 1]): pass", "set-order"),
        ("[x for x in {y for y in 'ab'}]", "set-order"),
        ("list(frozenset('ab'))", "set-order"),
        ("[*set('ab')]", "set-order"),
        ("', '.join({'a', 'b'})", "set-order"),
        ("for x in set('ab') - {'a'}: pass", "set-order"),
    ],
)
def test_a_banned_use_is_found(code: str, ban: str) -> None:
    """Each kind of ban is found, behind any alias, and tells the replacement."""
    (offence,) = offences(parse("agentsim/core/sample.py", code))
    assert offence.ban.name == ban
    assert offence.ban.instead in str(offence)
    assert str(offence).startswith("agentsim/core/sample.py:")


@pytest.mark.parametrize(
    "code",
    [
        "import time\n\ndef f(clock): return clock.time()",
        "import asyncio\nasyncio.sleep(1)",
        "sorted({2, 1})",
        "2 in {1, 2}",
        "call.id",
        "class A:\n    id: str\n    hash: int = 0",
        "d = {}\nfor key in d: pass",
        "import uuid\nuuid.UUID(int=1)",
        "import datetime\ndatetime.datetime(2030, 1, 1)",
        "class A:\n    def __hash__(self): return 1",
    ],
)
def test_an_innocent_use_is_not_found(code: str) -> None:
    """What only looks like a banned call is left alone."""
    assert list(offences(parse("agentsim/core/sample.py", code))) == []
