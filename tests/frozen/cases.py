"""The frozen cases: each lives something through the command line and says what came of it.

The command line is used, since it is what never changes its words. What is kept of each case
leaves out the wall clock, paths and versions, and nothing else.
"""

import json
import re
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from hashlib import sha256
from io import StringIO
from pathlib import Path

import numpy as np

from genagents_env import town_v0
from genagents_env.cli import main
from genagents_env.train.wrappers import VectorTown

FROZEN = Path(__file__).with_name("frozen.json")
EXPERIMENT = Path(__file__).with_name("experiment.toml")
THREE = '--people "Isabella Rodriguez,Maria Lopez,Klaus Mueller"'
CAFE = '--place "Hobbs Cafe/cafe"'
TALKER = "--model scripted:neighbour --embedder hashed"

RUNS = {
    "tiny_scripted": "tiny --policy scripted --hours 0.2 --start 08:00",
    "tiny_idle": "tiny --policy idle --hours 0.05",
    "tiny_random": "tiny --policy random --hours 0.3 --start 08:00",
    "valentines_party_scripted": "valentines_party --policy scripted --hours 3 --start 08:00",
    "valentines_party_random": "valentines_party --policy random --hours 0.3 --start 12:00",
    "valentines_party_reactive": f"valentines_party {THREE} {CAFE} --policy reactive "
    "--model scripted --start 10:00 --hours 0.3",
    "valentines_party_smallville": f"valentines_party {THREE} {CAFE} --policy smallville {TALKER} "
    "--start 06:30 --hours 17",
    "valentines_party_odd_replies": f"valentines_party {THREE} {CAFE} --policy smallville "
    "--model scripted --embedder hashed --start 11:00 --hours 1",
    "valentines_party_mixed": f"valentines_party {THREE} {CAFE} --policy smallville {TALKER} "
    '--policy "Maria Lopez=lyfe" --policy "Klaus Mueller=scripted" --start 10:00 --hours 1',
    "valentines_party_ai_town": f"valentines_party {THREE} {CAFE} --policy ai_town {TALKER} "
    "--start 10:00 --hours 0.5",
    "valentines_party_ai_town_2023": f"valentines_party {THREE} {CAFE} --policy ai_town {TALKER} "
    "--policy-config preset=2023 --start 10:00 --hours 0.5",
    "simuverse_park": f"simuverse_park --policy simuverse {TALKER} --hours 0.25",
    "house_rules_scripted": "house_rules --policy scripted --hours 2",
    "mayoral_election_scripted": "mayoral_election --policy scripted --start 09:00 --hours 1",
    "sakura_machi_scripted": "sakura_machi --policy scripted --hours 0.5",
    "murder_mystery_lyfe": f"murder_mystery --people 3 --policy lyfe {TALKER} --hours 0.5 "
    "--interviews 2",
    "murder_mystery_hard_scripted": "murder_mystery_hard --people 3 --policy scripted --hours 0.25",
    "activity_fair_lyfe": f"activity_fair --policy lyfe {TALKER} --hours 0.25",
    "medicine_odd_replies": "medicine --policy lyfe --model scripted --embedder hashed "
    "--hours 0.25",
    "medicine_lyfe": "medicine --policy lyfe --model scripted:neighbour --embedder hashed "
    "--hours 0.25",
}
RESUMED = f"valentines_party {THREE} {CAFE} --policy smallville {TALKER} --start 11:00 --hours 1"
# What the wall clock, the place of the checkout or the installed libraries decide.
_WEATHER = re.compile(r"latency|(wall_)?seconds|versions|run|file|path")
_WEATHER_MEASURES = re.compile(r"(seconds|latency|wall_seconds)")


def genagents(arguments: str, cwd: Path) -> str:
    """Return what the command line prints for `arguments`."""
    out, err, before = StringIO(), StringIO(), sys.argv
    sys.argv = ["genagents", *shlex.split(arguments)]
    try:
        with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as ended:
        if ended.code not in (0, None, 3):
            raise AssertionError(f"{arguments}: {out.getvalue()}{err.getvalue()}") from None
    finally:
        sys.argv = before
    return out.getvalue()


def steady(value: object) -> object:
    """Return JSON values without what the wall clock, paths and versions decide."""
    if isinstance(value, dict):
        return {
            key: steady(part)
            for key, part in value.items()
            if not _WEATHER.fullmatch(key) and not _WEATHER_MEASURES.match(key)
        }
    if isinstance(value, list):
        kept = [part for part in value if not _is_weather(part)]
        return [steady(part) for part in kept]
    return value


def _is_weather(part: object) -> bool:
    return isinstance(part, dict) and bool(_WEATHER_MEASURES.match(str(part.get("measure", ""))))


