"""A run of these minds is one record, however it came about."""

from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.policies.ai_town import signs
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import run
from tests.policies.harness import check_kills
from tests.run import towns
from tests.run.kills import parse_spec
from tests.scripted import neighbour

TICKS = 40
INVITATIONS = {signs.write_invitation(name) for name in towns.FOUR}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a run that nobody disturbed; words take two ticks to think of."""
    path = tmp_path_factory.mktemp("whole") / "run.sqlite"
    options = towns.make_options(ScriptedEndpoint(neighbour), embedder="hashed")
    run(parse_spec(f"ai_town:{TICKS}"), path, options)
    return path


def list_kills(path: Path) -> list[str]:
    """Return when to kill: mid-invitation, mid-typing, and while a talk is being remembered."""
    with RunReader(path) as record:
        said = [(e.tick, e.data["text"]) for e in record.events() if e.kind == "say"]
        seen = [e.tick for e in record.events() if signs.TYPING in str(e.data.get("doing", ""))]
        calls = [(call.tick, call.purpose) for call in record.calls()]
    invited = [tick for tick, text in said if text in INVITATIONS]
    typing = sorted({tick for tick, purpose in calls if purpose.startswith("converse")})
    sums = sorted({tick for tick, purpose in calls if purpose == "remember.summary"})
    assert invited
    assert set(seen) & {tick + 1 for tick in typing}  # words are under way, as everybody sees
    assert sums[0] + 1 < TICKS
    first, middle = invited[0], typing[len(typing) // 2]
    return [
        f"{first}:boundary+{typing[0] + 1}:mid-write",
        f"{typing[1]}:after-call+{middle + 1}:boundary",
        f"{first + 1}:mid-write+{sums[0]}:after-call",
        f"{typing[0] + 1}:boundary+{typing[2]}:boundary",
        f"{sums[0]}:boundary+{sums[0] + 1}:mid-write",
    ]


@pytest.mark.parametrize("few", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_a_run_killed_mid_invitation_and_mid_typing_resumes_to_the_same_record(
    tmp_path: Path, whole: Path, few: int
) -> None:
    cases = list_kills(whole)[:few]
    assert check_kills(tmp_path, f"ai_town:{TICKS}", cases) == canonical_hash(whole)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [{"concurrency": 1}, {"checkpoint_every": 1}])
def test_the_record_depends_neither_on_the_order_of_calls_nor_on_checkpoints(
    tmp_path: Path, whole: Path, engine: dict[str, int]
) -> None:
    path = tmp_path / "run.sqlite"
    options = towns.make_options(ScriptedEndpoint(neighbour), embedder="hashed", **engine)
    run(parse_spec(f"ai_town:{TICKS}"), path, options)
    assert canonical_hash(path) == canonical_hash(whole)
