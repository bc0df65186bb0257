import pickle

import pytest

from agentsim.core import (
    AgentsimError,
    CassetteBypassed,
    CassetteError,
    CassetteInUse,
    CassetteMiss,
    Change,
    Deadlock,
    Finding,
    HeldForEver,
    ImproperRequest,
    InternalError,
    InvariantViolation,
    NondeterminismError,
    ProviderError,
    ScenarioError,
    TaskLeak,
    TokenError,
    ToolFailed,
    UnscriptedRequest,
    UsageError,
    WorldError,
)

BRANCHES: dict[type[AgentsimError], tuple[type[AgentsimError], ...]] = {
    UsageError: (
        ScenarioError,
        CassetteBypassed,
        CassetteError,
        CassetteInUse,
        CassetteMiss,
        UnscriptedRequest,
        HeldForEver,
        ImproperRequest,
        TokenError,
    ),
    WorldError: (ToolFailed, ProviderError),
    Finding: (InvariantViolation, NondeterminismError, Deadlock, TaskLeak),
    InternalError: (),
}


@pytest.mark.parametrize("branch", BRANCHES)
def test_error_is_on_one_branch_only(branch: type[AgentsimError]) -> None:
    """Who was wrong tells the branch, and no error is on two."""
    assert issubclass(branch, AgentsimError)
    for error in (branch, *BRANCHES[branch]):
        assert [one for one in BRANCHES if issubclass(error, one)] == [branch]


def test_tree_has_no_other_error() -> None:
    """Each error of the package is in the table above."""
    known = {
        AgentsimError,
        *BRANCHES,
        *(one for all_ in BRANCHES.values() for one in all_),
    }
    found = {AgentsimError}
    new = [AgentsimError]
    while new:
        new = [
            one
            for base in new
            for one in base.__subclasses__()
            if one.__module__ == AgentsimError.__module__
        ]
        found |= {*new}
    assert found == known


def test_violation_is_a_failed_assertion() -> None:
    """A violated invariant is a failure for pytest, not an error."""
    assert issubclass(InvariantViolation, AssertionError)


def test_failure_is_definite_unless_said() -> None:
    """An error of the outside says whether the operation may have happened."""
    assert WorldError("no").definite
    assert not ToolFailed("lost", definite=False).definite
    assert not ProviderError(
        "lost", status=None, kind="timeout", definite=False
    ).definite


@pytest.mark.parametrize(
    ("status", "transient"),
    [
        *[(status, True) for status in (None, 408, 409, 429, 500, 502, 503, 529)],
        *[(status, False) for status in (400, 401, 403, 404, 413, 422, 499)],
    ],
)
def test_transient_errors_are_those_of_the_specification(
    status: int | None, transient: bool
) -> None:
    """Trying again may help after no answer, 408, 409, 429 and 5xx (R7.1, R7.2)."""
    assert ProviderError("x", status=status, kind="k").transient == transient


def test_provider_error_keeps_what_the_service_said() -> None:
    """Status, kind, place and wait are there for who handles the error."""
    error = ProviderError(
        "slow down", status=429, kind="rate", param="messages[3]", retry_after_s=2.5
    )
    assert str(error) == "slow down"
    assert (error.status, error.kind) == (429, "rate")
    assert (error.param, error.retry_after_s) == ("messages[3]", 2.5)
    assert error.definite


@pytest.mark.parametrize(
    "error",
    [
        ToolFailed("lost", definite=False),
        ProviderError("x", status=500, kind="k", param="p", retry_after_s=1.0),
        UsageError("wrong"),
        CassetteMiss("m", changes=(Change("model", "the model"),), nearest=3, turn=2),
    ],
)
def test_error_survives_a_process_border(error: AgentsimError) -> None:
    """An error that a worker process raises arrives whole."""
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
