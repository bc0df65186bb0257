"""When two requests of this wire say the same, to the byte of what they say."""

from __future__ import annotations

from typing import Any


def meaning(value: object) -> Any:  # noqa: ANN401
    """JSON without what says nothing: null keys of blocks, one text as text or block."""
    if isinstance(value, list):
        return [meaning(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    left = {key: meaning(entry) for key, entry in value.items()}
    if "role" in left:
        left["content"] = [_block(block) for block in _listed(left["content"])]
    return left


def meaning_of_system(value: object) -> Any:  # noqa: ANN401
    """The same for a system prompt."""
    return None if value in ("", [], None) else [_block(b) for b in _listed(value)]


def _listed(content: object) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []


def _block(block: object) -> Any:  # noqa: ANN401
    if not isinstance(block, dict):
        return block
    left = {key: value for key, value in block.items() if value is not None}
    if left.get("caller") == {"type": "direct"}:
        del left["caller"]
    if left.get("type") == "tool_result":
        if left.get("is_error") is False:
            del left["is_error"]
        left["content"] = [_block(entry) for entry in _listed(left.get("content"))]
    return left
