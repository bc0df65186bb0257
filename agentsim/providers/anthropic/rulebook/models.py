"""What a model refuses that another takes, as its name or its profile says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from agentsim.core import MessageView, tokens_of
from agentsim.providers.anthropic.rulebook.profile import MessagesProfile
from agentsim.providers.anthropic.rulebook.table import refuse
from agentsim.providers.anthropic.rulebook.values import Faults

__all__ = ["Abilities", "abilities", "context_faults", "model_faults", "thinks"]

_NEWER = re.compile(r"claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?:-(?:\d{8}|latest))?")
_OLDER = re.compile(r"claude-(\d)(?:-(\d))?-([a-z]+)(?:-(?:\d{8}|latest))?")

MODES = ("enabled", "adaptive", "disabled", "between_tools")


class Abilities(NamedTuple):
    """What a model takes.

    Attributes:
        thinking: Modes of thinking.
        thinks_unasked: Whether it thinks where a request says nothing of it.
    """

    prefill: bool = True
    system_role: bool = True
    thinking: tuple[str, ...] = MODES
    thinks_unasked: bool = False


def abilities(model: str, profile: MessagesProfile) -> Abilities:
    """What the profile says of a model, else what its name does."""
    known = _of_name(model)
    told = {
        field: value
        for field in Abilities._fields
        if (value := getattr(profile, field)) is not None
    }
    return known._replace(**told)


def _of_name(model: str) -> Abilities:
    version, family = (0, 0), ""
    if found := _NEWER.fullmatch(model):
        family, version = found[1], (int(found[2]), int(found[3] or 0))
    elif found := _OLDER.fullmatch(model):
        family, version = found[3], (int(found[1]), int(found[2] or 0))
    else:
        return Abilities()
    modes = [mode for mode in MODES if mode != "enabled" or version < (4, 7)]
    if version < (4, 6):
        modes.remove("adaptive")
    return Abilities(
        prefill=version < (4, 6),
        system_role=version >= (5, 5)
        or (family == "fable" and version >= (5, 0))
        or (family == "opus" and version >= (4, 8)),
        thinking=tuple(modes),
        thinks_unasked=version >= (5, 0),
    )


def thinks(body: Mapping[str, Any], able: Abilities) -> bool:
    """Whether the model thinks for this request."""
    mode = (body.get("thinking") or {}).get("type")
    return able.thinks_unasked if mode is None else mode != "disabled"


def model_faults(
    body: Mapping[str, Any], able: Abilities, profile: MessagesProfile
) -> Faults:
    """What the model of a request does not take."""
    model = body["model"]
    if profile.models is not None and model not in profile.models:
        yield refuse("unknown-model", f"model: {model}")
    mode = (body.get("thinking") or {}).get("type")
    if mode is not None and mode not in able.thinking:
        yield refuse("thinking-mode", _no_mode(mode))
    for key in ("temperature", "top_p", "top_k"):
        if body.get(key) is not None and not profile.sampling:
            yield refuse("sampling", f"`{key}` is not supported on this model.")
    asked, most = body.get("max_tokens"), profile.max_tokens
    if asked is not None and most is not None and asked > most:
        words = (
            f"{asked} > {most}, which is the maximum allowed number of output tokens "
            f"for {model}"
        )
        yield refuse("max-tokens", words, "max_tokens")


def _no_mode(mode: str) -> str:
    if mode == "enabled":
        return (
            '"thinking.type.enabled" is not supported for this model. Use '
            '"thinking.type.adaptive" and "output_config.effort" to control thinking '
            "behavior."
        )
    return f"{mode} thinking is not supported on this model"


def context_faults(
    body: Mapping[str, Any], view: MessageView, profile: MessagesProfile
) -> Faults:
    """Whether a request is too long for the model, four characters to a token."""
    room = profile.context_tokens
    if room is None:
        return
    tokens = tokens_of(view.characters)
    if tokens > room:
        yield refuse(
            "prompt-length", f"prompt is too long: {tokens} tokens > {room} maximum"
        )
    asked = body.get("max_tokens") or 0
    if not profile.context_stops and tokens + asked > room:
        words = (
            f"input length and `max_tokens` exceed context limit: {tokens} + {asked} > "
            f"{room}, decrease input length or `max_tokens` and try again"
        )
        yield refuse("context-length", words)
