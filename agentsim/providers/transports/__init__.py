"""Transports in process: HTTP clients of SDKs that a fake service answers."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.transports.decoding import Decoder as Decoder
    from agentsim.providers.transports.decoding import NotDecoded as NotDecoded
    from agentsim.providers.transports.exchange import REASONS as REASONS
    from agentsim.providers.transports.exchange import AnswerHttp as AnswerHttp
    from agentsim.providers.transports.exchange import Channel as Channel
    from agentsim.providers.transports.exchange import HttpRequest as HttpRequest
    from agentsim.providers.transports.exchange import NoAnswer as NoAnswer
    from agentsim.providers.transports.exchange import Reason as Reason
    from agentsim.providers.transports.exchange import Tap as Tap
    from agentsim.providers.transports.exchange import TapEnding as TapEnding
    from agentsim.providers.transports.libraries import HttpLibrary as HttpLibrary
    from agentsim.providers.transports.libraries import Tapped as Tapped
    from agentsim.providers.transports.libraries import (
        answered_in_process as answered_in_process,
    )
    from agentsim.providers.transports.libraries import http_libraries as http_libraries
    from agentsim.providers.transports.libraries import http_library as http_library
    from agentsim.providers.transports.service import Attempts as Attempts
    from agentsim.providers.transports.service import ModelService as ModelService
    from agentsim.providers.transports.service import Served as Served
    from agentsim.providers.transports.service import error_answer_to as error_answer_to
    from agentsim.providers.transports.vendors import ANTHROPIC_SDK as ANTHROPIC_SDK
    from agentsim.providers.transports.vendors import OPENAI_SDK as OPENAI_SDK
    from agentsim.providers.transports.vendors import VendorSdk as VendorSdk
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "ANTHROPIC_SDK": "vendors",
            "AnswerHttp": "exchange",
            "Attempts": "service",
            "Channel": "exchange",
            "Decoder": "decoding",
            "HttpLibrary": "libraries",
            "HttpRequest": "exchange",
            "ModelService": "service",
            "NoAnswer": "exchange",
            "NotDecoded": "decoding",
            "OPENAI_SDK": "vendors",
            "REASONS": "exchange",
            "Reason": "exchange",
            "Served": "service",
            "Tap": "exchange",
            "TapEnding": "exchange",
            "Tapped": "libraries",
            "VendorSdk": "vendors",
            "answered_in_process": "libraries",
            "error_answer_to": "service",
            "http_libraries": "libraries",
            "http_library": "libraries",
        },
    )
