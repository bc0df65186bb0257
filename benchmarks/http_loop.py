"""A loop on the SDK of OpenAI over HTTP: our server against a constant application.

Both serve from a process of their own, and one client asks both, in turn. Run as a module
with a port as its argument this is the constant application.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from typing import Any

from agentsim.providers import Reply
from agentsim.simulation import Scenario, load_scenario
from benchmarks.openai_loop import body_of, definitions_of

__all__ = ["constant_server", "loop", "served", "up_s"]

FILE = Path(__file__).parents[1] / "scenarios" / "high_cpu.yaml"

FIRST = b'{"model": "m", "messages": [{"role": "user", "content": "go"}]}'


def bodies(scenario: Scenario) -> list[bytes]:
    """The answers of a scenario as prepared bodies."""
    replies = [entry for entry in scenario.replies if isinstance(entry, Reply)]
    return [body_of(reply, index) for index, reply in enumerate(replies)]


@contextmanager
def served() -> Iterator[str]:
    """Our server; its address, up to `/v1`."""
    words = ["-m", "agentsim.cli", "serve", str(FILE)]
    with _process(words) as (process, line):
        yield line.partition("=")[2].strip()
        process.terminate()


@contextmanager
def constant_server() -> Iterator[str]:
    """The constant application; its address, up to `/v1`."""
    with _process(["-m", "benchmarks.http_loop"]) as (process, line):
        yield line.strip()
        process.terminate()


@contextmanager
def _process(words: list[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline()
        process.stdout.read()


def up_s() -> float:
    """Seconds from the start of a process to its first answer."""
    started = time.perf_counter()
    with served() as url:
        with urllib.request.urlopen(f"{url}/chat/completions", FIRST) as answer:
            answer.read()
        return time.perf_counter() - started


def loop(url: str) -> Callable[[], str]:
    """A whole conversation with a client that is kept, each as a run of its own."""
    from openai import OpenAI

    scenario = load_scenario(FILE)
    tools: list[Any] = definitions_of(scenario.known_tools)
    client = OpenAI(base_url=url, api_key="agentsim", max_retries=0)
    numbers = count()

    def converse() -> str:
        headers = {"x-agentsim-run": f"run-{next(numbers)}"}
        messages: list[Any] = [{"role": "user", "content": scenario.task}]
        while True:
            completion = client.chat.completions.create(
                model="gpt-5", messages=messages, tools=tools, extra_headers=headers
            )
            message = completion.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return str(message.content)
            messages += [
                {"role": "tool", "tool_call_id": call.id, "content": "fine"}
                for call in message.tool_calls
            ]

    return converse


def main() -> None:
    """Serve prepared bodies, one after the other, on a free port."""
    import socket

    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    answers = cycle(bodies(load_scenario(FILE)))

    async def answer(request: Request) -> Response:
        json.loads(await request.body())
        return Response(next(answers), media_type="application/json")

    app = Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])
    listening = socket.socket(proto=socket.IPPROTO_TCP)  # as uvicorn's own
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/v1", flush=True)
    config = uvicorn.Config(app, log_level="critical", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
