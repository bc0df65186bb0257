"""Faults of the model: of its service, and of what it answers."""

from __future__ import annotations

from agentsim.faults.arguments import (
    big_integer,
    cut,
    double_encoded,
    duplicate_key,
    extra_key,
    in_a_list,
    nan,
    single_quoted,
    vary,
)
from agentsim.faults.kinds import Fault, Tamper
from agentsim.faults.tampering import (
    cut_off,
    cycle,
    drop_ids,
    empty,
    rename_tool,
    repeat_id,
    say_done,
    with_arguments,
    with_reason,
    without_calls,
    without_usage,
)

__all__ = ["MODEL_FAULTS", "RETRY_AFTER_S", "TIMEOUT_S"]

RETRY_AFTER_S = 20.0
"""Virtual seconds that a service which limits the rate asks to wait."""

TIMEOUT_S = 600.0
"""Virtual seconds until a client gives a silent service up."""

# ---------------------------------------------------------------------- of the service

rate_limited = Fault(
    "rate_limited",
    "model",
    f"the service refuses the request for {RETRY_AFTER_S:g} seconds: too many of them",
    definite=True,
    effect="skipped",
    answer="error",
    error_words="rate limit reached; try again later",
    error_status=429,
    error_kind="rate_limit_error",
    retry_after_s=RETRY_AFTER_S,
    rare=True,
)
server_error = Fault(
    "server_error",
    "model",
    "the service fails",
    definite=True,
    effect="skipped",
    answer="error",
    error_words="internal server error",
    error_status=500,
    error_kind="api_error",
    rare=True,
)
overloaded = Fault(
    "overloaded",
    "model",
    "the service is overloaded",
    definite=True,
    effect="skipped",
    answer="error",
    error_words="overloaded",
    error_status=529,
    error_kind="overloaded_error",
    rare=True,
)
model_timeout = Fault(
    "model_timeout",
    "model",
    f"no answer comes within {TIMEOUT_S:g} seconds, and the request is given up",
    delay_s=TIMEOUT_S,
    answer="error",
    error_words="the request timed out",
    error_kind="timeout",
    rare=True,
)
connection_lost = Fault(
    "connection_lost",
    "model",
    "the connection is lost before the answer comes",
    answer="error",
    error_words="the connection was lost before the answer came",
    error_kind="connection_error",
    rare=True,
)
model_hangs = Fault(
    "model_hangs", "model", "the model never answers", answer="never", rare=True
)

# -------------------------------------------------------------------- without an answer

empty_answer = Fault(
    "empty_answer",
    "model",
    "the reply has neither text nor calls",
    tamper=empty("end_turn"),
    rare=True,
)
blank_answer = Fault(
    "blank_answer",
    "model",
    "the reply is white space",
    tamper=empty("end_turn", " \n"),
    rare=True,
)
empty_tool_use = Fault(
    "empty_tool_use",
    "model",
    "the reply is empty, and its reason says that it calls tools",
    tamper=empty("tool_use"),
    rare=True,
)
tool_use_without_calls = Fault(
    "tool_use_without_calls",
    "model",
    "the reason says that the reply calls tools, and it has a text only",
    tamper=without_calls("tool_use", "Let me look."),
    rare=True,
)

# ---------------------------------------------------------- arguments of the last call


def _arguments(kind: str, sentence: str, tamper: Tamper) -> Fault:
    return Fault(f"arguments_{kind}", "model", sentence, calls_min=1, tamper=tamper)


def _instead(text: str) -> Tamper:
    return with_arguments(lambda _arguments: text)


arguments_cut = _arguments(
    "cut", "the JSON of the last call's arguments is cut in half", with_arguments(cut)
)
arguments_single_quoted = _arguments(
    "single_quoted",
    "the last call's arguments have single quotes",
    with_arguments(single_quoted),
)
arguments_double_encoded = _arguments(
    "double_encoded",
    "the last call's arguments are a JSON string that holds them",
    with_arguments(double_encoded),
)
arguments_empty = _arguments(
    "empty", "the last call's arguments are the empty text", _instead("")
)
arguments_null = _arguments(
    "null", "the last call's arguments are null", _instead("null")
)
arguments_number = _arguments(
    "number", "the last call's arguments are a number", _instead("42")
)
arguments_list = _arguments(
    "list", "the last call's arguments stand in a list", with_arguments(in_a_list)
)
arguments_extra_key = _arguments(
    "extra_key",
    "the last call's arguments have a field that no tool asks for",
    with_arguments(extra_key),
)
arguments_duplicate_key = _arguments(
    "duplicate_key",
    "the first field of the last call's arguments stands twice",
    with_arguments(duplicate_key),
)
arguments_nan = _arguments(
    "nan", "the first value of the last call's arguments is NaN", with_arguments(nan)
)
arguments_big_integer = _arguments(
    "big_integer",
    "a number of the last call's arguments is 2^53 + 1",
    with_arguments(big_integer),
)

