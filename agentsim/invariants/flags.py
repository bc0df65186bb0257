"""Which results tell of a failure, on wires that have no flag for it (spec R3.4).

There the words tell. A result counts as one of a failure if it has in it what the tool,
or the person who declined, said; else if it is no output of a run that went well, and
says in one of the usual words that something went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from agentsim.invariants.subjects import Asked, Life, Turn
from agentsim.invariants.wording import TELLING, is_gone

__all__ = ["WITHOUT_FLAG", "read_flags", "tells_of_trouble"]

WITHOUT_FLAG = ("openai-chat", "openai-responses")
"""Wires on which a result has no flag that says that its call failed."""

_FAILURE = re.compile(
    r"error|exception|fail|fatal|crash|panic|traceback|wrong|problem|trouble|unfortunate"
    r"|sorry|invalid|illegal|incorrect|malformed|unterminated|duplicate|missing|requir"
    r"|expect|must\b|should\b|extra (data|input|field|key|arg)|exceed"
    r"|too (long|large|many|big|short|small|few)"
    r"|unknown|undefined|unrecogni|unsupported|unable|unavailable|unauthori|unreachable"
    r"|denied|declin|refus|reject|forbid|prohibit|disallow|disabled|block|violat"
    r"|cannot|could ?not|timed? ?out|abort|cancel|interrupt|stopped|skipped|lost|expired"
    r"|\bbad\b|\bnot\b|\bno\b|n[\u2019']t\b|[⚠❌✗✘⛔🚫]"
    r"|\b(ok|succe\w*)[\"']?\s*[:=]\s*(false|0|null|none)\b"
    r"|(exit|return)[ _-]?(code|status)[\"']?\s*[:=]?\s*-?[1-9]"
    r"|(http|status)([ _-]?code)?[\"']?\s*[:=]?\s*[45]\d\d\b"
    r"|fehler|ungültig|erreur|échec|echec|erro\b|falha|fallo|falló|errore|fallit|ошибк"
    r"|错误|错誤|錯誤|失败|失敗|无效|エラー|無効|오류|실패",
    re.IGNORECASE,
)
"""Words by which a text says that something went wrong, as parsers and people say it."""


def read_flags(life: Life) -> None:
    """Flag the results of a life that tell of a failure, where its wire has no flag."""
    for turn in life.turns:
        if turn.request.wire in WITHOUT_FLAG:
            for asked in turn.asked:
                result = asked.result
                if result is not None and _tells_of_failure(turn, asked):
                    asked.result = replace(result, is_error=True)


def tells_of_trouble(text: str) -> bool:
    """Whether a text says in one of the usual words that something went wrong."""
    return _FAILURE.search(text) is not None


def _tells_of_failure(turn: Turn, asked: Asked) -> bool:
    text = asked.result.content if asked.result is not None else ""
    reasons = list(_reasons(turn, asked))
    if any(reason in text for reason in reasons):
        return True
    if any(_is_output(output, text) for output in _outputs(turn, asked)):
        return False
    if tells_of_trouble(text):
        return True
    return any(not is_gone(reason, text) for reason in reasons)


def _reasons(turn: Turn, asked: Asked) -> Iterator[str]:
    """What went wrong with calls of the same tool, in the words of who said it."""
    name = asked.call.name
    for end in (run.end for run in turn.operations):
        if end is not None and end.name == name and end.ending != "ok":
            yield from _said(end.output)
    for question in turn.questions:
        if question.ask.name == name and question.answer is not None:
            yield from _said("" if question.approved else question.answer.reason or "")


def _said(words: str) -> Iterator[str]:
    if words.strip():
        yield words.strip()


def _outputs(turn: Turn, asked: Asked) -> Iterator[str]:
    for end in (run.end for run in turn.operations):
        if end is not None and end.name == asked.call.name and end.ending == "ok":
            yield end.output.strip()


def _is_output(output: str, text: str) -> bool:
    if len(output) < TELLING:
        return output == text.strip()
    return output in text
