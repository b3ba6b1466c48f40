"""The learned policy in recorded runs: the portable menu, mixtures, resumed to the same record."""

import os
import signal
from pathlib import Path

from genagents_env.config import TownConfig
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, RunSpec, resume, rollouts, run
from genagents_env.train.tasks import get_task

SEED = 1_000_003
TOWN = TownConfig(get_task("errand").draw(SEED))
LEARNED = PolicySpec("learned")


def test_a_run_by_the_learned_policy_finishes_and_repeats_itself(tmp_path: Path) -> None:
    spec = RunSpec(TOWN, SEED, policy=LEARNED)
    result = run(spec, tmp_path / "one.sqlite")
    assert (result.status, result.exit_code) == ("finished", 0)
    run(spec, tmp_path / "two.sqlite")
    assert canonical_hash(tmp_path / "one.sqlite") == canonical_hash(tmp_path / "two.sqlite")
    with RunReader(tmp_path / "one.sqlite") as record:
        used = {e.agent for e in record.events() if e.kind == "object" and e.agent is not None}
        assert used == set(record.meta.names)  # everybody has done an errand


def test_the_learned_policy_resumes_to_the_same_record(tmp_path: Path) -> None:
    def interrupt(phase: str, tick: int) -> None:
        if (phase, tick) == ("boundary", 7):
            os.kill(os.getpid(), signal.SIGINT)

    spec = RunSpec(TOWN, SEED, policy=PolicySpec("learned", {"temperature": 1.0}))
    path, whole = tmp_path / "run.sqlite", tmp_path / "whole.sqlite"
    run(spec, whole)
    assert run(spec, path, RunOptions(on_phase=interrupt)).status == "interrupted"
    assert resume(path).status == "finished"
    assert canonical_hash(path) == canonical_hash(whole)


def test_others_choose_from_the_same_menu_in_a_mixture(tmp_path: Path) -> None:
    names = [person.name for person in get_task("errand").draw(SEED).people]
    others = dict(zip(names[1:], ("random", "scripted"), strict=True))
    result = run(RunSpec(TOWN, SEED, policy=LEARNED, policy_for=others), tmp_path / "mix.sqlite")
    assert (result.status, result.exit_code) == ("finished", 0)


def test_rollouts_by_name_offer_the_menu_it_needs() -> None:
    first, second = rollouts(TOWN.scenario, "learned", seeds=[SEED, SEED + 128])
    assert min(first.rollout.returns.values()) > 0
    assert min(second.rollout.returns.values()) > 0
