"""A town that goes on by command, and what is done to it, which repeats exactly."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError
from genagents_env.percept import Percept
from genagents_env.profile import Profile
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, RunResult, RunSpec, fork, resume, run
from genagents_env.run.live import MOST_WAITING, LiveControl
from genagents_env.run.spec import Progress
from tests.run.towns import Killed, stop_at

LAST = 60
ADA = "Ada Brook"
DEEDS: dict[int, Mapping[str, object]] = {
    5: {"kind": "whisper", "agent": ADA, "text": "The tea is ready."},
    12: {"kind": "news", "text": "The well is dry today.", "place": "Cottage/study"},
    13: {"kind": "object", "object": "Cottage/kitchen/stove", "state": "on"},
    20: {"kind": "move", "agent": "Ben Carver", "place": "Cottage/study"},
    31: {"kind": "leave", "agent": ADA},
    44: {"kind": "join", "agent": ADA, "place": "Cottage/kitchen"},
}


class Driver:
    """Steps a run tick by tick, and does something at some of them."""

    def __init__(self, deeds: Mapping[int, Mapping[str, object]]) -> None:
        self.control, self.deeds, self.tick = LiveControl(), deeds, 0
        self.told: list[str] = []
        self.ended = False
        self.control.pause()

    def watch(self, progress: Progress) -> None:
        self.tick = progress.tick

    def drive(self) -> None:
        try:
            for tick in range(LAST):
                if not self.wait_for(tick):
                    return
                if tick in self.deeds:
                    self.told.append(self.control.add_event(self.deeds[tick]).result(20))
                self.control.step()
        finally:
            self.control.go()

    def wait_for(self, tick: int) -> bool:
        """Return True once that tick is over, False if the run has ended before."""
        until = monotonic() + 60
        while self.tick != tick or self.control._loop is None:
            assert monotonic() < until, f"tick {tick} did not come"
            sleep(0.001)
            if self.ended:
                return False
        return True

    def run(self, path: Path, **options: object) -> RunResult:
        thread = threading.Thread(target=self.drive, daemon=True)
        thread.start()
        own = {"live": self.control, "watch": self.watch, "interviews": False, **options}
        try:
            return run(make_spec(), path, RunOptions(checkpoint_every=25, **own))  # type: ignore[arg-type]
        finally:
            self.ended = True
            thread.join()


def make_spec() -> RunSpec:
    return RunSpec(TownConfig("tiny", hours=LAST / 360), policy=PolicySpec("idle"))


@pytest.fixture(scope="module")
def steered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished run in which something was done live, of every kind."""
    path = tmp_path_factory.mktemp("live") / "run.sqlite"
    driver = Driver(DEEDS)
    assert driver.run(path).status == "finished"
    assert driver.told[0] == "2023-02-13T09:01:00"
    return path


def test_what_is_done_happens_in_the_next_tick(steered: Path) -> None:
    with RunReader(steered) as record:
        happened = {(e.tick, e.kind) for e in record.events()}
    kinds = ("whisper", "news", "object", "put", "part", "join")
    assert {(tick + 1, kind) for tick, kind in zip(DEEDS, kinds, strict=True)} <= happened


@pytest.mark.parametrize("tick", [3, LAST - 1])
def test_it_repeats_in_a_fork_and_in_a_fork_of_that(
    steered: Path, tmp_path: Path, tick: int
) -> None:
    first, second = tmp_path / "first.sqlite", tmp_path / "second.sqlite"
    options = RunOptions(interviews=False, checkpoint_every=25)
    assert fork(steered, first, tick, options=options).status == "finished"
    assert fork(first, second, LAST // 2, options=options).status == "finished"
    assert canonical_hash(first) == canonical_hash(second) == canonical_hash(steered)


def test_it_repeats_where_the_run_is_killed_after_it(steered: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"

    with pytest.raises(Killed):
        Driver(DEEDS).run(path, on_phase=stop_at(46))
    assert resume(path, RunOptions(interviews=False)).status == "finished"
    assert canonical_hash(path) == canonical_hash(steered)


UNFIT: list[tuple[Mapping[str, object], str]] = [
    ({"kind": "whisper", "agent": "Nobody", "text": "Hi"}, "Nobody"),
    ({"kind": "whisper", "agent": ADA}, "text"),
    ({"kind": "object", "object": "moon", "state": "full"}, "moon"),
    ({"kind": "move", "agent": ADA, "place": "moon"}, "moon"),
    ({"kind": "silence", "agent": ADA}, "kind"),
    ({"kind": "news", "text": "Hi", "at": 5, "extra": 1}, "extra"),
    ({}, "kind"),
]


def test_what_does_not_fit_or_is_too_much_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    driver = Driver({})
    faults: list[BaseException | None] = []

    def ask() -> None:
        driver.wait_for(0)
        try:
            faults.extend(driver.control.add_event(event).exception(20) for event, _ in UNFIT)
            driver.control._waiting = MOST_WAITING
            driver.control.add_event(DEEDS[5])
        except ConfigError as error:
            faults.append(error)
        finally:
            driver.control.go()

    thread = threading.Thread(target=ask)
    thread.start()
    path = tmp_path / "run.sqlite"
    options = RunOptions(live=driver.control, watch=driver.watch, interviews=False)
    assert run(make_spec(), path, options).status == "finished"
    thread.join()
    assert "wait already" in str(faults.pop())
    for fault, (_, named) in zip(faults, UNFIT, strict=True):
        assert isinstance(fault, ConfigError)
        assert named in str(fault)
    with RunReader(path) as record:
        assert record.meta.scenario.events == ()


def test_a_town_stands_still_once_nobody_looks_any_more_and_goes_on_when_somebody_does(
    tmp_path: Path,
) -> None:
    control, seen = LiveControl(idle_after=0.2), []

    def watch(progress: Progress) -> None:
        if progress.tick == 3:
            control.look()
            control.set_speed(1000.0)
            sleep(0.3)  # nobody looks for longer than that

    def look() -> None:
        while not control.pace.unwatched:
            sleep(0.005)
        seen.append(control.pace.unwatched)
        control.idle_after = 1e9
        control.look()

    thread = threading.Thread(target=look)
    thread.start()
    options = RunOptions(live=control, watch=watch, interviews=False)
    assert run(make_spec(), tmp_path / "run.sqlite", options).status == "finished"
    thread.join()
    assert seen == [True]


def test_a_town_that_is_paused_while_somebody_decides_stands_still(tmp_path: Path) -> None:
    driver = Driver({})
    driver.control.go()
    held: list[int] = []

    class Slow:
        """A person during whose third decision the town is paused."""

        def begin(self, profiles: Mapping[str, Profile]) -> None:
            pass

        async def decide(self, agent: str, percept: Percept) -> None:
            if percept.tick == 3:
                driver.control.pause()

    def look() -> None:
        driver.wait_for(3)
        sleep(0.3)
        held.append(driver.tick)
        driver.control.step()
        driver.wait_for(4)
        driver.control.go()

    thread = threading.Thread(target=look)
    thread.start()
    spec = replace(make_spec(), policy_for={ADA: "human"})
    options = RunOptions(live=driver.control, people=Slow(), watch=driver.watch, interviews=False)
    assert run(spec, tmp_path / "run.sqlite", options).status == "finished"
    thread.join()
    assert held == [3]
