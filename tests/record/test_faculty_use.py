from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.policy import FacultySwitch
from genagents_env.record import FacultyUse, RunMeta, RunReader, RunWriter
from genagents_env.record.faculty_use import SWITCHES, PolicySwitches, encode_switches
from tests.record.lived import call, live

ADA, BEN = "Ada Brook", "Ben Carver"
POLICIES = (
    PolicySwitches(
        "one",
        (ADA,),
        (FacultySwitch("deciding", "decide", True), FacultySwitch("reflection", "reflect", True)),
    ),
    PolicySwitches("other", (BEN,), (FacultySwitch("deciding", "decide", False),)),
)


def test_calls_are_counted_for_the_agents_of_each_policy(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.note(SWITCHES, encode_switches(POLICIES))
        live(writer, 1)
        writer.cassette.put(*call(0, ADA))
        writer.cassette.put(*call(1, ADA, "fallback"))
        writer.cassette.put(*call(1, BEN, "fallback"))
    with RunReader(path) as run:
        ada, reflection, ben = run.list_faculty_uses()
    assert ada == FacultyUse("one", "deciding", "decide", True, 2, 1)
    assert reflection == FacultyUse("one", "reflection", "reflect", True, 0, 0)
    assert ben == FacultyUse("other", "deciding", "decide", False, 1, 1)
    assert [one.ran for one in (ada, reflection, ben)] == [True, False, False]


@pytest.mark.parametrize(
    "note",
    [
        "7",
        '[{"policy": "p"}]',
        '[{"policy": "p", "agents": ["a"], "switches": [["x"]]}]',
        '[{"policy": "p", "agents": [1], "switches": []}]',
        '[{"policy": "p", "agents": ["a"], "switches": [["x", "x", 1]]}]',
    ],
)
def test_a_forged_note_is_damage(path: Path, meta: RunMeta, note: str) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 0)
        writer.note(SWITCHES, note)
    with RunReader(path) as run, pytest.raises(RecordError, match=r"run\.sqlite is damaged"):
        run.list_faculty_uses()
