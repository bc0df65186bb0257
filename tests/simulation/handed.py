"""Finds all that an agent could change of what it is handed, and changes it."""

from collections.abc import Iterator, Mapping
from inspect import Signature
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

from agentsim.core import Env, Message, Request, system, tool_result, user

_LEAVES = (str, int, float, bool, bytes, type(None), type, FunctionType)
_LEADING_OUT = (
    *("openai", "openai_sync", "anthropic", "anthropic_sync"),
    *("http_client", "http_client_sync"),
)
_DEEPEST = 14


def reachable(roots: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    """Every object that public names lead to from some, each once, with its path."""
    seen: dict[int, object] = {}
    left = list(roots.items())[::-1]
    while left:
        path, found = left.pop()
        if id(found) in seen or path.count(".") + path.count("[") > _DEEPEST:
            continue
        seen[id(found)] = found  # kept, so that its address is not given anew
        if not isinstance(found, _LEAVES):
            yield path, found
        left += [(path + step, inner) for step, inner in _inside(found)]


def _inside(found: object) -> Iterator[tuple[str, object]]:
    if isinstance(found, FunctionType):
        signature = getattr(found, "__signature__", None)
        if isinstance(signature, Signature):
            for name, entry in signature.parameters.items():
                yield f".{name}", entry.default
        yield ".__annotations__", found.__annotations__
    elif isinstance(found, Mapping):
        yield from [(f"[{key!r}]", entry) for key, entry in found.items()]
    elif isinstance(found, (list, tuple)):
        yield from [(f"[{at}]", entry) for at, entry in enumerate(found)]
    elif isinstance(found, BaseException):
        yield ".__dict__", vars(found)
        yield ".__cause__", found.__cause__
    elif not isinstance(found, _LEAVES):
        for name in dir(found):
            if name.startswith("_") or name in _LEADING_OUT:
                continue
            inner = getattr(found, name)
            if not isinstance(inner, (MethodType, BuiltinMethodType)):
                yield f".{name}", inner


def changed(found: object) -> bool:
    """Change an object, as far as it lets itself be changed; whether it did."""
    if isinstance(found, dict):
        for key, value in list(found.items()):
            if isinstance(value, str):
                found[key] = value + "!"
        found["changed"] = "yes"
    elif isinstance(found, list):
        found.append("changed")
    elif isinstance(found, BaseException):
        found.args = ("changed",)
        found.add_note("changed")
    else:
        return False
    return True


async def handed(env: Env, calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """An environment, and all that comes of its calls: name -> object."""
    found: dict[str, Any] = {"env": env}
    tools = {one.name: one for one in env.tools}
    for number, (name, arguments) in enumerate(calls):
        found[f"arguments {number}"] = arguments
        try:
            found[f"{name} {number}"] = await tools[name].run(arguments)
        except Exception as error:  # noqa: BLE001 - an error is handed out as well
            found[f"{name} {number}"] = error
    messages: list[Message] = [system(env.prompt or ""), *env.history, user(env.task)]
    offered = [one.definition for one in env.tools]
    for number in range(2):
        request = Request(env.model, tuple(messages), offered)
        answer = await env.client.complete(request)
        found[f"answer {number}"] = answer
        messages.append(answer.message)
        messages += [tool_result(one.id, "ok") for one in answer.message.tool_calls]
    request = Request(env.model, tuple(messages[:3]), offered)
    found["pieces"] = [piece async for piece in env.client.stream(request)]
    return found
