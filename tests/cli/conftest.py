"""Commands run in a folder of their own: what they keep there is not for other tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin in an empty folder."""
    monkeypatch.chdir(tmp_path)
