import pytest

from agentsim.core import ToolFailed, UsageError
from agentsim.world import Files, PullRequest, PullRequests, World

CHANGE = PullRequest(7, "Say hello", {"a.txt": "one\nhello\n", "new.txt": "new\n"})


def repository() -> World:
    """Two files, and a pull request that changes one of them."""
    files = Files({"a.txt": "one\ntwo\n", "b.txt": "b"})
    return World((files, PullRequests((CHANGE,))))


def test_a_diff_shows_old_and_new_lines() -> None:
    """It is in the form that tools and models know, new files included."""
    assert repository().apply("get_diff", {"number": 7}).splitlines() == [
        "#7: Say hello",
        "--- a.txt",
        "+++ a.txt",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+hello",
        "--- /dev/null",
        "+++ new.txt",
        "@@ -0,0 +1 @@",
        "+new",
    ]


def test_merging_changes_the_files_once() -> None:
    """What was merged is what is read afterwards, and it can't be merged again."""
    world = repository()
    assert world.apply("read_file", {"path": "a.txt"}) == "one\ntwo\n"
    assert world.apply("merge_pr", {"number": 7}) == "merged #7"
    assert world.apply("read_file", {"path": "a.txt"}) == "one\nhello\n"
    assert world.apply("read_file", {"path": "new.txt"}) == "new\n"
    with pytest.raises(ToolFailed, match="#7 is merged already"):
        world.apply("merge_pr", {"number": 7})
    assert world.pull_requests.merged == [7]


def test_a_file_that_changed_meanwhile_is_a_conflict() -> None:
    """Nothing is merged over what somebody wrote after the pull request was made."""
    world = repository()
    world.apply("write_file", {"path": "a.txt", "content": "three\n"})
    with pytest.raises(ToolFailed, match="#7 conflicts with a newer"):
        world.apply("merge_pr", {"number": 7})
    assert world.apply("read_file", {"path": "a.txt"}) == "three\n"


def test_comments_are_kept() -> None:
    """Each comment is an effect; an empty one is none."""
    world = repository()
    assert world.apply("comment", {"number": 7, "text": "Fine."}) == "comment 1 on #7"
    assert world.apply("comment", {"number": 7, "text": "Go."}) == "comment 2 on #7"
    with pytest.raises(ToolFailed, match="needs a text"):
        world.apply("comment", {"number": 7, "text": " "})
    assert world.pull_requests.comments == {"7": ["Fine.", "Go."]}
    assert len(world.ledger) == 2


@pytest.mark.parametrize("tool", ["get_diff", "merge_pr"])
def test_an_unknown_pull_request_is_told_with_those_there_are(tool: str) -> None:
    """A wrong number names the right ones."""
    with pytest.raises(ToolFailed, match=r"unknown pull request '8' \(known: 7\)"):
        repository().apply(tool, {"number": 8})


def test_pull_requests_need_files_and_numbers_of_their_own() -> None:
    """A world without files can't have them, and two can't share a number."""
    with pytest.raises(UsageError, match="put `files` beside them in the world"):
        World((PullRequests((CHANGE,)),))
    with pytest.raises(UsageError, match="two pull requests have the number 7"):
        PullRequests((CHANGE, CHANGE))
