"""The format of cassettes as a JSON Schema, and the reference page made from it."""

from __future__ import annotations

import json
from typing import Any

from agentsim.cassettes.literals import ESCAPED
from agentsim.cassettes.recognising import HEADER_KEY
from agentsim.cassettes.records import ENDINGS, VERSION

__all__ = ["cassette_page", "cassette_schema"]

_TEXT = {"$ref": "#/$defs/text"}
_MS = {"$ref": "#/$defs/milliseconds"}
_TEXTS = {"$ref": "#/$defs/texts"}


def cassette_schema() -> dict[str, Any]:
    """The JSON Schema that each document of a cassette fits."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A document of an agentsim cassette",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in _DOCUMENTS],
        "$defs": {**_DOCUMENTS, **_PARTS},
    }


def _object(words: str, *required: str, **properties: object) -> dict[str, Any]:
    return {
        "description": words,
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _told(words: str, of: dict[str, Any]) -> dict[str, Any]:
    return {**of, "description": words}


def _list(words: str, of: str) -> dict[str, Any]:
    return _told(words, {"type": "array", "items": {"$ref": f"#/$defs/{of}"}})


_COMPLETE = _told(
    "Closes the document: what lacks it was never finished.", {"const": True}
)
_NUMBER = _told(
    "Which request or call of the recording it was, by the time it began.",
    {"type": "integer", "minimum": 1},
)
_AT = _told("From the start of the recording.", _MS)

_DOCUMENTS: dict[str, dict[str, Any]] = {
    "header": _object(
        "The first document, and the only one of its kind.",
        HEADER_KEY,
        "complete",
        **{HEADER_KEY: _told("Version of the format.", {"const": VERSION})},
        recorded_by=_told("Name and version of what wrote it.", _TEXT),
        recorded_at=_told("When the recording began, ISO 8601 in UTC.", _TEXT),
        owner=_told("What it was recorded for, such as the id of a test.", _TEXT),
        complete=_COMPLETE,
    ),
    "exchange": _object(
        "A request to the service of a model, and the answer.",
        *("kind", "number", "request", "answer", "complete"),
        kind={"const": "exchange"},
        number=_NUMBER,
        wire=_told("Name of the dialect, such as openai-chat.", _TEXT),
        at_ms=_AT,
        request={"$ref": "#/$defs/request"},
        answer={"$ref": "#/$defs/answer"},
        message={"$ref": "#/$defs/message"},
        complete=_COMPLETE,
    ),
    "tool": _object(
        "A call of a tool, and what came of it.",
        *("kind", "number", "complete"),
        kind={"const": "tool"},
        number=_NUMBER,
        name=_told("Of the tool.", _TEXT),
        call_id=_told("Id of the call, as the model gave it.", _TEXT),
        at_ms=_AT,
        took_ms=_told("Until it was done.", _MS),
        arguments=_told("JSON text.", _TEXT),
        result=_told("What the model is given.", _TEXT),
        error=_told("What it failed with; not there when it did not.", _TEXT),
        returned=_told(
            "What the result is: a text when it is not there, json for a value written as "
            "JSON, json of datetime where JSON has no form for a part of it.",
            _TEXT,
        ),
        raised=_told("Name of the class of the exception that it failed with.", _TEXT),
        complete=_COMPLETE,
    ),
}

_PARTS: dict[str, dict[str, Any]] = {
    "request": _object(
        "What was sent.",
        method=_told("POST when it is not there.", _TEXT),
        url=_told("Without secrets.", _TEXT),
        headers=_told("Those that may be kept, names in lower case.", _TEXTS),
        body=_told("As it was sent, secrets replaced.", _TEXT),
    ),
    "answer": _object(
        "What came back, with a body or with chunks.",
        status=_told(
            "Null when no answer came; 200 when it is not there.",
            {"type": ["integer", "null"], "minimum": 100, "maximum": 599},
        ),
        at_ms=_told("From the request to the head of the answer.", _MS),
        ended=_told("Whole when it is not there.", {"enum": list(ENDINGS)}),
        error=_told("What broke it off.", _TEXT),
        headers=_told("Those that may be kept, names in lower case.", _TEXTS),
        body=_told("As it was received, secrets replaced.", _TEXT),
        chunks=_list("A stream, as it was received.", "chunk"),
    ),
    "chunk": _object(
        "A piece of a stream.",
        at_ms=_told("From the request.", _MS),
        text=_told("What was received at once.", _TEXT),
    ),
    "message": _object(
        "The answer put together, for people: replay goes by the text of the wire.",
        content=_TEXT,
        refusal=_TEXT,
        stop_reason=_TEXT,
        tool_calls=_list("In the order of the model.", "call"),
    ),
    "call": _object(
        "A call that the model asked for.", id=_TEXT, name=_TEXT, arguments=_TEXT
    ),
    "texts": {"type": "object", "additionalProperties": _TEXT},
    "milliseconds": {"type": "number", "minimum": 0},
    "text": {
        "description": "A text; spelt out where it holds halves of characters or bytes "
        r"that are no UTF-8: \udc80 for one, \\ for a backslash.",
        "oneOf": [{"type": "string"}, {"$ref": f"#/$defs/{ESCAPED}"}],
    },
    ESCAPED: {
        "type": "object",
        "properties": {ESCAPED: {"type": "string"}},
        "required": [ESCAPED],
        "additionalProperties": False,
    },
}

_HEAD = """\
# The format of cassettes

<!-- Made from the format's schema by `make docs`; a test compares the two. -->

A cassette is a text file in UTF-8: a stream of YAML documents. The first is the header,
each further one an exchange with a model or a call of a tool, in the order in which they
were complete; `number` is the order in which they began. A document is appended in one
piece when it is complete, and its last line is `complete: true`. What stands behind the
last of these lines was being written when the recording was killed: readers leave it out,
and a recording that goes on cuts it off.

Bodies and chunks are the text of the wire, byte for byte save for what redaction replaced
(`__REDACTED_KEY_1__`). Texts of several lines are block literals; `|2` gives the
indentation where a text begins with white space. Any YAML that says the same is read too,
so a cassette may be edited by hand and commented. Fields that are as by default are left
out.
"""


def cassette_page() -> str:
    """The text of `docs/reference/cassette-format.md`."""
    parts = {**_DOCUMENTS, **{k: v for k, v in _PARTS.items() if "properties" in v}}
    sections = [_section(name, of) for name, of in parts.items() if name != ESCAPED]
    schema = json.dumps(cassette_schema(), indent=2)
    tail = f"## JSON Schema\n\nOf each document:\n\n```json\n{schema}\n```\n"
    return "\n".join([_HEAD, *sections, tail])


def _section(name: str, of: dict[str, Any]) -> str:
    kind = "document" if name in _DOCUMENTS else "part"
    rows = "".join(
        f"| `{key}` | {_type(field)} | {_needed(key, of)} "
        f"| {'' if '$ref' in field and len(field) == 1 else field.get('description', '')} |\n"
        for key, field in of["properties"].items()
    )
    return (
        f"## {name} ({kind})\n\n{of['description']}\n\n"
        f"| field | holds | | |\n|---|---|---|---|\n{rows}"
    )


def _needed(key: str, of: dict[str, Any]) -> str:
    return "needed" if key in of["required"] else ""


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{one}`" for one in field["enum"])
    if field["type"] == "array":
        return f"a list, each {_type(field['items'])}"
    return " or ".join(
        [field["type"]] if isinstance(field["type"], str) else field["type"]
    )
