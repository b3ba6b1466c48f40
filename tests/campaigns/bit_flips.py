"""A turned bit of a run file is noticed or harmless, wherever it is.

Run: `python -m tests.campaigns.bit_flips` (three minutes): a thousand bits of a finished file, and
two hundred of what a killed run leaves behind, its write-ahead log and the index of that, and of a
run that its limit stopped. CI takes a part.
"""

import argparse
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from genagents_env.errors import RecordError
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, RunWriter, canonical_hash, verify
from genagents_env.run import Limits, PolicySpec, resume, run
from genagents_env.testing.kill_hook import kill_at
from tests.frozen.cases import genagents
from tests.run.kills import stretch
from tests.run.towns import FOUR, make_options, make_spec
from tests.scripted import neighbour

FINISHED = (
    "run murder_mystery --people 3 --policy lyfe --model scripted:neighbour --embedder hashed "
    "--hours 0.25 --interviews 2 --seed 1 --out whole.sqlite --quiet"
)
TICKS = 24  # with a checkpoint every tenth
KILLS = (("boundary", 17), ("boundary", 5), ("checkpoint", 20), ("mid-write", 13))
SUFFIXES = ("", "-wal", "-shm")


def turn_bit(path: Path, dice: Random) -> int:
    """Turn one bit of a file, and return which."""
    bit = dice.randrange(8 * path.stat().st_size)
    with path.open("r+b") as file:
        file.seek(bit // 8)
        (byte,) = file.read(1)
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))
    return bit


def read_all(path: Path) -> str:
    """Return a digest of all that a reader finds in a run file."""
    seen = sha256(canonical_hash(path).encode())
    with RunReader(path) as reader:
        texts = reader.list_embedded_texts()
        parts: tuple[object, ...] = (
            *(reader.meta, reader.status, reader.spending, reader.last_tick),
            *(list(reader.events()), [(t, p.tolist()) for t, p in reader.ticks()]),
            *(list(reader.calls()), reader.interviews(), reader.memories(), reader.judgements()),
            *(reader.policy_faults(), reader.checkpoints(), reader.sum_calls()),
            *(reader.sum_faculties(), reader.checkpoint(reader.last_tick)),
            sorted(reader.embeddings.get(reader.meta.embedder or "", texts).items()),
        )
        for part in parts:
            seen.update(repr(part).encode())
    return seen.hexdigest()


def flip_finished(folder: Path, flips: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return what came of that many bits of a finished file, and the misses."""
    whole, path = folder / "whole.sqlite", folder / "flipped.sqlite"
    genagents(FINISHED, folder)
    with RunWriter.open(whole) as writer:  # vectors that are quick to compute are not kept
        vectors = {f"memory {number}": bytes(512) for number in range(50)}
        writer.embeddings.put(str(writer.meta.embedder), vectors)
    clean = read_all(whole)
    _check_rich(whole)

    def judge() -> str:
        try:
            same = read_all(path) == clean
        except RecordError:
            return "noticed as it was read"
        if not verify(path).whole:
            return "noticed by verify alone"
        return "nothing changed" if same else "MISSED"

    def begin() -> Path:
        return Path(shutil.copy(whole, path))

    return _repeat(flips, seed, begin, judge)


def flip_killed(folder: Path, flips: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return what came of that many bits of the logs of killed runs, and the misses."""
    whole, path = folder / "lived.sqlite", folder / "resumed.sqlite"
    mind = PolicySpec("smallville", {"rate_minutes": 1})
    spec = make_spec("valentines_party", TICKS, people=FOUR[:3], start="10:00", policy=mind)
    how = make_options(ScriptedEndpoint(neighbour), embedder="hashed")
    run(spec, whole, how)
    clean = canonical_hash(whole)
    for number, (phase, tick) in enumerate(KILLS):
        killed = replace(how, on_phase=kill_at(tick, phase))
        cut = folder / f"{number}.sqlite"
        assert stretch(partial(run, spec, cut, killed), None) == signal.SIGKILL
    stopped = replace(how, limits=Limits(calls=30))
    assert run(spec, folder / "stopped.sqlite", stopped).status == "budget_exhausted"
    turns = count()

    def begin() -> Path:
        turn = next(turns)
        name = "stopped" if turn % 3 == 2 else str(turn % len(KILLS))
        for suffix in SUFFIXES:
            Path(f"{path}{suffix}").unlink(missing_ok=True)
            if (file := folder / f"{name}.sqlite{suffix}").exists():
                shutil.copy(file, f"{path}{suffix}")
        log = "-shm" if turn % 5 == 4 else "-wal"
        return Path(f"{path}{'' if name == 'stopped' else log}")

    def judge() -> str:
        try:
            result = resume(path, replace(how, no_limit=True))
        except RecordError:
            return "noticed by resume"
        if result.resumed_from is None or canonical_hash(path) != clean:
            return "MISSED"
        return f"resumed from tick {result.resumed_from} to the clean hash"

    return _repeat(flips, seed, begin, judge)


def _check_rich(path: Path) -> None:
    with RunReader(path) as reader:
        assert all((list(reader.calls()), reader.interviews(), reader.memories()))
        assert all((reader.judgements(), reader.list_embedded_texts(), reader.checkpoints()))


def _repeat(
    flips: int, seed: int, begin: Callable[[], Path], judge: Callable[[], str]
) -> tuple[Counter[str], list[str]]:
    dice, found, misses = Random(seed), Counter[str](), []  # noqa: S311 (the same bits each time)
    for number in range(flips):
        file = begin()
        bit = turn_bit(file, dice)
        try:
            outcome = judge()
        except Exception as error:
            outcome = f"MISSED: {type(error).__name__}"
        found[outcome] += 1
        if outcome.startswith("MISSED"):
            misses.append(f"bit {bit} of {file.name}: {outcome}")
        if number % 100 == 99:
            sys.stderr.write(f"{number + 1} of {flips}\n")
    return found, misses


def main(flips: int = 1000, log_flips: int = 200, seed: int = 1) -> dict[str, Counter[str]]:
    """Turn bits; print what came of them, and exit with 1 where one was believed."""
    with TemporaryDirectory() as name:
        finished, misses = flip_finished(Path(name), flips, seed)
        killed, more = flip_killed(Path(name), log_flips, seed)
    for what, counts in (("finished file", finished), ("logs of a killed run", killed)):
        sys.stdout.write(f"{what}: {counts.total()} bits\n")
        for outcome, times in counts.most_common():
            sys.stdout.write(f"  {times:5} {outcome}\n")
    if misses or more:
        sys.exit("\n".join((*misses, *more)))
    return {"finished": finished, "killed": killed}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--log-flips", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    main(**vars(parser.parse_args()))
