"""Runs, kills and resumes runs in processes of their own: kills.py FOLDER SPEC CASES.

SPEC is `SCENARIO:TICKS`, or `witness:TICKS` for four people of Smallville who are interviewed
three times at each end, or `mind:TICKS` for three of them with the Smallville mind, whose thinking
takes ticks; `lyfe:TICKS` and `ai_town:TICKS` for those minds.
A case is `TICK:PHASE`, or several joined by `+`: the first kills the run, the others its resumes.
This process imports everything once and forks each stretch, so that a kill costs no start-up.
Prints one JSON object: the hash of the uninterrupted run, and the result of each case.
"""

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from genagents_env.llm.calls import CallKey
from genagents_env.llm.client import call_seed
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunSpec, resume, run
from genagents_env.testing.kill_hook import VARIABLE, from_environment
from tests.run.towns import FOUR, WITNESS, LoggingEndpoint, make_options, make_spec
from tests.scripted import neighbour


def stretch(live: Callable[[], object], kill: str | None, seconds: float | None = None) -> int:
    """Return the signal that ended `live` in a forked process, 0 when it returned.

    It is killed as `kill` says, or after so many seconds.
    """
    pid = os.fork()
    if pid == 0:
        try:
            os.environ[VARIABLE] = kill or ""
            live()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    if seconds is not None:
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status)


def read_seeds(path: Path) -> set[int]:
    """Return the seeds of the calls in the file, which name them."""
    with RunReader(path) as record:
        return {
            call_seed(record.meta.seed, CallKey(row.agent, row.tick, row.purpose, row.number))
            for row in record.calls()
        }


def parse_spec(text: str) -> RunSpec:
    scenario, _, ticks = text.partition(":")
    cafe = {"people": FOUR[:3], "start": "12:00", "place": "Hobbs Cafe/cafe"}
    if scenario == "witness":
        witness = PolicySpec(WITNESS)
        return make_spec("valentines_party", int(ticks), people=FOUR, policy=witness, repeats=3)
    if scenario == "mind":
        late = {"perceive": 3, "summary": 2, "plan": 2, "ground": 1, "converse": 1}
        mind = PolicySpec("smallville", {"latency_ticks": late, "rate_minutes": 1})
        return make_spec("valentines_party", int(ticks), policy=mind, **cafe)
    if scenario == "lyfe":
        late = {"monitor": 2, "memory": 1, "talk": 1}
        lyfe = PolicySpec("lyfe", {"latency_ticks": late, "recent_items": 2, "cluster_above": 0.2})
        return make_spec(
            "murder_mystery",
            people="6",
            place="Sakuramachi Hotel/lobby",
            hours=int(ticks) / 720,
            policy=lyfe,
            repeats=2,
        )
    if scenario == "ai_town":
        late = {"converse": 2, "remember": 1, "reflect": 1}
        town = PolicySpec(
            "ai_town", {"latency_ticks": late, "activity_seconds": 20, "reflect_at": 5}
        )
        return make_spec("valentines_party", int(ticks), policy=town, **cafe)
    if scenario == "simuverse":
        late = {"act": 1, "interpret": 1, "talk": 1}
        tools = PolicySpec("simuverse", {"latency_ticks": late, "turn_seconds": 10})
        return make_spec(
            "simuverse_park", hours=int(ticks) / 360, people="4", place="park", policy=tools
        )
    return make_spec(scenario, int(ticks))


def survive(folder: Path, town: RunSpec, case: str) -> dict[str, object]:
    """Kill as `case` says, resume to the end, and return the result."""
    path, log = folder / "run.sqlite", folder / "calls.log"
    log.touch()
    kills: list[str | None] = [*case.split("+"), None]
    signals, repeated = [], 0
    for number, kill in enumerate(kills):

        def live(first: bool = number == 0) -> None:
            model = LoggingEndpoint(log, rule=neighbour)
            how = make_options(model, on_phase=from_environment(), embedder="hashed")
            _ = run(town, path, how) if first else resume(path, how)

        known = read_seeds(path) if number else set()
        asked = len(log.read_text().split())
        signals.append(stretch(live, kill))
        new = [int(seed) for seed in log.read_text().split()[asked:]]
        repeated += len(known.intersection(new))
    killed = signals[:-1] == [signal.SIGKILL] * (len(kills) - 1)
    return {
        "case": case,
        "killed": killed,
        "ended": signals[-1] == 0,
        "repeated": repeated,
        "hash": canonical_hash(path),
    }


def main(folder: Path, town: RunSpec, cases: list[str]) -> None:
    whole = folder / "whole.sqlite"
    run(town, whole, make_options(ScriptedEndpoint(neighbour), embedder="hashed"))
    results = []
    for number, case in enumerate(cases):
        own = folder / str(number)
        own.mkdir()
        results.append(survive(own, town, case))
    print(json.dumps({"whole": canonical_hash(whole), "results": results}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), parse_spec(sys.argv[2]), sys.argv[3].split(","))
