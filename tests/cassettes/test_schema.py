"""The schema of the format accepts what is written, and refuses what is not read."""

from __future__ import annotations

import jsonschema_rs
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.cassettes import CassetteHeader, cassette_schema
from agentsim.cassettes.writing import document_text
from tests.cassettes.drawing import cassette_headers, entries
from tests.cassettes.test_format import EXCHANGE, TOOL, Entry, written

VALIDATOR = jsonschema_rs.validator_for(cassette_schema())


@settings(max_examples=60)
@given(cassette_headers, st.lists(entries, max_size=2))
def test_every_document_fits_the_schema(
    header: CassetteHeader, listed: list[Entry]
) -> None:
    """Whatever is recorded, each document of the file is valid."""
    for document in yaml.load_all(written(*listed, header=header), yaml.CSafeLoader):
        VALIDATOR.validate(document)


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    """A field more, a field less or another type is no valid document."""
    for entry in (EXCHANGE, TOOL):
        document = next(yaml.load_all(document_text(entry), yaml.CSafeLoader))
        assert VALIDATOR.is_valid(document)
        assert not VALIDATOR.is_valid({**document, "more": 1})
        assert not VALIDATOR.is_valid({**document, "number": 0})
        assert not VALIDATOR.is_valid({**document, "at_ms": "soon"})
        for name in ("kind", "number", "complete"):
            lacking = {key: value for key, value in document.items() if key != name}
            assert not VALIDATOR.is_valid(lacking)
