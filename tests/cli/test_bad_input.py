"""Whatever a person gets wrong is told in one sentence, with exit code 3."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.cli.common import load_target
from agentsim.core import UsageError
from tests.support.command import agentsim
from tests.support.scenarios import FOLDER

HIGH_CPU = str(FOLDER / "high_cpu.yaml")

GOOD = (FOLDER / "disk_full.yaml").read_text(encoding="utf-8")

FILES = {
    "misspelt.yaml": GOOD.replace("task:", "taks:").encode(),
    "unknown-tool.yaml": GOOD.replace("call: clean_logs", "call: clean_lgos").encode(),
    "syntax.yaml": b"task: x\nscript: [\n  - say: y\n",
    "stories.py": b"",
    "binary.yaml": bytes(range(256)),
    "empty.yaml": b"",
    "list.yaml": b"- task\n",
    "no.json": b'{"messages": [',
    "binary.json": bytes(range(256)),
    "empty.json": b"",
    "other.json": b'{"a": 1}',
    "other.jsonl": b'{"agentsim_trace": 99}\n',
}

MISTAKES: dict[str, tuple[str, ...]] = {
    "a scenario with a misspelt field": ("run", "misspelt.yaml"),
    "an unknown tool in a script": ("run", "unknown-tool.yaml"),
    "a YAML syntax error": ("run", "syntax.yaml"),
    "a binary scenario": ("explore", "binary.yaml"),
    "an empty scenario": ("run", "empty.yaml"),
    "a scenario that is a list": ("run", "list.yaml"),
    "a missing scenario": ("run", "missing.yaml"),
    "a folder for a scenario": ("run", "."),
    "a target that does not import": ("run", "no_such_module:scenario"),
    "an agent that does not import": (
        "run",
        HIGH_CPU,
        "--agent",
        "no_such_module:agent",
    ),
    "an agent that its module lacks": ("run", HIGH_CPU, "--agent", "json:agent"),
    "an agent without a colon": ("run", HIGH_CPU, "--agent", "agent"),
    "an agent that is no callable": ("run", HIGH_CPU, "--agent", "json:__name__"),
    "an agent of other parameters": ("run", HIGH_CPU, "--agent", "json:dump"),
    "an unknown mutant": (
        "run",
        HIGH_CPU,
        "--agent",
        "agentsim.mutants:no_such_mutant",
    ),
    "a token that does not fit": ("replay", HIGH_CPU, "3:1~0000"),
    "a token of another menu": ("replay", HIGH_CPU, "~0000", "--policy=any_order"),
    "a token that is none": ("replay", HIGH_CPU, "three"),
    "a negative count": ("explore", HIGH_CPU, "--runs=-5"),
    "a count that is no number": ("explore", HIGH_CPU, "--runs", "many"),
    "a count of two names": ("explore", HIGH_CPU, "--max-runs", "0"),
    "a time that is none": ("explore", HIGH_CPU, "--time", "soon"),
    "a time of nothing": ("explore", HIGH_CPU, "--time", "0s"),
    "a failure saved as no scenario": (
        "explore",
        HIGH_CPU,
        "--save-failure",
        "bad.txt",
    ),
    "a failure saved nowhere": ("explore", HIGH_CPU, "--save-failure", "no/bad.yaml"),
    "negative deviations": ("explore", HIGH_CPU, "--deviations", "-1"),
    "an unknown policy": ("explore", HIGH_CPU, "--policy", "random"),
    "an unknown fault": ("explore", HIGH_CPU, "--faults", "slwo"),
    "an unknown requirement": ("explore", HIGH_CPU, "--require", "no-such-thing"),
    "a transcript that is no JSON": ("check", "no.json"),
    "a binary transcript": ("check", "binary.json"),
    "an empty transcript": ("check", "empty.json"),
    "a transcript of another shape": ("check", "other.json"),
    "a missing transcript": ("check", "missing.json"),
    "a trace of another version": ("show", "other.jsonl"),
    "a trace that is none": ("show", "no.json"),
    "a missing trace": ("show", "missing.jsonl"),
    "a trace that can't be written": (
        "run",
        HIGH_CPU,
        "--trace",
        "no/such/folder.jsonl",
    ),
    "a module without a name": ("run", "stories"),
    "a file of Python": ("run", "stories.py"),
    "an unknown kind to list": ("list", "mutant"),
    "an unknown command": ("frobnicate",),
    "an unknown option": ("run", HIGH_CPU, "--frobnicate"),
    "no scenario": ("run",),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that holds the files."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_sentence(
    mistake: str, snapshot: SnapshotAssertion
) -> None:
    """One line on stderr that says what is wrong and where, exit code 3, nothing else."""
    done = agentsim(*MISTAKES[mistake])
    assert (done.code, done.out) == (3, "")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    assert done.err.replace(str(FOLDER), "scenarios") == snapshot


@settings(max_examples=25)
@given(
    content=st.binary(max_size=200), command=st.sampled_from(["run", "check", "show"])
)
def test_no_file_whatever_gives_a_traceback(
    content: bytes, command: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Random bytes are refused with exit code 3, or judged, and never an internal error."""
    path = tmp_path_factory.mktemp("random") / "file"
    path.write_bytes(content)
    done = agentsim(command, str(path))
    assert done.code in (0, 1, 2, 3), done.err


@settings(max_examples=15)
@given(text=st.text(max_size=30))
def test_no_token_whatever_gives_a_traceback(text: str) -> None:
    """Whatever stands in the place of a token is refused with one sentence."""
    done = agentsim("replay", HIGH_CPU, "--", text)
    assert done.code in (0, 3), done.err
    assert done.err.count("\n") <= 1


@pytest.mark.parametrize(
    ("given", "target", "folder"),
    [
        ("stories.py", "stories:NAME", ""),
        ("./stories.py", "stories:NAME", ""),
        ("tests/some/stories.py", "stories:NAME", "tests/some"),
        ("/srv/some/stories.py", "stories:NAME", "/srv/some"),
        ("../my-project/stories.py", "stories:NAME", "../my-project"),
        ("package/inner/stories.py", "package.inner.stories:NAME", ""),
        ("stories", "stories:NAME", ""),
        ("stories.WORLD", "stories:WORLD", ""),
        ("package.inner.stories.WORLD", "package.inner.stories:WORLD", ""),
    ],
)
def test_a_file_of_python_is_told_by_its_module(
    given: str,
    target: str,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is to be written is the module, and the folder that it is imported from."""
    (tmp_path / "package" / "inner").mkdir(parents=True)
    for file in ("stories", "package/__init__", "package/inner/__init__"):
        (tmp_path / f"{file}.py").touch()
    (tmp_path / "package/inner/stories.py").touch()
    monkeypatch.chdir(tmp_path)
    place = f", in the folder {folder} or with PYTHONPATH={folder}" if folder else ""
    with pytest.raises(UsageError, match=f": write {target}{place}(;|$)"):
        load_target(given)
