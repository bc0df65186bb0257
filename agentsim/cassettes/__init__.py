"""Cassettes: real sessions with models and tools, recorded once and replayed for ever."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.assembling import assembled as assembled
    from agentsim.cassettes.importing.recording import Imported as Imported
    from agentsim.cassettes.importing.recording import (
        import_recordings as import_recordings,
    )
    from agentsim.cassettes.reading import load_cassette as load_cassette
    from agentsim.cassettes.reading import read_cassette as read_cassette
    from agentsim.cassettes.recognising import is_cassette as is_cassette
    from agentsim.cassettes.records import LEAVING_S as LEAVING_S
    from agentsim.cassettes.records import AnswerEnding as AnswerEnding
    from agentsim.cassettes.records import AssembledAnswer as AssembledAnswer
    from agentsim.cassettes.records import Cassette as Cassette
    from agentsim.cassettes.records import CassetteHeader as CassetteHeader
    from agentsim.cassettes.records import RecordedAnswer as RecordedAnswer
    from agentsim.cassettes.records import RecordedCall as RecordedCall
    from agentsim.cassettes.records import RecordedChunk as RecordedChunk
    from agentsim.cassettes.records import RecordedExchange as RecordedExchange
    from agentsim.cassettes.records import RecordedRequest as RecordedRequest
    from agentsim.cassettes.records import RecordedTool as RecordedTool
    from agentsim.cassettes.records import body_text as body_text
    from agentsim.cassettes.schema import cassette_page as cassette_page
    from agentsim.cassettes.schema import cassette_schema as cassette_schema
    from agentsim.cassettes.wires import StreamEnd as StreamEnd
    from agentsim.cassettes.wires import wire_of_url as wire_of_url
    from agentsim.cassettes.writer import CassetteWriter as CassetteWriter
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "AnswerEnding": "records",
            "AssembledAnswer": "records",
            "Cassette": "records",
            "CassetteHeader": "records",
            "CassetteWriter": "writer",
            "Imported": "importing.recording",
            "LEAVING_S": "records",
            "RecordedAnswer": "records",
            "RecordedCall": "records",
            "RecordedChunk": "records",
            "RecordedExchange": "records",
            "RecordedRequest": "records",
            "RecordedTool": "records",
            "StreamEnd": "wires",
            "assembled": "assembling",
            "body_text": "records",
            "cassette_page": "schema",
            "cassette_schema": "schema",
            "import_recordings": "importing.recording",
            "is_cassette": "recognising",
            "load_cassette": "reading",
            "read_cassette": "reading",
            "wire_of_url": "wires",
        },
    )
