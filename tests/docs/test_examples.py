"""Every example of the documentation runs, and does what its page says."""

import doctest
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.docs.execution import Page
from tests.docs.markdown import anchors, blocks, links
from tests.support.projects import without_others
from tests.support.source import ROOT

SLOW = (
    "docs/how-to/check-transcripts.md",
    "docs/how-to/explore.md",
    "docs/how-to/own-faults.md",
    "docs/how-to/own-invariants.md",
    "docs/how-to/own-tools.md",
    "docs/how-to/own-worlds.md",
    "docs/how-to/property-tests.md",
    "docs/how-to/record-a-session.md",
    "docs/how-to/serve-any-program.md",
    "docs/how-to/test-a-responses-loop.md",
    "docs/how-to/test-an-anthropic-loop.md",
    "docs/how-to/test-an-openai-loop.md",
    "docs/how-to/test-helpers.md",
    "docs/how-to/test-in-ci.md",
    "docs/how-to/test-my-agent.md",
    "docs/how-to/write-a-scenario.md",
    "docs/reference/mutants.md",
    "docs/tutorial/first-run.md",
    "README.md",
)
"""Pages that explore, or run many commands: over a quarter of a second."""

FILES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

PAGES = tuple(file.relative_to(ROOT).as_posix() for file in FILES)

TERMINAL = ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "LINES")
"""Variables that change how wide and colourful the output is."""


def _marked(name: str) -> object:
    return pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name


@pytest.fixture
def few_examples() -> Iterator[None]:
    """Properties on a page are tried with a few examples: what they show is how it reads."""
    usual = settings.get_current_profile_name()
    few = max(1, settings().max_examples // 10)
    settings.register_profile("page", settings(), max_examples=few)
    settings.load_profile("page")
    yield
    settings.load_profile(usual)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder, with the scenarios at hand; it is left as nobody was there."""
    monkeypatch.setenv("COLUMNS", "120")
    for name in TERMINAL:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(without_others(())))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # files change in a second
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    return tmp_path


@pytest.mark.usefixtures("reader", "few_examples")
@pytest.mark.parametrize("name", [_marked(name) for name in PAGES])
def test_the_examples_of_a_page_run(name: str) -> None:
    """Each block does what the page says, in the order of the page."""
    Page(name, (ROOT / name).read_text("utf-8")).run()


@pytest.mark.parametrize("name", PAGES)
def test_the_links_of_a_page_lead_somewhere(name: str) -> None:
    """Each relative link names a file that is there, and a heading that it has."""
    page = ROOT / name
    broken = []
    for link in links(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        found = "://" in link or target.exists()
        if found and anchor and "://" not in link:
            found = anchor in anchors(target.read_text("utf-8"))
        if not found:
            broken.append(link)
    assert broken == []


def test_each_slow_page_is_there() -> None:
    """The list of slow pages names no page that is gone, and none twice."""
    assert sorted(set(SLOW) & set(PAGES)) == sorted(SLOW)


def test_the_examples_of_docstrings_run() -> None:
    """What a docstring shows after `>>>` prints what it shows."""
    for file in sorted((ROOT / "agentsim").rglob("*.py")):
        if ">>> " in file.read_text("utf-8"):
            path = file.relative_to(ROOT).with_suffix("").as_posix()
            failed, _ = doctest.testmod(importlib.import_module(path.replace("/", ".")))
            assert failed == 0, path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("```\nx\n```", "no language that is known"),
        ("```python\nassert 1 == 2\n```", ""),
        ("```python\ndef test_it():\n    assert False\n```", ""),
        ("```python\n# file: apart.py\nassert False\n```", ""),
        ("```yaml\ntask: t\nscript: [{call: check_disc}]\n```", "unknown tool"),
        ("```yaml\n# exit code 1\ntask: t\nscript: [{say: a}]\n```", "holds"),
        ("```yaml\nlimits: {max_iterations: 1}\n```", "no whole scenario"),
        ("```yaml\n# fields of a.yaml\nseed: 1\n```", "fields of no scenario"),
        ("```yaml\njobs: {}\n```", "nor fields of one"),
        ("```console\nagentsim list\n```", "begins with a command"),
        ("```console\n$ rm x\n```", "no program"),
        ("```console\n$ agentsim list fault\n```", "did you mean 'faults'"),
        ("```console\n$ agentsim list faults  # exit code 1\n```", "answer_lost"),
        ("```console\n$ agentsim list faults\nfaults:\n```", "more after it"),
        ("```console\n$ agentsim list faults\n...\n  slowly\n...\n```", "'  slowly'"),
        ("```json\n{,}\n```", ""),
        ("```sh\nmake nothing\n```", "no target nothing"),
    ],
)
@pytest.mark.usefixtures("reader", "few_examples")
def test_an_example_that_is_wrong_is_found(text: str, words: str) -> None:
    """Each kind of block can fail, and says why and where."""
    with pytest.raises((AssertionError, ValueError)) as caught:
        Page("page.md", f"# A page\n\n{text}\n").run()
    assert words in str(caught.value)
    assert caught.value.__notes__ == ["in the example at page.md:3"]


@pytest.mark.usefixtures("reader", "few_examples")
def test_a_page_that_is_right_runs() -> None:
    """Files of a page serve its later blocks, and left-out lines may be any."""
    Page(
        "page.md",
        """
```python
# file: mine.py
async def agent(env):
    return "done"
```

```yaml
# file: it.yaml
task: Say it.
script: [{say: It is said.}]
```

```yaml
# fields of it.yaml
script: [{say: It was said.}]
expect: {output: was said}
```

```console
$ agentsim run it.yaml --agent mine:agent  # exit code 3
agentsim: ...
```

```python
x = 1
```

```python
def test_namespace():
    assert x == 1
```

```json title="list.json"
[1]
```

```text
anything
```
""".replace("agentsim: ...", "..."),
    ).run()


@pytest.mark.usefixtures("reader", "few_examples")
def test_each_test_of_a_page_runs_once() -> None:
    """Later blocks call no test again, and what a command gives to pytest is its own."""
    Page(
        "page.md",
        """
```python
# file: test_given.py
def test_given():
    with open("done", "a") as done:
        done.write("given ")
```

```console
$ pytest -q test_given.py
```

```python
def test_here():
    with open("done", "a") as done:
        done.write("here ")
```

```python
from pathlib import Path

assert Path("done").read_text() == "given here "
```

```python
# file: test_given.py
def test_given():
    with open("done", "a") as done:
        done.write("alone")
```

```python
assert Path("done").read_text() == "given here alone"
```
""",
    ).run()


def test_a_fence_left_open_is_found() -> None:
    """A block without an end would hide all that follows it."""
    with pytest.raises(AssertionError, match="not closed"):
        list(blocks("```text\nx\n"))
