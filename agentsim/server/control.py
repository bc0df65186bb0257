"""The control surface of a server: what its runs did, and what is to happen next.

Every endpoint is one row of `ENDPOINTS`: the routes, the answer to `GET /_agentsim/` and
the page of the reference are made of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agentsim.core import UsageError
from agentsim.server.asgi import App, ClientLeft, read_body
from agentsim.server.deviating import read_deviations
from agentsim.server.endpoints import ENDPOINTS, PREFIX
from agentsim.server.runs import Runs
from agentsim.server.session import Session
from agentsim.server.telling import state_of, verdict_of
from agentsim.trace import to_jsonl

__all__ = ["control_app"]

Handler = Callable[[Runs, Request, object], Response]


def control_app(runs: Runs, scenario: str) -> App:
    """The application below `/_agentsim/`.

    Args:
        scenario: Name of the scenario that is served.
    """
    routes = [
        Route(
            entry.path,
            partial(_handle, _HANDLERS[entry.name], runs),
            methods=[entry.method],
        )
        for entry in ENDPOINTS
        if entry.name != "index"
    ]
    index = partial(_handle, partial(_index, scenario), runs)
    routes.insert(0, Route(PREFIX, index, methods=["GET"]))
    handlers: Mapping[Any, Any] = {HTTPException: _unknown}
    return Starlette(routes=routes, exception_handlers=handlers)


@dataclass(frozen=True)
class _Unfit(Exception):
    """A request that can't be served: its status, and why, in one sentence."""

    status: int
    words: str


async def _handle(handler: Handler, runs: Runs, request: Request) -> Response:
    """Read the body of a request, and answer it; what is wrong is told as JSON."""
    try:
        raw = await read_body(request.receive)
        return handler(runs, request, _json(raw))
    except _Unfit as error:
        return _told({"error": error.words}, error.status)
    except UsageError as error:
        return _told({"error": str(error)}, 400)
    except ClientLeft:
        return Response(status_code=400)
    except Exception as error:  # noqa: BLE001 - told to who asks, and never a traceback
        words = f"internal error of agentsim, please report it: {type(error).__name__}"
        return _told({"error": words}, 500)


def _json(raw: bytes | None) -> object:
    if raw is None:
        raise _Unfit(413, "the body is too large")
    if not raw.strip():
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise _Unfit(400, "the body is no JSON: expected an object") from None


def _index(scenario: str, runs: Runs, _request: Request, _body: object) -> Response:
    endpoints = [
        {"method": entry.method, "path": entry.path, "what": entry.sentence}
        for entry in ENDPOINTS
    ]
    names = [session.name for session in runs]
    return _told({"scenario": scenario, "runs": names, "endpoints": endpoints})


def _runs(runs: Runs, _request: Request, _body: object) -> Response:
    return _told({"runs": [state_of(session) for session in runs]})


def _state(runs: Runs, request: Request, _body: object) -> Response:
    return _told(state_of(_known(runs, request)))


def _trace(runs: Runs, request: Request, _body: object) -> Response:
    text = to_jsonl(_known(runs, request).trace())
    return Response(text, media_type="application/x-ndjson")


def _verdict(runs: Runs, request: Request, _body: object) -> Response:
    return _told(verdict_of(_known(runs, request)).data)


def _end(runs: Runs, request: Request, _body: object) -> Response:
    session = _known(runs, request)
    session.end()
    return _told(verdict_of(session).data)


def _reset(runs: Runs, request: Request, _body: object) -> Response:
    return _told(state_of(runs.reset(request.path_params["run"])))


def _deviations(runs: Runs, request: Request, body: object) -> Response:
    given = body.get("deviations") if isinstance(body, dict) else None
    rules = read_deviations(given)
    session = runs.named(request.path_params["run"])
    if session.state in ("halted", "ended"):
        raise _Unfit(
            409,
            f"the run {session.name!r} is {session.state}: nothing strikes it any more; "
            f"POST {PREFIX}runs/{session.name}/reset begins it anew",
        )
    session.ask_for(rules)
    return _told(state_of(session))


_HANDLERS: Mapping[str, Handler] = {
    "runs": _runs,
    "state": _state,
    "trace": _trace,
    "verdict": _verdict,
    "deviations": _deviations,
    "end": _end,
    "reset": _reset,
}
"""Name of an endpoint -> what answers it."""


def _known(runs: Runs, request: Request) -> Session:
    name = request.path_params["run"]
    session = runs.get(name)
    if session is None:
        known = ", ".join(one.name for one in runs) or "none yet"
        raise _Unfit(
            404,
            f"there is no run {name!r} (there are: {known}); a run begins with its first "
            f"request, or by POST {PREFIX}runs/{name}/reset",
        )
    return session


def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = (
        f"{request.method} {request.url.path} is none of the endpoints: see {PREFIX}"
    )
    return _told({"error": words}, error.status_code)


def _told(data: Mapping[str, Any], status: int = 200) -> Response:
    return JSONResponse(dict(data), status)
