import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError, DivergenceError
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.run import Limits, PolicySpec, resume, run
from tests.run.towns import CURIOUS, Killed, make_options, make_spec, resume_town, run_town, stop_at


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("whole") / "run.sqlite"
    assert run_town(path).status == "finished"
    return canonical_hash(path)


def test_a_used_up_budget_stops_and_resumes_to_the_same_record(path: Path, whole: str) -> None:
    result = run_town(path, limits=Limits(calls=9))
    assert (result.status, result.exit_code) == ("budget_exhausted", 3)
    with RunReader(path) as record:
        assert record.sum_calls().calls == 9
    result = resume_town(path, limits=Limits(calls=12))
    assert result.status == "budget_exhausted"
    with RunReader(path) as record:
        assert record.sum_calls().calls == 12
    assert resume_town(path).exit_code == 3
    assert resume_town(path, no_limit=True).status == "finished"
    assert canonical_hash(path) == whole


PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Sam Moore", "Tom Moreno")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_within_a_tick_with_a_checkpoint_and_a_second_one_at_once(
    path: Path, whole: str, number: signal.Signals
) -> None:
    def hook(phase: str, tick: int) -> None:
        if (phase, tick) == ("boundary", 23):
            os.kill(os.getpid(), number)

    async def slow(request: CompletionRequest) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.01)
        await asyncio.sleep(3600)

    assert run_town(path, endpoint=ScriptedEndpoint(delay=slow)).status == "interrupted"
    result = resume_town(path, on_phase=hook)
    assert (result.status, result.exit_code) == ("interrupted", 128 + number)
    assert result.tick == 23
    with RunReader(path) as record:
        assert record.checkpoints()[-1] == result.tick
    assert resume_town(path).status == "finished"
    assert canonical_hash(path) == whole


@pytest.mark.parametrize("policy", ["scripted", "random", "learned"])  # minds: test_kill
def test_shipped_policies_resume_to_the_same_record(path: Path, policy: str) -> None:
    mind = PolicySpec(policy)
    town = make_spec("valentines_party", 40, people=PEOPLE, policy=mind, start="08:00")
    whole = path.with_name("whole.sqlite")
    how = make_options(checkpoint_every=25, embedder="hashed")
    run(town, whole, how)
    with pytest.raises(Killed):
        run(town, path, replace(how, on_phase=stop_at(37, "mid-write")))
    assert resume(path, how).status == "finished"
    assert canonical_hash(path) == canonical_hash(whole)


def test_the_order_in_which_calls_complete_changes_nothing(path: Path, whole: str) -> None:
    async def shuffled(request: CompletionRequest) -> None:
        for _ in range(request.seed % 5):
            await asyncio.sleep(0)

    for concurrency in (1, 25):
        endpoint = ScriptedEndpoint(delay=shuffled)
        run(make_spec(), path, make_options(endpoint, concurrency=concurrency), force=True)
        assert canonical_hash(path) == whole


@pytest.mark.parametrize(("ticks", "checkpoint"), [(25, 24), (20, 19)])  # the latter is due then
def test_a_finished_run_can_be_extended_to_the_record_of_a_longer_one(
    path: Path, ticks: int, checkpoint: int
) -> None:
    assert run_town(path, ticks=ticks).status == "finished"
    with pytest.raises(ConfigError, match="--hours"):
        resume_town(path)
    result = resume(path, make_options(), hours=(40 - ticks) / 360)
    assert (result.tick, result.resumed_from) == (40, checkpoint)
    long = path.with_name("long.sqlite")
    run_town(long)
    with RunReader(path) as one, RunReader(long) as other:
        assert one.meta.arguments["hours"] == pytest.approx(40 / 360)
        assert list(one.events()) == list(other.events())


def test_a_changed_prompt_is_an_error_not_a_guess(path: Path) -> None:
    run_town(path, limits=Limits(calls=9))
    changed = Path(CURIOUS).read_text().replace("What now?", "And now?")
    policy = path.with_name("curious.py")
    policy.write_text(changed)
    with RunWriter.open(path) as writer:
        specs = {a: {"name": str(policy), "config": {}} for a in writer.meta.names}
        writer.replace_meta(replace(writer.meta, policies=specs))
    with pytest.raises(DivergenceError, match="start a new run"):
        resume_town(path, policies=(str(policy),))
    with RunReader(path) as record:
        assert record.status == "failed"


def test_a_resume_does_not_change_the_model_unasked(path: Path) -> None:
    run_town(path, limits=Limits(calls=9))
    with pytest.raises(ConfigError, match=r"model 'scripted', but this would be 'other'.*--model"):
        resume_town(path, endpoint=ScriptedEndpoint(model="other"))
    other = ScriptedEndpoint(model="other")
    assert resume_town(path, endpoint=other, model="other", no_limit=True).exit_code == 0
    with RunReader(path) as record:
        assert record.meta.model == "other"


def test_what_no_run_can_have_is_refused_before_anything_is_written(path: Path) -> None:
    unpriced = ScriptedEndpoint(price=None)
    with pytest.raises(ConfigError, match="price of model 'scripted' is not known"):
        run_town(path, endpoint=unpriced, limits=Limits(dollars=Decimal(1)))
    for option in ({"vision_radius": 2}, {"actions": "menu"}, {"max_cycles": 3}):
        with pytest.raises(ConfigError, match=f"{next(iter(option))}: a recorded run"):
            run(make_spec(**option), path, make_options())
    for repeats in (0, 21):
        with pytest.raises(ConfigError, match=f"repeats: {repeats} is not allowed; 1 to 20"):
            run(make_spec(repeats=repeats), path, make_options())
    assert not path.exists()


PROGRAM = """
import sys
from genagents_env.record import canonical_hash
from genagents_env.run import run
from tests.run.towns import make_options, make_spec
others = {"Klaus Mueller": "random", "Maria Lopez": "scripted", "Ayesha Khan": "random"}
spec = make_spec("valentines_party", 30, policy_for=others)
run(spec, sys.argv[1], make_options())
print(canonical_hash(sys.argv[1]))
"""


def hash_of(path: Path, hash_seed: int) -> str:
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "SHUFFLE_ACTIONS": str(hash_seed)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.strip()


@pytest.mark.slow
def test_one_hash_over_hash_seeds_action_orders_and_processes(tmp_path: Path) -> None:
    hashes = {hash_of(tmp_path / f"{seed}.sqlite", seed) for seed in range(1, 4)}
    assert len(hashes) == 1
