"""How well the model calls of 25 Smallville minds overlap, and that no overlap changes the run.

The same half hour is lived three ways. *Ideal*: on a virtual clock, where a call takes exactly a
second and everything else takes no time; what that clock shows is the lock-step critical path, the
longest chains of calls that wait for each other, tick after tick. *Measured*: over HTTP against a
server that answers a second late, unlimited concurrency, by the clock on the wall. *Same*: at
concurrency 1, 8 and 64 and with calls completing out of order, against a faster server: one
canonical hash. Run: `python -m benchmarks.overlap` (about ten minutes).
"""

import argparse
import asyncio
import os
import selectors
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.slow_server import serving
from genagents_env.config import TownConfig
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run

TARGET, PEER = 0.95, 0.97


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for nothing: where the loop would sleep, the clock jumps."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while everything waits."""

    def __init__(self) -> None:
        self._clock = _JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        """Return the seconds waited so far."""
        return self._clock.now


class _Policy(asyncio.DefaultEventLoopPolicy):
    """Hands out one virtual loop."""

    loop: VirtualLoop

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        self.loop = VirtualLoop()
        return self.loop


def spec(options: argparse.Namespace) -> RunSpec:
    config = {"latency_ticks": dict.fromkeys(options.late, options.latency)} if options.late else {}
    return RunSpec(
        TownConfig("valentines_party", start=options.start, hours=options.minutes / 60),
        policy=PolicySpec("smallville", config),
    )


def live(
    options: argparse.Namespace, endpoint: Endpoint, concurrency: int
) -> tuple[float, str, int]:
    """Return the wall clock of the run, its canonical hash, and its model calls."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        engine = RunOptions(
            endpoint=endpoint, concurrency=concurrency, embedder="hashed", interviews=False
        )
        begun = time.perf_counter()
        run(spec(options), path, engine)
        seconds = time.perf_counter() - begun
        with RunReader(path) as record:
            calls = record.sum_calls().calls
        return seconds, canonical_hash(path), calls


def ideal(options: argparse.Namespace) -> tuple[float, str, int]:
    """Return the seconds of the critical path, the run's hash, and its calls."""
    before, policy = asyncio.get_event_loop_policy(), _Policy()
    asyncio.set_event_loop_policy(policy)
    try:
        model = ScriptedEndpoint(delay=lambda request: asyncio.sleep(options.seconds))
        _, digest, calls = live(options, model, 10**6)
        return policy.loop.time(), digest, calls
    finally:
        asyncio.set_event_loop_policy(before)


def over_http(
    options: argparse.Namespace, seconds: float, concurrency: int, *, shuffle: bool = False
) -> tuple[float, str, int]:
    with serving(seconds, shuffle=shuffle) as url:
        return live(options, OpenAIEndpoint(url, "", "scripted"), concurrency)


def main() -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", default="07:55")
    parser.add_argument("--minutes", type=float, default=20, help="simulated")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a call")
    parser.add_argument("--latency", type=int, default=6, help="ticks, of the faculties in --late")
    parser.add_argument("--late", nargs="*", default=[], help="such as perceive reflect summary")
    options = parser.parse_args()

    path_seconds, digest, calls = ideal(options)
    print(
        f"{calls} calls of {options.seconds:g} s; critical path {path_seconds:.1f} s "
        f"(one after another: {calls * options.seconds:.0f} s)",
        flush=True,
    )
    wall, measured, _ = over_http(options, options.seconds, 10**6)
    print(
        f"over HTTP {wall:.1f} s: {path_seconds / wall:.1%} of the ideal overlap "
        f"(target {TARGET:.0%}; best known peer {PEER:.0%}, one call an agent and tick)",
        flush=True,
    )
    others: dict[str, Callable[[], tuple[float, str, int]]] = {
        "concurrency 1": lambda: over_http(options, 0.01, 1),
        "concurrency 8": lambda: over_http(options, 0.01, 8),
        "concurrency 64": lambda: over_http(options, 0.01, 64),
        "concurrency 64, shuffled": lambda: over_http(options, 0.05, 64, shuffle=True),
    }
    hashes = {"virtual clock": digest, "over HTTP, 1 s": measured}
    for name, way in others.items():
        hashes[name] = way()[1]
    for name, found in hashes.items():
        print(f"{name:26} {found}")
    print("one record" if len(set(hashes.values())) == 1 else "DIFFERENT RECORDS")


if __name__ == "__main__":
    main()
