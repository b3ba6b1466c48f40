"""What runs came to does not change unless a commit means it to; see docs/architecture.md."""

import json
from pathlib import Path

import pytest

from tests.frozen.cases import CASES, FROZEN


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", CASES)
def test_a_frozen_case_is_unchanged(name: str, tmp_path: Path) -> None:
    frozen = json.loads(FROZEN.read_text())
    assert CASES[name](tmp_path) == frozen[name], "meant? python -m tests.frozen NAME, and say why"


def test_every_frozen_case_is_one_that_is_lived() -> None:
    assert set(json.loads(FROZEN.read_text())) == set(CASES)
