"""A run of these minds is one record, however it came about."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from tests.policies.harness import ROOT, check_kills, uneven
from tests.policies.lyfe.circle import SECONDS, circle, make_talk_rule, vary_words
from tests.policies.percepts import Value
from tests.run import towns
from tests.run.kills import parse_spec
from tests.scripted import neighbour

TICKS = 40
LATE = {"monitor": 2, "memory": 1, "talk": 1}
# Some memories merge, some talks repeat themselves, and everything takes its time.
CONFIG = {
    "latency_ticks": LATE,
    "recent_items": 2,
    "cluster_above": 0.2,
    "option_seconds": 60,
    "walk_seconds": 60,
}


def hash_of(folder: Path, **engine: object) -> str:
    """Return the hash of a run of five people in a hall; its calls complete in any order."""
    model = ScriptedEndpoint(make_talk_rule(vary_words), delay=uneven)
    path = folder / "run.sqlite"
    policy = PolicySpec("lyfe", CONFIG)
    spec = RunSpec(TownConfig(circle(folder, 5), hours=TICKS * SECONDS / 3600), 4, policy=policy)
    options: Value = {"concurrency": 8, **engine}
    assert run(spec, path, RunOptions(endpoint=model, embedder="hashed", **options)).exit_code == 0
    with RunReader(path) as record:
        assert record.status == "finished"
        asked = {call.purpose for call in record.calls()}
        assert {"talk.speak", "monitor.update", "memory.merge", "controller.choose"} <= asked
    return canonical_hash(path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the hash of a run whose calls are made in turn."""
    return hash_of(tmp_path_factory.mktemp("whole"), concurrency=1)


def test_the_record_depends_neither_on_the_order_of_calls_nor_on_checkpoints(
    tmp_path: Path, whole: str
) -> None:
    assert hash_of(tmp_path, concurrency=3, checkpoint_every=1) == whole


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "77"])
def test_the_record_depends_on_no_hash_seed(tmp_path: Path, whole: str, seed: str) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.policies.lyfe.test_record import hash_of;"
        "print(hash_of(Path(sys.argv[1])))"
    )
    child = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert child.stdout.strip() == whole


def kills(folder: Path) -> list[str]:
    """Return when to kill a run, such that it is in the midst of talk, or of an interview."""
    path = folder / "talk.sqlite"
    run(
        parse_spec("lyfe:30"),
        path,
        towns.make_options(ScriptedEndpoint(neighbour), embedder="hashed"),
    )
    with RunReader(path) as record:
        asked = sorted({c.tick for c in record.calls() if c.purpose == "talk.speak" and c.tick})
    first, second, *_, last = asked
    assert first < 10 < last < 30
    return [
        f"{last}:boundary+{last + 1}:mid-write",
        f"{first}:after-call+{second}:boundary",
        "0:mid-interview+0:after-call",
        f"{first + 1}:boundary+{second}:mid-write",
        f"10:checkpoint+{last}:after-call",
        f"{last + 1}:boundary+30:mid-interview+30:interviewed",
    ]


@pytest.mark.parametrize("few", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_a_mind_killed_while_it_talks_goes_on_as_if_nothing_had_been(
    tmp_path: Path, few: int
) -> None:
    check_kills(tmp_path, "lyfe:30", kills(tmp_path)[:few])
