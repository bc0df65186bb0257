"""The ten agents by the form in which they are written."""

from __future__ import annotations

from collections.abc import Callable

from tests.agents import (
    async_function,
    factory,
    generator,
    stateful_class,
    sync_function,
    wrong_a_result_missing,
    wrong_b_all_at_once,
    wrong_c_neighbours_only,
    wrong_d_counts_success_only,
    wrong_e_bad_json_is_empty,
)

Agent = Callable[..., object]

RIGHT: dict[str, Agent] = {
    "async function": async_function.agent,
    "sync function": sync_function.agent,
    "class with state": stateful_class.Agent,
    "factory": factory.make_agent,
    "generator": generator.agent,
}

# Each with its scenario, the invariant that must catch it, and within how many runs.
WRONG: dict[str, tuple[Agent, str, str, int]] = {
    "a, async function": (
        wrong_a_result_missing.agent,
        "parallel_reads",
        "every-call-answered",
        12,
    ),
    "b, class with state": (
        wrong_b_all_at_once.Agent,
        "parallel_reads",
        "writes-alone",
        1,
    ),
    "c, factory": (
        wrong_c_neighbours_only.make_agent,
        "alternating_search",
        "loop-blocked",
        1,
    ),
    "d, sync function": (
        wrong_d_counts_success_only.agent,
        "iteration_limit",
        "limit-exact",
        12,
    ),
    "e, generator": (
        wrong_e_bad_json_is_empty.agent,
        "disk_full",
        "arguments-as-asked",
        12,
    ),
}
