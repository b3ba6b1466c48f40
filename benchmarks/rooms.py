"""How many modules a model call of a Smallville mind passes through, and how often they change.

Maria is a Smallville mind, the others live by rule; a scripted model answers. Of each purpose the
last call of the day is traced, when all caches are warm: from the query to what its reply changed.
A stay begins when a function of another module of the project is called or returned to.
Run: `python -m benchmarks.rooms` (half a minute).
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from genagents_env.cognition.scheduler import CallScheduler
from genagents_env.config import TownConfig
from genagents_env.run import RunOptions, RunSpec, run

PEOPLE = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]
MIND = "Maria Lopez"
OURS = ("genagents_env.", "policies.")


class RoomTrace:
    """Counts the modules that are entered while it is active, by `sys.setprofile`."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.stays = 0
        self._now = ""

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call or a return, as `sys.setprofile` tells it."""
        if event == "call":
            self._enter(frame)
        elif event == "return" and frame.f_back is not None:
            self._enter(frame.f_back)

    def _enter(self, frame: FrameType) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(OURS) and module != self._now:
            self.modules.add(module)
            self.stays += 1
            self._now = module


class TracedScheduler:
    """Traces every run of the scheduler that begins with a single query."""

    def __init__(self) -> None:
        self.traces: dict[str, RoomTrace] = {}
        self._run = CallScheduler.run

    def install(self) -> None:
        """Trace whatever the scheduler runs from now on."""
        traced = self

        async def run_traced(scheduler, mind, queries, moment):  # type: ignore[no-untyped-def]
            if len(queries) != 1:
                return await traced._run(scheduler, mind, queries, moment)
            trace = traced.traces[queries[0].purpose] = RoomTrace()
            sys.setprofile(trace.note)
            try:
                return await traced._run(scheduler, mind, queries, moment)
            finally:
                sys.setprofile(None)

        CallScheduler.run = run_traced  # type: ignore[method-assign]


def main() -> None:
    traced = TracedScheduler()
    traced.install()
    with TemporaryDirectory() as folder:
        spec = RunSpec(
            TownConfig("valentines_party", hours=24, people=PEOPLE),
            policy_for={MIND: "smallville"},
        )
        options = RunOptions(model="scripted:neighbour", embedder="hashed", interviews=False)
        run(spec, Path(folder) / "day.sqlite", options)
    print(f"{'purpose':20} {'modules':>7} {'stays':>6}")
    for purpose, trace in sorted(traced.traces.items()):
        print(f"{purpose:20} {len(trace.modules):>7} {trace.stays:>6}")


if __name__ == "__main__":
    main()
