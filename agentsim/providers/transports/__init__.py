"""Transports in process: HTTP clients of SDKs that a fake service answers."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.transports.exchange import AnswerHttp as AnswerHttp
    from agentsim.providers.transports.exchange import HttpRequest as HttpRequest
    from agentsim.providers.transports.exchange import NoAnswer as NoAnswer
    from agentsim.providers.transports.libraries import HttpLibrary as HttpLibrary
    from agentsim.providers.transports.libraries import (
        answered_in_process as answered_in_process,
    )
    from agentsim.providers.transports.libraries import http_library as http_library
    from agentsim.providers.transports.service import Attempts as Attempts
    from agentsim.providers.transports.service import ModelService as ModelService
    from agentsim.providers.transports.service import Served as Served
    from agentsim.providers.transports.service import error_answer_to as error_answer_to
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "AnswerHttp": "exchange",
            "Attempts": "service",
            "HttpLibrary": "libraries",
            "HttpRequest": "exchange",
            "ModelService": "service",
            "NoAnswer": "exchange",
            "Served": "service",
            "answered_in_process": "libraries",
            "error_answer_to": "service",
            "http_library": "libraries",
        },
    )