def digest(value: object) -> str:
    """Return the SHA-256 of JSON values or text."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def run_case(arguments: str, cwd: Path) -> dict[str, object]:
    """Live a run; return its hash, what its report tells, and what was judged."""
    genagents(f"run {arguments} --seed 1 --out run.sqlite --force --quiet", cwd)
    told = steady(json.loads(genagents("report run.sqlite --json", cwd)))
    with sqlite3.connect(cwd / "run.sqlite") as connection:
        judged = [row[:-1] for row in connection.execute("SELECT * FROM judgements")]  # no checksum
    transcript = genagents("show run.sqlite", cwd)
    return {
        "hash": genagents("hash run.sqlite", cwd).strip(),
        "report": digest(told),
        "judgements": digest(judged),
        "transcript": digest(transcript),
    }


def resumed_case(cwd: Path) -> dict[str, object]:
    """Stop a run by its budget, resume it, resume it for longer."""
    genagents(f"run {RESUMED} --seed 1 --out run.sqlite --quiet --limit calls=20", cwd)
    genagents("resume run.sqlite --quiet --limit none", cwd)
    first = genagents("hash run.sqlite", cwd).strip()
    genagents("resume run.sqlite --quiet --hours 0.5", cwd)
    asked = genagents('interview run.sqlite --agent "Klaus Mueller" --at 11:30 --json', cwd)
    return {
        "resumed": first,
        "resumed_longer": genagents("hash run.sqlite", cwd).strip(),
        "interview": digest(steady(json.loads(asked))),
    }


def report_case(cwd: Path) -> dict[str, object]:
    """Return the report of several runs as data, and what was rated of them."""
    names = ("a", "b", "c")
    for seed, name in enumerate(names):
        people = "3" if name != "c" else "6"
        genagents(
            f"run murder_mystery --people {people} --policy lyfe {TALKER} --hours 0.25 "
            f"--seed {seed} --out {name}.sqlite --quiet",
            cwd,
        )
    files = " ".join(f"{name}.sqlite" for name in names)
    genagents(
        f"judge {files} --rubric believability --model scripted:neighbour -q",
        cwd,
    )
    lines = sorted((cwd / "verdicts.jsonl").read_text().splitlines())
    alone = steady(json.loads(genagents("report a.sqlite --json", cwd)))
    together = steady(json.loads(genagents(f"report {files} --json", cwd)))
    return {"alone": alone, "together": together, "verdicts": digest("\n".join(lines))}


def sweep_case(cwd: Path) -> dict[str, object]:
    """Return the identities, hashes and report of a sweep as data."""
    shutil.copy(EXPERIMENT, cwd / "frozen.toml")
    genagents("sweep frozen.toml --out out --workers 1 --quiet", cwd)
    rated = "judge out --pairwise --model scripted:neighbour --quiet"
    genagents(rated, cwd)
    told = steady(json.loads(genagents("report out --json", cwd)))
    lines = sorted((cwd / "out" / "verdicts.jsonl").read_text().splitlines())
    return {"report": told, "verdicts": digest("\n".join(lines))}


def menu_case(scenario: str, ticks: int, people: str | None) -> dict[str, object]:
    """Return a digest of everything an environment on the menu format gives out."""
    env = town_v0.parallel_env(scenario=scenario, actions="menu", people=people, hours=4)
    observations, infos = env.reset(seed=5)
    draw = np.random.default_rng(7)
    seen = sha256()
    for _ in range(ticks):
        actions = {}
        for agent in env.agents:
            one = observations[agent]
            for part in ("observation", "action_mask"):
                seen.update(one[part].tobytes())
            seen.update(f"{one['text']}{sorted(infos[agent].items())}".encode())
            actions[agent] = int(draw.choice(np.flatnonzero(one["action_mask"])))
        seen.update(env.state().tobytes())
        observations, rewards, ended, cut, infos = env.step(actions)
        for endings in (rewards, ended, cut):
            seen.update(repr(sorted(endings.items())).encode())
        seen.update(repr([(e.id, e.tick, e.kind, e.agent, e.data) for e in env.events]).encode())
    return {"digest": seen.hexdigest()}


def vector_case(cwd: Path) -> dict[str, object]:
    """Return a digest of what many towns at once give out."""
    towns = VectorTown("valentines_party", 2, text=True, seconds_per_tick=60, start="10:00")
    observations, infos = towns.reset(seed=3)
    draw = np.random.default_rng(7)
    seen = sha256()
    for _ in range(40):
        for part in ("observation", "action_mask"):
            seen.update(observations[part].tobytes())
        seen.update("".join(observations["text"]).encode() + infos["present"].tobytes())
        mask = observations["action_mask"]
        actions = np.array([draw.choice(np.flatnonzero(row)) for row in mask])
        observations, rewards, ended, cut, infos = towns.step(actions)
        seen.update(rewards.tobytes() + ended.tobytes() + cut.tobytes())
    return {"digest": seen.hexdigest()}


CASES: dict[str, Callable[[Path], dict[str, object]]] = {
    **{name: partial(run_case, arguments) for name, arguments in RUNS.items()},
    "resumed": resumed_case,
    "report": report_case,
    "sweep": sweep_case,
    "menu_tiny": lambda cwd: menu_case("tiny", 150, None),
    "menu_valentines_party": lambda cwd: menu_case("valentines_party", 60, None),
    "menu_murder_mystery": lambda cwd: menu_case("murder_mystery", 60, "9"),
    "vector": vector_case,
}
