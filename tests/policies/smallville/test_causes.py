"""What is measured of a run follows its cause: what its model does with news.

Eight people meet at the cafe on the day of the party, of which one of them knows. Their models
live alike, and differ in one habit: to pass on news, to keep silent, to make things up.
"""

from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.study.evaluate import compute_findings
from tests import scripted

HOST = "Isabella Rodriguez"
PEOPLE = (
    HOST,
    "Maria Lopez",
    "Klaus Mueller",
    "Tom Moreno",
    "Giorgio Rossi",
    "Latoya Williams",
    "Ryan Park",
    "Arthur Burton",
)

pytestmark = pytest.mark.slow


class Day:
    """What is found of 14 February from half past nine until half past five, of one model.

    `before` and `after` tell who knows of the party, `first` and `last` who knows whom.
    """

    def __init__(self, model: str, folder: Path) -> None:
        spec = RunSpec(
            TownConfig("valentines_party", start="2023-02-14T09:30", hours=8, people=PEOPLE),
            seed=5,
            policy=PolicySpec("smallville"),
        )
        endpoint = ScriptedEndpoint(getattr(scripted, model))
        path = folder / "run.sqlite"
        engine = RunOptions(endpoint=endpoint, embedder="hashed")
        assert run(spec, path, engine).status == "finished"
        with RunReader(path) as record:
            assert record.policy_fault_count() == 0
            assert sum(row.fallbacks for row in record.sum_faculties()) == 0
            self.findings = found = compute_findings(record)
        (self.gathering,) = found.gatherings
        before, after = found.facts["party"]
        first, last = found.networks
        assert before is not None
        assert after is not None
        assert first is not None
        assert last is not None
        self.before, self.after, self.first, self.last = before, after, first, last


def test_with_neighbours_word_spreads_and_the_invited_come(tmp_path: Path) -> None:
    day = Day("neighbour", tmp_path)
    assert day.before.verified == (HOST,)
    assert len(day.after.verified) > len(PEOPLE) // 2
    assert len(day.gathering.invited) > len(PEOPLE) // 2
    assert len(day.gathering.came) > len(day.gathering.invited) // 2
    assert day.last.mutual_verified > day.first.mutual_verified
    assert day.findings.claims > 0
    assert day.findings.hallucinated == 0


def test_with_the_mute_everything_stays_as_it_was(tmp_path: Path) -> None:
    day = Day("mute", tmp_path)
    assert day.before.verified == day.after.verified == (HOST,)
    assert day.before.claimed == day.after.claimed == (HOST,)
    assert day.gathering.invited == day.gathering.came == ()
    # One tie may find no room in the prompt among all that one remembers by now.
    assert day.first.mutual - 1 <= day.last.mutual <= day.first.mutual
    assert day.last.mutual_verified == day.last.mutual
    assert day.findings.hallucinated == 0


def test_with_inventors_only_what_is_hallucinated_rises(tmp_path: Path) -> None:
    day = Day("inventor", tmp_path)
    assert len(day.after.claimed) == len(PEOPLE)
    assert day.before.verified == day.after.verified == (HOST,)
    assert len(day.after.hallucinated) == len(PEOPLE) - 1
    assert day.last.density == 1.0
    assert day.last.mutual_verified <= day.first.mutual_verified
    assert day.last.hallucinated > 0
    assert day.gathering.came == ()
    assert (day.findings.hallucination_rate or 0) > 0.5
