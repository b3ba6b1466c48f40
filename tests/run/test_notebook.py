"""In a notebook a loop runs already: policies are called, runs are interrupted, as elsewhere."""

import asyncio
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from genagents_env import town_v0
from genagents_env.llm.client import ModelClient
from genagents_env.llm.event_loop import OwnLoop
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, resume, run
from genagents_env.run.policies import load_policy
from tests.run.towns import make_options, make_spec


@pytest.mark.parametrize("name", ["smallville", "scripted"])
def test_a_cell_of_a_notebook_steps_the_environment_with_a_policy(name: str) -> None:
    before = set(threading.enumerate())
    alone, cell = step_and_ask(name), asyncio.run(in_a_cell(name))
    assert cell == alone
    assert set(threading.enumerate()) == before


async def in_a_cell(name: str) -> list[str]:
    return step_and_ask(name)


ROOT = Path(__file__).parents[2]


def step_and_ask(name: str) -> list[str]:
    env = town_v0.parallel_env("tiny", max_cycles=6, percepts=True)
    observations, infos = env.reset(seed=1)
    policy = load_policy(name)
    model = ModelClient(ScriptedEndpoint(), run_seed=1)
    policy.reset(env.profiles(), 1, env.context(model, Embedder(HashedSource())))
    results = []
    for _ in range(5):
        actions = policy.act(observations, infos)
        results.append(repr(actions))
        observations, _, _, _, infos = env.step(actions)
    if policy.remembers:
        results.append(repr(policy.interview("Ada Brook", ["Any news?"])))
    policy.close()
    policy.close()
    return results


TICKS = 1_000
SPEC = make_spec("tiny", TICKS, policy=PolicySpec("random"))
CELL = """
import asyncio, os, signal, sys
from pathlib import Path
from genagents_env.run import RunOptions, run
from tests.run.test_notebook import SPEC
def interrupt(now):
    if now.tick == 20:
        for _ in range(int(sys.argv[2])):
            os.kill(os.getpid(), signal.SIGINT)
async def cell():
    result = run(SPEC, Path(sys.argv[1]), RunOptions(watch=interrupt, interviews=False))
    print(result.status, result.exit_code, result.tick)
asyncio.run(cell())
"""


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_in_a_cell_stops_the_run_at_the_next_tick_or_at_once_and_it_resumes(
    tmp_path: Path, times: int
) -> None:
    path, whole = tmp_path / "run.sqlite", tmp_path / "whole.sqlite"
    command = [sys.executable, "-c", CELL, str(path), str(times)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True, cwd=ROOT
    )
    status, code, tick = done.stdout.split()
    assert (status, code) == ("interrupted", "130")
    assert 20 <= int(tick) < TICKS / 2  # it takes a moment to reach the other thread
    with RunReader(path) as record:
        assert (record.status, record.last_tick) == ("interrupted", int(tick))
    if times == 1:
        assert resume(path, make_options()).status == "finished"
        run(SPEC, whole, make_options(interviews=False))
        assert canonical_hash(path) == canonical_hash(whole)


def test_an_interrupted_call_of_a_cell_has_ended_when_the_interrupt_is_raised() -> None:
    ended = []

    async def wait() -> None:
        try:
            await asyncio.sleep(20)
        finally:
            ended.append(True)

    async def cell() -> None:
        loop = OwnLoop()
        timer = threading.Timer(0.05, interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            loop.run(wait())
        assert ended == [True]
        assert loop.run(asyncio.sleep(0, "goes on")) == "goes on"
        loop.close()

    # What started the tests may have told them to ignore it.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    kernel = asyncio.new_event_loop()  # not `asyncio.run`, which takes SIGINT for itself
    try:
        kernel.run_until_complete(cell())
    finally:
        signal.signal(signal.SIGINT, former)
        kernel.close()


def interrupt_main() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
