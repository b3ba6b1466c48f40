import os
import signal
from pathlib import Path
from random import Random

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import canonical_hash
from tests.campaigns import bit_flips
from tests.run.towns import resume_town, run_town


@pytest.mark.slow
def test_a_turned_bit_of_a_finished_file_is_noticed_or_harmless(tmp_path: Path) -> None:
    found, misses = bit_flips.flip_finished(tmp_path, 50, seed=2)
    assert not misses
    assert found["noticed as it was read"] > 10


@pytest.mark.slow
def test_a_turned_bit_of_the_log_of_a_killed_run_changes_no_hash(tmp_path: Path) -> None:
    found, misses = bit_flips.flip_killed(tmp_path, 8, seed=2)
    assert not misses
    assert set(found) == {
        "resumed from tick 10 to the clean hash",
        "resumed from tick -1 to the clean hash",
    }


@pytest.mark.slow
def test_a_turned_bit_of_a_stopped_run_is_noticed_or_harmless_as_it_is_resumed(
    tmp_path: Path,
) -> None:
    whole, cut, path = tmp_path / "whole", tmp_path / "cut", tmp_path / "run.sqlite"
    run_town(whole, ticks=20)
    clean, dice = canonical_hash(whole), Random(2)  # noqa: S311 (the same bits each time)
    run_town(cut, ticks=20, on_phase=_cut)
    complaints = []
    for _ in range(30):
        path.write_bytes(cut.read_bytes())
        bit_flips.turn_bit(path, dice)
        try:
            assert resume_town(path).status == "finished"
            assert canonical_hash(path) == clean
        except RecordError as error:
            complaints.append(str(error))
    assert len(complaints) > 3
    assert all(str(path) in complaint for complaint in complaints)


def _cut(phase: str, tick: int) -> None:
    if (phase, tick) == ("boundary", 13):
        os.kill(os.getpid(), signal.SIGINT)
