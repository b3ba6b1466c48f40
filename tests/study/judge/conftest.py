from pathlib import Path

import pytest

from genagents_env.study.judge import Verdicts


@pytest.fixture
def verdicts(tmp_path: Path) -> Verdicts:
    return Verdicts(tmp_path / "verdicts.jsonl")
