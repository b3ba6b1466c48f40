import os
import signal
from pathlib import Path
from random import Random

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import canonical_hash
from tests.run.towns import resume_town, run_town


def rotten(content: bytes, count: int, seed: int) -> list[bytes]:
    """Return copies of `content`, each with one bit turned."""
    dice = Random(seed)  # noqa: S311 (the same bits each time)
    copies = []
    for _ in range(count):
        copy = bytearray(content)
        bit = dice.randrange(8 * len(copy))
        copy[bit // 8] ^= 1 << bit % 8
        copies.append(bytes(copy))
    return copies


@pytest.mark.slow
def test_a_turned_bit_is_harmless_or_noticed_never_believed(tmp_path: Path) -> None:
    whole, cut, path = tmp_path / "whole", tmp_path / "cut", tmp_path / "run.sqlite"
    run_town(whole, ticks=20)
    hash_of_whole = canonical_hash(whole)
    complaints = []
    for content in rotten(whole.read_bytes(), 300, seed=1):
        path.write_bytes(content)
        try:
            assert canonical_hash(path) == hash_of_whole
        except RecordError as error:
            complaints.append(str(error))
    assert len(complaints) > 50

    run_town(cut, ticks=20, on_phase=_cut)
    for content in rotten(cut.read_bytes(), 60, seed=2):
        path.write_bytes(content)
        try:
            assert resume_town(path).status == "finished"
            assert canonical_hash(path) == hash_of_whole
        except RecordError as error:
            complaints.append(str(error))
    assert all(str(path) in complaint for complaint in complaints)


def _cut(phase: str, tick: int) -> None:
    if (phase, tick) == ("boundary", 13):
        os.kill(os.getpid(), signal.SIGINT)
