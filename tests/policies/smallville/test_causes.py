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
from genagents_env.study.evaluate import Findings, compute_findings
from genagents_env.study.evaluate.measures.acquaintance import Acquaintance
from genagents_env.study.evaluate.measures.gatherings import Coordination
from genagents_env.study.evaluate.measures.knowledge import FactKnowledge
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


def collect_findings(model: str, folder: Path, *, reflection: bool = True) -> Findings:
    """Return the findings of 14 February from half past nine until half past five."""
    spec = RunSpec(
        TownConfig("valentines_party", start="2023-02-14T09:30", hours=8, people=PEOPLE),
        seed=5,
        policy=PolicySpec("smallville", {"reflection": reflection}),
    )
    endpoint = ScriptedEndpoint(getattr(scripted, model))
    path = folder / f"{model}.sqlite"
    assert run(spec, path, RunOptions(endpoint=endpoint, embedder="hashed")).status == "finished"
    with RunReader(path) as record:
        assert record.policy_fault_count() == 0
        assert sum(row.fallbacks for row in record.sum_faculties()) == 0
        return compute_findings(record)


def party(all_found: Findings) -> tuple[FactKnowledge, FactKnowledge, Coordination]:
    """Return who knows of the party before and after, and who came."""
    (fact,) = (one for one in all_found.facts if one.fact == "party")
    (gathering,) = all_found.gatherings
    assert fact.before is not None
    assert fact.after is not None
    return fact.before, fact.after, gathering


def network(all_found: Findings) -> tuple[Acquaintance, Acquaintance]:
    """Return who knows whom before and after."""
    before, after = all_found.acquainted_before, all_found.acquainted_after
    assert before is not None
    assert after is not None
    return before, after


def test_with_neighbours_word_spreads_and_the_invited_come(tmp_path: Path) -> None:
    all_found = collect_findings("neighbour", tmp_path)
    before, after, gathering = party(all_found)
    first, last = network(all_found)
    assert before.verified == (HOST,)
    assert len(after.verified) > len(PEOPLE) // 2
    assert len(gathering.invited) > len(PEOPLE) // 2
    assert len(gathering.came) > len(gathering.invited) // 2
    assert last.mutual_verified > first.mutual_verified
    assert all_found.claims > 0
    assert all_found.hallucinated == 0


def test_with_the_mute_everything_stays_as_it_was(tmp_path: Path) -> None:
    all_found = collect_findings("mute", tmp_path)
    before, after, gathering = party(all_found)
    first, last = network(all_found)
    assert before.verified == after.verified == before.claimed == after.claimed == (HOST,)
    assert gathering.invited == gathering.came == ()
    # One tie may find no room in the prompt among all that one remembers by now.
    assert first.mutual - 1 <= last.mutual <= first.mutual
    assert last.mutual_verified == last.mutual
    assert all_found.hallucinated == 0


def test_with_inventors_only_what_is_hallucinated_rises(tmp_path: Path) -> None:
    all_found = collect_findings("inventor", tmp_path)
    before, after, gathering = party(all_found)
    first, last = network(all_found)
    assert len(after.claimed) == len(PEOPLE)
    assert before.verified == after.verified == (HOST,)
    assert len(after.hallucinated) == len(PEOPLE) - 1
    assert last.density == 1.0
    assert last.mutual_verified <= first.mutual_verified
    assert last.hallucinated > 0
    assert gathering.came == ()
    assert (all_found.hallucination_rate or 0) > 0.5
