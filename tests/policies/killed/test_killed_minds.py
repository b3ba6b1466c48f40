"""A run of these minds is one record, however it came about: thinking takes them ticks."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.policies.ai_town import signs
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import run
from tests.policies.harness import check_kills, uneven
from tests.run import towns
from tests.run.kills import parse_spec
from tests.scripted import neighbour

TICKS = {"lyfe": 30, "ai_town": 40, "simuverse": 20, "mind": 30}  # which is of smallville
PURPOSES = {
    "lyfe": {"talk.speak", "monitor.update", "memory.merge", "controller.choose"},
    "ai_town": {"converse.start", "converse.continue", "remember.summary", "remember.importance"},
    "simuverse": {"act.choose", "interpret.triple", "talk.speak"},
    "mind": {"plan.day", "ground.pieces", "perceive.rate", "converse.speak"},
}
INVITATIONS = {signs.write_invitation(name) for name in towns.FOUR}


def live(mind: str, path: Path, **engine: int) -> Path:
    """Let a town of a mind live; its calls complete in any order, unless one at a time."""
    model = ScriptedEndpoint(neighbour, delay=uneven)
    options = towns.make_options(model, embedder="hashed", **engine)
    assert run(parse_spec(f"{mind}:{TICKS[mind]}"), path, options).status == "finished"
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what gives the file of a run of a mind that nobody disturbed, one call at a time."""
    folder = tmp_path_factory.mktemp("whole")
    return cache(lambda mind: live(mind, folder / f"{mind}.sqlite", concurrency=1))


@pytest.mark.parametrize("mind", TICKS)
def test_the_record_depends_neither_on_the_order_of_calls_nor_on_checkpoints(
    tmp_path: Path, whole: Callable[[str], Path], mind: str
) -> None:
    with RunReader(whole(mind)) as record:
        assert record.policy_fault_count() == 0
        assert {call.purpose for call in record.calls()} >= PURPOSES[mind]
    path = live(mind, tmp_path / "run.sqlite", concurrency=8, checkpoint_every=1)
    assert canonical_hash(path) == canonical_hash(whole(mind))


def list_kills(path: Path, last_tick: int) -> list[str]:
    """Return when to kill: in the midst of talk, of what it leads to, and of an interview."""
    with RunReader(path) as record:
        said = [(e.tick, e.data["text"]) for e in record.events() if e.kind == "say"]
        asked = [(call.tick, call.purpose) for call in record.calls()]
    talk = sorted({tick for tick, of in asked if of.startswith(("talk", "converse")) and tick})
    after = {tick for tick, of in asked if of in ("remember.summary", "memory.merge") and tick}
    first, second, *_, last = talk
    invited = next((tick for tick, text in said if text in INVITATIONS), first)
    summed = min(after, default=last)
    return [
        f"{invited}:boundary+{last}:mid-write",
        f"{first}:after-call+{second}:boundary",
        f"{summed}:after-call+{summed + 1}:mid-write",
        f"0:mid-interview+{first + 1}:boundary+{second + 1}:mid-write",
        f"10:checkpoint+{last}:after-call",
        f"{last_tick}:mid-interview+{last_tick}:interviewed",
    ]


@pytest.mark.parametrize(
    ("mind", "few"),
    [
        *((mind, 1) for mind in ("lyfe", "ai_town", "simuverse")),  # mind: tests/run
        *(pytest.param(mind, 6, marks=pytest.mark.slow) for mind in TICKS if mind != "mind"),
    ],
)
def test_a_mind_killed_while_it_talks_goes_on_as_if_nothing_had_been(
    tmp_path: Path, whole: Callable[[str], Path], mind: str, few: int
) -> None:
    path, ticks = whole(mind), TICKS[mind]
    cases = list_kills(path, ticks)[:few]
    assert check_kills(tmp_path, f"{mind}:{ticks}", cases) == canonical_hash(path)