# ------------------------------------------------------------------- names, ids, usage

unknown_tool = Fault(
    "unknown_tool",
    "model",
    "the first call names a tool that does not exist",
    calls_min=1,
    tamper=rename_tool,
)
duplicate_ids = Fault(
    "duplicate_ids",
    "model",
    "all calls of the reply have the same id",
    calls_min=2,
    tamper=repeat_id,
)
missing_ids = Fault(
    "missing_ids",
    "model",
    "the calls of the reply have no ids",
    calls_min=1,
    tamper=drop_ids,
)
done_beside_calls = Fault(
    "done_beside_calls",
    "model",
    "the reply says beside its calls that all is done",
    calls_min=1,
    tamper=say_done,
)
missing_usage = Fault(
    "missing_usage", "model", "the reply comes without usage", tamper=without_usage
)

# ----------------------------------------------------- reason and structure at variance

stop_with_calls = Fault(
    "stop_with_calls",
    "model",
    "the reason says that the reply is the last, and it has calls",
    calls_min=1,
    tamper=with_reason("stop"),
)
max_tokens_with_calls = Fault(
    "max_tokens_with_calls",
    "model",
    "the reason says that the reply was cut, and its calls are whole",
    calls_min=1,
    tamper=with_reason("max_tokens"),
    rare=True,
)
max_tokens_cut = Fault(
    "max_tokens_cut",
    "model",
    "the reply is cut at its token limit, in its last call or in its text",
    tamper=cut_off(cut),
    rare=True,
)
paused = Fault(
    "paused",
    "model",
    "the service pauses the turn behind the reply",
    tamper=with_reason("pause_turn"),
)
refused = Fault(
    "refused",
    "model",
    "the model refuses to go on",
    tamper=without_calls("refusal", "I can't help with that.", refusal="policy"),
    rare=True,
)
content_filtered = Fault(
    "content_filtered",
    "model",
    "a filter of the service leaves nothing of the reply",
    tamper=without_calls("content_filter", ""),
    rare=True,
)
unknown_reason = Fault(
    "unknown_reason",
    "model",
    "the stop reason is one that nobody knows",
    tamper=with_reason("recitation"),
    rare=True,
)

# --------------------------------------------------------------------------- for ever

same_call_forever = Fault(
    "same_call_forever",
    "model",
    "from now on the model asks for the same call again and again",
    calls_min=1,
    tamper=cycle(1, vary),
    lasts=None,
)


def _cycle(length: int) -> Fault:
    return Fault(
        f"cycle_of_{length}",
        "model",
        f"from now on the model asks for {length} variants of a call in turn",
        calls_min=1,
        tamper=cycle(length, vary),
        lasts=None,
    )


cycle_of_2 = _cycle(2)
cycle_of_3 = _cycle(3)
cycle_of_4 = _cycle(4)
cycle_of_5 = _cycle(5)

MODEL_FAULTS = (
    rate_limited,
    server_error,
    overloaded,
    model_timeout,
    connection_lost,
    model_hangs,
    empty_answer,
    blank_answer,
    empty_tool_use,
    tool_use_without_calls,
    arguments_cut,
    arguments_single_quoted,
    arguments_double_encoded,
    arguments_empty,
    arguments_null,
    arguments_number,
    arguments_list,
    arguments_extra_key,
    arguments_duplicate_key,
    arguments_nan,
    arguments_big_integer,
    unknown_tool,
    duplicate_ids,
    missing_ids,
    done_beside_calls,
    missing_usage,
    stop_with_calls,
    max_tokens_with_calls,
    max_tokens_cut,
    paused,
    refused,
    content_filtered,
    unknown_reason,
    same_call_forever,
    cycle_of_2,
    cycle_of_3,
    cycle_of_4,
    cycle_of_5,
)
