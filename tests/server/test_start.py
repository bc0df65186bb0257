"""How soon a server is up hangs on what it loads: a program waits for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.source import ROOT

UP = """\
import sys
from agentsim.cli import serve_command
from agentsim.cli.serving import running

def serve_until_stopped(listening):
    listening.close()
    print(*sorted(sys.modules))
    sys.stdout.flush()
    raise SystemExit

running.serve_until_stopped = serve_until_stopped
serve_command.command(
    scenario="scenarios/high_cpu.yaml", program=None, port=0, host="127.0.0.1",
    latency="none", trace=None, as_json=False,
)
"""

LATER = (
    "agentsim.engine.loop",
    "agentsim.invariants.judging",
    "agentsim.report.timeline",
    "agentsim.runtime",
    "agentsim.server.control",
    "agentsim.simulation.run",
    "anthropic",
    "httpx2",
    "openai",
    "rich.console",
    "starlette",
)
"""What serving needs not, and judging, printing or the control surface may."""


@pytest.mark.slow
def test_a_server_loads_nothing_but_what_answers() -> None:
    """The engine, the judges and all that prints are loaded when they are needed."""
    done = subprocess.run(
        [sys.executable, "-c", UP],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
    )
    loaded = done.stdout.splitlines()[-1].split()
    assert "agentsim.server.listening" in loaded
    assert [name for name in LATER if name in loaded] == []
