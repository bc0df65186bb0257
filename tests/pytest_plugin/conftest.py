"""The sample project is run by tests, in processes of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.pytest_plugin.cassettes import RECORD, project
from tests.support.inner import run_here
from tests.support.projects import metadata

collect_ignore = ["sample"]

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for `PYTHONPATH` that makes the plugin an installed one."""
    return metadata(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample project, of which nothing tells that it is ours."""
    folder = tmp_path_factory.mktemp("sample") / "project"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A project whose cassettes are recorded."""
    assert run_here(project(tmp_path), RECORD).code == 0
    return tmp_path
