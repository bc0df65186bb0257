"""The loop window against a model that reads spec R5 over the whole list of calls."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    LoopRules,
    LoopWindow,
    call_key,
    canonical_arguments,
    signature,
)
from tests.support.examples import FEWER

DEFAULT = LoopRules()


@dataclass(frozen=True, slots=True)
class Call:
    """An answered call, as a test tells it."""

    name: str
    output: str
    writes: bool = False
    failed: bool = False

    @property
    def sign(self) -> str:
        """What stands for its signature: the window takes it as it is."""
        return f"{self.name}={self.output}"

    @property
    def key(self) -> tuple[str, str]:
        return self.name, "{}"


def read(name: str, output: str = "same") -> Call:
    """A call that leaves the world as it is."""
    return Call(name, output)


def write(name: str, output: str = "ok", *, failed: bool = False) -> Call:
    """A call that changes the world, or fails to."""
    return Call(name, output, writes=True, failed=failed)


def add(window: LoopWindow, call: Call) -> int:
    """Count a call and return the count of its signature."""
    return window.add(call.sign, call.key, writes=call.writes, failed=call.failed)


def counts(calls: list[Call], rules: LoopRules = DEFAULT) -> list[int]:
    """The count that each call of a run has when it is answered."""
    window = LoopWindow(rules)
    return [add(window, call) for call in calls]


def model_count(calls: list[Call], sign: str, rules: LoopRules) -> int:
    """How often a signature counts after `calls`, worked out from all of them."""
    first = max(0, len(calls) - rules.window)
    cut = 0
    for at, call in enumerate(calls):
        before = calls[max(0, at - rules.window) : at]
        new = all(earlier.sign != call.sign for earlier in before)
        if call.writes and not call.failed and new:
            cut = at
    return sum(
        call.sign == sign and (call.writes or at >= cut)
        for at, call in enumerate(calls)
        if at >= first
    )


TOOLS = st.one_of(
    st.builds(Call, st.sampled_from("ab"), st.sampled_from("xy")),
    st.builds(
        Call, st.sampled_from("vw"), st.sampled_from("xy"), st.just(True), st.booleans()
    ),
)
RULES = st.builds(
    lambda block_at, more: LoopRules(block_at=block_at, window=2 * block_at + more),
    st.integers(2, 3),
    st.integers(0, 4),
)


@FEWER
@given(calls=st.lists(TOOLS, max_size=16), rules=RULES)
def test_count_is_that_of_the_model(calls: list[Call], rules: LoopRules) -> None:
    """After each call the window counts what the whole list says it should."""
    window = LoopWindow(rules)
    for at, call in enumerate(calls, start=1):
        assert add(window, call) == model_count(calls[:at], call.sign, rules)
    for call in calls:
        assert window.count(call.sign) == model_count(calls, call.sign, rules)


@FEWER
@given(calls=st.lists(TOOLS, max_size=16), rules=RULES)
def test_blocking_signature_is_of_the_same_call_and_at_the_level(
    calls: list[Call], rules: LoopRules
) -> None:
    """A call is blocked exactly while one of its signatures counts N in the window."""
    window = LoopWindow(rules)
    for call in calls:
        add(window, call)
    seen = calls[-rules.window :]
    for name in "abvw":
        signs = dict.fromkeys(call.sign for call in seen if call.name == name)
        full = [
            sign for sign in signs if model_count(calls, sign, rules) >= rules.block_at
        ]
        blocking = window.blocking((name, "{}"))
        assert (blocking in full) if full else (blocking is None)


@FEWER
@given(calls=st.lists(TOOLS, max_size=30), rules=RULES)
def test_equal_write_takes_effect_at_most_n_times_in_a_window(
    calls: list[Call], rules: LoopRules
) -> None:
    """A caller that honours `blocking` runs an equal write at most N times (R5.5)."""
    window = LoopWindow(rules)
    done: list[str] = []
    for call in calls:
        blocking = window.blocking(call.key) if call.writes else None
        if blocking is not None:
            done.append("")
            count = window.add(blocking, call.key, writes=True, failed=True)
        else:
            done.append(call.sign if call.writes and not call.failed else "")
            count = add(window, call)
        if count >= rules.end_at:
            break
    for start in range(len(done)):
        span = done[start : start + rules.window + 1]
        for sign in dict.fromkeys(filter(None, span)):
            assert span.count(sign) <= rules.block_at


def test_two_levels_are_third_and_sixth() -> None:
    """The third equal call is blocked and the sixth ends the run (R5.2)."""
    seen = counts([read("disk")] * 6)
    assert seen.index(DEFAULT.block_at) + 1 == 3
    assert seen.index(DEFAULT.end_at) + 1 == 6


@pytest.mark.parametrize("block_at", [2, 3, 4])
@pytest.mark.parametrize("length", range(1, 7))
def test_window_ends_a_cycle_exactly_when_it_spans_it(
    block_at: int, length: int
) -> None:
    """A cycle of k is ended by a window of (2N-1)k+1, at that call, and by none less."""
    cycle = [read(f"tool{n}") for n in range(length)]
    needed = (2 * block_at - 1) * length + 1
    enough = LoopRules(block_at=block_at, window=needed)
    seen = counts(cycle * (2 * block_at), enough)
    assert seen.index(enough.end_at) + 1 == needed
    if length > 1:
        short = LoopRules(block_at=block_at, window=needed - 1)
        assert max(counts(cycle * 30, short)) == short.end_at - 1


def test_window_of_ten_never_ends_a_two_cycle() -> None:
    """Two searches in turn count five each in a window of ten, for ever (R5.4)."""
    turns = [read("search a"), read("search b")] * 100
    assert max(counts(turns, LoopRules(window=10))) == 5


def test_two_searches_in_turn_are_blocked_at_five_and_ended_at_eleven() -> None:
    """With the defaults an alternation is blocked at call 5 and ended at call 11."""
    seen = counts([read("search a"), read("search b")] * 15)
    assert (seen.index(3) + 1, seen.index(6) + 1) == (5, 11)


def test_polling_with_changing_output_is_no_loop() -> None:
    """A service that is asked again and answers otherwise never counts (R5.3)."""
    assert set(counts([read("status", f"{n} %") for n in range(50)])) == {1}


def test_edit_and_test_in_turn_are_no_loop() -> None:
    """Writes that are new are progress: the failing test in between counts once."""
    turns = [
        call for n in range(20) for call in (write(f"edit {n}"), read("test", "red"))
    ]
    assert set(counts(turns)) == {1}


def test_equal_writes_in_turn_renew_nothing() -> None:
    """Two writes that alternate are a loop: neither is new a second time."""
    seen = counts([write("open"), write("close")] * 6)
    assert (seen.index(3) + 1, seen.index(6) + 1) == (5, 11)


def test_progress_is_a_write_that_ran() -> None:
    """A new write that failed, and a new read, leave the counts as they are."""
    reads = [read("test", "red")] * 2
    for between, count in [
        (write("edit", failed=True), 3),
        (read("look"), 3),
        (write("edit"), 1),
    ]:
        assert counts([*reads, between, reads[0]])[-1] == count


def test_progress_keeps_earlier_writes_counting() -> None:
    """Progress forgives the reads before it, never the writes."""
    seen = counts([write("pay"), write("pay"), write("mail"), write("pay")])
    assert seen == [1, 2, 1, 3]


def test_blocked_write_is_free_again_when_the_window_has_passed() -> None:
    """A block lasts as long as what caused it stands in the window."""
    rules = LoopRules(block_at=2, window=4)
    window = LoopWindow(rules)
    for _ in range(2):
        add(window, write("pay"))
    assert window.blocking(write("pay").key) == write("pay").sign
    for n in range(3):
        add(window, read(f"look {n}"))
    assert window.blocking(write("pay").key) is None


def test_block_needs_equal_arguments() -> None:
    """Only a call with the same name and arguments is blocked, however written."""
    window = LoopWindow(DEFAULT)
    for _ in range(3):
        key = call_key("pay", '{"to": 1, "sum": 2}')
        window.add(signature("pay", '{"to": 1, "sum": 2}', "ok"), key, writes=True)
    assert window.blocking(call_key("pay", '{"sum":2,"to":1}')) is not None
    assert window.blocking(call_key("pay", '{"sum":3,"to":1}')) is None
    assert window.blocking(call_key("refund", '{"sum":2,"to":1}')) is None


def test_windows_are_independent() -> None:
    """Two runs of one configuration share no counts."""
    first, second = LoopWindow(DEFAULT), LoopWindow(DEFAULT)
    add(first, read("disk"))
    assert add(second, read("disk")) == 1


texts = st.text(st.sampled_from(["a", "1", ":", '"', "{", "}", "\x00", "\ud800"]))
triples = st.tuples(texts, texts | st.sampled_from(['{"a":1}', '{"a": 1}']), texts)


@FEWER
@given(left=triples, right=triples)
def test_signatures_are_equal_for_equal_actions_only(
    left: tuple[str, str, str], right: tuple[str, str, str]
) -> None:
    """No two different triples share a signature (R5.1)."""
    same = all(
        mine == theirs for mine, theirs in zip(plain(left), plain(right), strict=True)
    )
    assert (signature(*left) == signature(*right)) == same


def plain(triple: tuple[str, str, str]) -> tuple[str, str, str]:
    """The triple with its arguments in canonical form."""
    return triple[0], canonical_arguments(triple[1]), triple[2]


@FEWER
@given(text=st.text(st.sampled_from("12:|,"), min_size=2, max_size=12), data=st.data())
def test_cutting_a_text_elsewhere_changes_the_signature(
    text: str, data: st.DataObject
) -> None:
    """One text cut into three fields at two places: no separator can be imitated."""
    cut = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    ways = []
    for start, end in (data.draw(cut), data.draw(cut)):
        ways.append((text[:start], f"x{text[start:end]}", text[end:]))
    signs = [signature(*way) for way in ways]
    assert (signs[0] == signs[1]) == (ways[0] == ways[1])


def test_signature_is_sixteen_hexadecimal_digits() -> None:
    """The signature is the same in every process: the first 8 bytes of SHA-256."""
    assert signature("check_disk", " { } ", "95 %") == "c9713ff6a8d162a6"
    assert signature("check_disk", "", "95 %") == signature("check_disk", "{}", "95 %")
