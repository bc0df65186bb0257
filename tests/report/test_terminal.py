"""What is printed is plain where there is no terminal, and never more than the text."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from agentsim.core import ResponseReceived, ToolEnded, assistant
from agentsim.invariants import Judgement
from agentsim.report import print_judgements, print_timeline
from tests.report.traces import everything, trace, violated


def console(**options: object) -> Console:
    """A console that prints into a text, as wide as ours where there is no terminal."""
    return Console(file=io.StringIO(), width=120, **options)  # type: ignore[arg-type]


def text(made: Console) -> str:
    """What a console printed."""
    assert isinstance(made.file, io.StringIO)
    return "\n".join(line.rstrip() for line in made.file.getvalue().splitlines())


def test_a_timeline_is_printed_in_columns(snapshot: SnapshotAssertion) -> None:
    """Mark, time, actor, lanes and words, aligned."""
    made = console()
    print_timeline(made, trace(*everything()), [violated(3, 4)], runtime=True)
    assert text(made) == snapshot


def test_judgements_are_printed_as_a_table(snapshot: SnapshotAssertion) -> None:
    """One row each: id, verdict, evidence, and the sentence; what does not apply by reason."""
    made = console()
    print_judgements(
        made,
        [
            Judgement("ends", "holds", 12, (), ""),
            violated(1),
            Judgement("loop-terminal", "not_applicable", 0, (), "no loop is declared"),
            Judgement("resumable", "not_applicable", 0, (), "no [b]history[/]\x1b"),
            Judgement("loop-blocked", "not_applicable", 0, (), "no loop is declared"),
            Judgement("expected", "unknown", 0, (), ""),
            Judgement("my-own[rule]", "unknown", 0, (), "no [bold]evidence[/]\x1b"),
        ],
    )
    assert text(made) == snapshot


@pytest.mark.parametrize("options", [{}, {"emoji": False, "markup": False}])
def test_texts_of_models_are_no_markup(options: dict[str, object]) -> None:
    """Square brackets, links and names of emoji stand there as they were written."""
    said = "[red]stop[/red] [link=http://x]y[/link] :bug: [/]"
    made = console(**options)
    events = (
        ResponseReceived(1, assistant(said), "end_turn", None),
        ToolEnded(1, "read_file", "ok", said),
    )
    print_timeline(made, trace(*events), [violated(0, words=said)])
    assert text(made).count(said) == 2


def test_nothing_but_text_reaches_what_is_no_terminal() -> None:
    """No escape sequence, whatever the styles are."""
    made = console()
    print_timeline(made, trace(*everything()), [violated(3)])
    print_judgements(made, [violated(3)])
    assert "\x1b" not in text(made)


def test_a_terminal_gets_colours() -> None:
    """A marked line stands out, and without colours it still has its mark."""
    coloured = console(force_terminal=True, color_system="truecolor")
    print_timeline(coloured, trace(*everything()), [violated(3)])
    assert "\x1b[" in text(coloured)
    plain = console(force_terminal=True, no_color=True)
    print_timeline(plain, trace(*everything()), [violated(3)])
    assert "✗" in text(plain)


def test_wide_characters_keep_the_columns() -> None:
    """A text in a wide script is folded by cells, not by characters."""
    made = console()
    said = "漢" * 60
    print_timeline(made, trace(ResponseReceived(1, assistant(said), "end_turn", None)))
    assert text(made).count("漢") == 60


def test_the_middle_of_a_long_timeline_is_left_out() -> None:
    """The beginning and the end are shown, and how much is not."""
    events = [ToolEnded(n, f"tool-{n}", "ok", "") for n in range(101)]
    made = console()
    print_timeline(made, trace(*events), lines_max=10)
    shown = text(made).splitlines()
    assert len(shown) == 11
    assert shown[5] == "⋮ 91 lines are left out here"
    assert shown[0].endswith("tool-0")
    assert shown[-1].endswith("tool-100")
    whole = console()
    print_timeline(whole, trace(*events), lines_max=101)
    assert len(text(whole).splitlines()) == 101
